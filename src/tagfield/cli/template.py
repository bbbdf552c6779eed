"""`tagfield template`: prints a preset, as the text of a template file that you can change and extend."""

import sys
from typing import Annotated

import typer

from tagfield.cli.shared.exit_codes import usage
from tagfield.cli.shared.messages import AsJson, print_json
from tagfield.cli.shared.reading_options import checked_lines
from tagfield.cli.shared.training_options import offer
from tagfield.data.text.templates.presets import ABOUT, PRESETS, find_preset, preset_text


def template(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="Preset to print; without one, all are listed.", autocompletion=offer(PRESETS)
        ),
    ] = None,
    add: Annotated[
        list[str] | None,
        typer.Option(metavar="LINE", help="Line to add, such as 'gazetteer brand = brands.txt'; may be repeated."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print a feature template, to change or extend.

    Save it, change it and train with it: tagfield template ner > mine.template, then tagfield train --template
    mine.template. To keep a preset and add to it, begin a file with [bold]include ner[/bold], or train with --add.
    """
    if name is None:
        if as_json:
            print_json({"presets": ABOUT})
            return
        width = max(map(len, ABOUT))
        sys.stdout.write("".join(f"{preset:<{width}}  {about}\n" for preset, about in ABOUT.items()))
        return
    with usage():
        lines = [preset_text(find_preset(name).name), *checked_lines(add or ())]
    text = "\n".join(lines) + "\n"
    if as_json:
        print_json({"name": name, "text": text})
    else:
        sys.stdout.write(text)
