"""The command line: one file for each command."""


def main() -> None:
    """Runs `tagfield`."""
