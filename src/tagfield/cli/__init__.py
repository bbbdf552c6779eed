"""The command line. `tagfield NAME` is the file NAME.py, and its line in commands.py.

    commands.py               the table of commands; a command's file is imported when the command runs
    shared/exit_codes.py      errors ─▶ one sentence on standard error and an exit code
    shared/messages.py        results on standard output, progress and notes on standard error; --quiet, --json
    shared/…options.py        options that several commands have; those of training are read off tagfield/train
    shared/config_file.py     options from a TOML file
    shared/training_run.py    the work of `train`, with interrupts.py (Ctrl-C) and epoch_log.py (--log)
    shared/input_blocks.py    input in blocks, for `tag`
    shared/startup.py         closed streams, and Ctrl-C while modules are imported

Only commands print; the library logs and calls back.
"""

import sys


def main() -> None:
    """Run `tagfield` with the arguments of the process."""
    from tagfield.cli.shared.startup import flush_streams, leaving_at_once, open_closed_streams

    open_closed_streams()
    with leaving_at_once():
        from tagfield.cli.commands import run

    code = run(sys.argv[1:])
    flush_streams()
    sys.exit(code)
