"""The command line: one file per command.

    commands.py   the table of commands; a command's file is imported when the command runs
    exits.py      errors ─▶ one sentence on stderr and an exit code
    train.py · tag.py · eval.py · errors.py · info.py
    compare.py · report.py · demo_data.py · fetch.py · responses.py
    options.py    the options of `train`, from the records in tagfield/train
    training.py   reading, training and the summary of `train`, with interrupts.py, log.py and tagfield/progress
    config.py     options from a TOML file
    voice.py      results on stdout, progress and notes on stderr; --quiet, --verbose, --json
    checks.py · blocks.py · figures.py   early checks, input in blocks, number formats

Only commands print; the library logs and calls back.
"""

import sys


def main() -> None:
    """Run `tagfield` with the arguments of the process."""
    from tagfield.cli.streams import flush_streams, leaving_at_once, open_closed_streams

    open_closed_streams()
    with leaving_at_once():
        from tagfield.cli.commands import run

    code = run(sys.argv[1:])
    flush_streams()
    sys.exit(code)
