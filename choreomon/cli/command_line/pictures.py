"""Pictures -> files, in the format that the suffix of the file says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.writing import write

if TYPE_CHECKING:
    from choreomon.pictures.shapes.drawing import Picture

NODES: Final = ("diagram", "term")
"""Contents of nodes in drawn graphs."""


def check_picture(output: Path) -> None:
    """Finds out that a picture cannot be made before much work is done for it. Raises
    `MissingExtra` for PNG without matplotlib."""
    if output.suffix.lower() == ".png":
        from choreomon.pictures.shapes.png import check_png

        check_png()


def write_picture(output: Path, picture: Picture) -> None:
    """Writes PNG where the suffix is `.png`, else SVG. Raises `ClickException`."""
    if output.suffix.lower() == ".png":
        from choreomon.pictures.shapes.png import png_bytes

        write(output, png_bytes(picture.drawing))
    else:
        from choreomon.pictures.shapes.svg import svg_document

        write(output, svg_document(picture.drawing))


def put_picture(output: Path, picture: Picture, text: str | None = None, *, as_json: bool) -> int:
    """Writes the picture, or what stands for it in `text`, and prints its structure if wanted;
    the exit code. Raises `ClickException`."""
    if text is None:
        write_picture(output, picture)
    else:
        write(output, text)
    if as_json:
        import json

        click.echo(json.dumps(picture.structure, indent=2))
    return NOTHING_FOUND
