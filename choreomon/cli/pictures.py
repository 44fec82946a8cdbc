"""Pictures -> files, in the format that the suffix of the file says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from choreomon.cli.writing import write

if TYPE_CHECKING:
    from choreomon.render.drawing import Picture

NODES: Final = ("diagram", "term")
"""What nodes of drawn graphs show of their interaction."""


def check_picture(output: Path) -> None:
    """Finds out that a picture cannot be made before much work is done for it. Raises
    `MissingExtra` for PNG without matplotlib."""
    if output.suffix.lower() == ".png":
        from choreomon.render.png import check_png

        check_png()


def write_picture(output: Path, picture: Picture) -> None:
    """Writes PNG where the suffix is `.png`, else SVG. Raises `ClickException`."""
    if output.suffix.lower() == ".png":
        from choreomon.render.png import png_bytes

        write(output, png_bytes(picture.drawing))
    else:
        from choreomon.render.svg import svg_document

        write(output, svg_document(picture.drawing))
