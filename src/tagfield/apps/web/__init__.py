"""What the pages share: frames of HTML, and in static/ the style sheets and scripts."""

from pathlib import Path

HERE = Path(__file__).parent
STATIC = HERE / "static"
