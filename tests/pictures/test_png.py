from __future__ import annotations

import builtins
import struct
from typing import Any

import pytest
from examples_to_draw import EVENTS, POSSIBLY, PROCESSES, SMART_HOME, automaton

from choreomon.core.errors import ChoreomonError
from choreomon.pictures.graphs.automaton_drawing import automaton_picture
from choreomon.pictures.shapes.drawing import Box, Drawing, Point
from choreomon.pictures.shapes.png import MAX_PIXELS, png_bytes
from choreomon.pictures.space_time.diagram import space_time_picture
from choreomon.pictures.space_time.highlights import highlights_of

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def size(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_an_automaton_becomes_a_png_of_its_size() -> None:
    pytest.importorskip("matplotlib")
    drawing = automaton_picture(SMART_HOME).drawing
    png = png_bytes(drawing, scale=2)
    assert png.startswith(SIGNATURE)
    assert size(png) == pytest.approx((2 * drawing.width, 2 * drawing.height), abs=2)


def test_a_run_with_all_kinds_of_marks_becomes_a_png() -> None:
    pytest.importorskip("matplotlib")
    picture = space_time_picture(EVENTS, PROCESSES, highlights_of(POSSIBLY), verdict=POSSIBLY)
    assert png_bytes(picture.drawing, scale=1).startswith(SIGNATURE)


def test_the_same_drawing_gives_the_same_bytes() -> None:
    pytest.importorskip("matplotlib")
    drawing = automaton_picture(SMART_HOME).drawing
    assert png_bytes(drawing) == png_bytes(drawing)


def test_dollars_and_foreign_letters_are_drawn_and_not_interpreted() -> None:
    pytest.importorskip("matplotlib")
    made = automaton(["q0"], ["q1"], [("q0", "P -> Q : $x_{$メッセージ", "q1")])
    assert png_bytes(automaton_picture(made).drawing, scale=1).startswith(SIGNATURE)


def test_a_huge_drawing_is_scaled_down_to_the_largest_size() -> None:
    pytest.importorskip("matplotlib")
    shapes = (Box(at=Point(0, 0), width=9, height=9),)
    png = png_bytes(Drawing(width=40_000, height=10, shapes=shapes, title=""))
    assert size(png)[0] == pytest.approx(MAX_PIXELS, abs=2)


def test_without_matplotlib_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = builtins.__import__

    def without_matplotlib(name: str, *arguments: Any, **named: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    with pytest.raises(ChoreomonError, match=r"which the extra 'plot' brings"):
        png_bytes(Drawing(width=9, height=9, shapes=(), title=""))
