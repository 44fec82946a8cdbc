"""A drawing as PNG bytes, through matplotlib (the extra `plot`)."""

from __future__ import annotations

import io
import warnings
from typing import Any, Final, assert_never

from choreomon.core.errors import MissingExtra
from choreomon.pictures.shapes.drawing import (
    PAPER,
    Box,
    Circle,
    Curve,
    Drawing,
    Group,
    Polygon,
    Polyline,
    Shape,
    Text,
    flattened,
)

MAX_PIXELS: Final = 30_000
"""The most pixels of one side: a larger picture is scaled down to it."""

_PIXELS_PER_INCH: Final = 96.0
_POINTS_PER_PIXEL: Final = 0.75
_ALIGNMENT: Final = {"start": "left", "middle": "center", "end": "right"}


def check_png() -> None:
    """Raises `MissingExtra` if matplotlib, which makes PNG files, is not installed."""
    try:
        from matplotlib.backends import backend_agg  # noqa: F401
    except ImportError as missing:
        raise MissingExtra(
            "PNG pictures need matplotlib", "plot", "SVG and Mermaid need nothing"
        ) from missing


def png_bytes(drawing: Drawing, scale: float = 2.0) -> bytes:
    """A PNG file, `scale` pixels for each unit of the drawing.

    Raises `MissingExtra` if matplotlib is not installed. Letters are those of matplotlib's own
    font; a letter that it lacks is drawn as a box.
    """
    check_png()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    scale = min(scale, MAX_PIXELS / max(drawing.width, drawing.height))
    figure = Figure(
        figsize=(drawing.width / _PIXELS_PER_INCH, drawing.height / _PIXELS_PER_INCH),
        dpi=_PIXELS_PER_INCH * scale,
        facecolor=PAPER,
    )
    canvas: Any = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(drawing.height, 0)
    for order, shape in enumerate(flattened(drawing.shapes)):
        _paint(axes, shape, order + 1)
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        canvas.print_png(file, metadata={"Software": None})
    return file.getvalue()


def _paint(axes: Any, shape: Shape, order: int) -> None:
    from matplotlib import patches, patheffects
    from matplotlib.path import Path

    match shape:
        case Polyline():
            axes.add_patch(patches.PathPatch(Path(shape.points), zorder=order, **_line(shape)))
        case Curve():
            codes = [Path.MOVETO] + [Path.CURVE4] * (len(shape.points) - 1)
            path = Path(shape.points, codes)
            axes.add_patch(patches.PathPatch(path, zorder=order, **_line(shape)))
        case Polygon():
            axes.add_patch(
                patches.Polygon(
                    shape.points, closed=True, facecolor=shape.fill, linewidth=0, zorder=order
                )
            )
        case Circle():
            axes.add_patch(
                patches.Circle(
                    shape.centre,
                    shape.radius,
                    facecolor=shape.fill,
                    edgecolor=shape.colour,
                    linewidth=shape.width * _POINTS_PER_PIXEL,
                    zorder=order,
                )
            )
        case Box():
            axes.add_patch(
                patches.FancyBboxPatch(
                    shape.at,
                    shape.width,
                    shape.height,
                    boxstyle=f"round,pad=0,rounding_size={shape.corner}",
                    facecolor=shape.fill,
                    edgecolor=shape.colour or "none",
                    linewidth=shape.stroke * _POINTS_PER_PIXEL,
                    zorder=order,
                )
            )
        case Text():
            rim = [patheffects.withStroke(linewidth=3, foreground=PAPER)] if shape.halo else None
            axes.text(
                *shape.at,
                shape.content,
                fontsize=shape.size * _POINTS_PER_PIXEL,
                color=shape.colour,
                ha=_ALIGNMENT[shape.anchor],
                va="baseline",
                fontweight="bold" if shape.bold else "normal",
                parse_math=False,
                path_effects=rim,
                zorder=order,
            )
        case Group():
            raise AssertionError("groups are flattened before they are painted")
        case _:
            assert_never(shape)


def _line(shape: Polyline | Curve) -> dict[str, Any]:
    return {
        "facecolor": "none",
        "edgecolor": shape.colour,
        "linewidth": shape.width * _POINTS_PER_PIXEL,
        "linestyle": (0, (4.5, 3)) if shape.dashed else "solid",
        "capstyle": "round",
        "joinstyle": "round",
    }
