"""The command line: one file for each command.

    commands.py   the table of commands; a command's file is imported when it is called
    exits.py      what can go wrong ─▶ one sentence on stderr and an exit code
    train.py · tag.py · eval.py · info.py · demo_data.py
    training.py   how train works once its options are settled, with progress.py, interrupts.py and log.py
    checks.py · blocks.py · figures.py   what is checked first, how text is read as it comes, how numbers look

Commands assemble and print; what they call never prints.
"""

import sys


def main() -> None:
    """Runs `tagfield` with the arguments of the process."""
    from tagfield.cli.commands import run

    sys.exit(run(sys.argv[1:]))
