from __future__ import annotations

from xml.etree import ElementTree

import pytest
from examples_to_draw import EVENTS, PROCESSES, SMART_HOME, automaton
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.names import written
from choreomon.pictures.graphs.automaton_drawing import automaton_picture
from choreomon.pictures.shapes.drawing import Drawing, Group, Point, Polyline, Text
from choreomon.pictures.shapes.svg import svg_document
from choreomon.pictures.space_time.diagram import space_time_picture

SVG = "{http://www.w3.org/2000/svg}"


def parsed(drawing: Drawing) -> ElementTree.Element:
    return ElementTree.fromstring(svg_document(drawing))


@pytest.mark.parametrize(
    "drawing",
    [
        automaton_picture(SMART_HOME).drawing,
        space_time_picture(EVENTS, PROCESSES).drawing,
    ],
)
def test_pictures_are_well_formed_and_refer_to_nothing_outside(drawing: Drawing) -> None:
    root = parsed(drawing)
    assert root.get("viewBox", "").split()[2:] == [root.get("width"), root.get("height")]
    assert root.get("aria-label") == drawing.title
    text = svg_document(drawing).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not any(word in text for word in ("http", "href", "<script", "url(", "NaN", "inf"))


def test_dashed_lines_are_dashed_and_solid_ones_are_not() -> None:
    ends = (Point(0, 0), Point(9, 9))
    drawing = Drawing(
        width=10,
        height=10,
        title="",
        shapes=(Polyline(points=ends, dashed=True), Polyline(points=ends)),
    )
    dashes = [line.get("stroke-dasharray") for line in parsed(drawing).iter(f"{SVG}polyline")]
    assert dashes == ["6 4", None]


def test_a_title_becomes_a_tooltip() -> None:
    group = Group(shapes=(Text(at=Point(0, 9), content="x"),), title="event 3")
    (title,) = parsed(Drawing(width=9, height=9, shapes=(group,), title="")).iter(f"{SVG}title")
    assert title.text == "event 3"


@pytest.mark.parametrize("name", ["<script>", '"quoted"', "a&b", "end", "]]>", "{x}", "tab"])
def test_hostile_names_come_out_as_they_are(name: str) -> None:
    made = automaton(["q0"], ["q1"], [("q0", f"P -> Q : {name}", "q1")])
    root = parsed(automaton_picture(made, name).drawing)
    assert f"P → Q : {written(name)}" in [text.text for text in root.iter(f"{SVG}text")]
    assert list(root.iter(f"{SVG}script")) == []


@given(st.text())
def test_any_text_gives_well_formed_xml(content: str) -> None:
    shapes = (Group(shapes=(Text(at=Point(0, 0), content=content),), title=content),)
    parsed(Drawing(width=9, height=9, shapes=shapes, title=content))


def test_what_xml_cannot_write_becomes_a_replacement_character() -> None:
    drawing = Drawing(
        width=9, height=9, title="", shapes=(Text(at=Point(0, 0), content="a\x00b\ud800"),)
    )
    (text,) = parsed(drawing).iter(f"{SVG}text")
    assert text.text == "a\ufffdb\ufffd"
