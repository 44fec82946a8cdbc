"""Pictures of automata of protocols."""

from __future__ import annotations

import pytest

from choreomon.automata.automaton import automaton
from choreomon.core.action import emission
from choreomon.pictures.graphs import protocol_automaton as module
from choreomon.pictures.graphs.protocol_automaton import protocol_picture
from choreomon.pictures.shapes.svg import svg_document

A, B, C = (emission(name, "m") for name in "abc")


def test_states_and_edges_are_drawn_breadth_first() -> None:
    one = automaton(
        [(0, A, 2), (0, B, 2), (2, C, 1), (1, A, 1), (1, B, 1), (1, C, 0)], initial=[0], final=[1]
    )
    picture = protocol_picture(one, "turns")
    assert picture.drawing.title == "Automaton of turns: 3 states, 6 edges, 3 letters"
    nodes, edges = picture.structure["nodes"], picture.structure["edges"]
    assert [(node["lines"], node["said"]) for node in nodes] == [
        (["0", "initial"], ""),
        (["2"], ""),
        (["1"], "final"),
    ]
    assert [(edge["source"], edge["label"], edge["target"]) for edge in edges] == [
        (0, "a!m", 1),
        (0, "b!m", 1),
        (1, "c!m", 2),
        (2, "c!m", 0),
        (2, "a!m, b!m", 2),
    ]
    assert "a!m, b!m" in svg_document(picture.drawing)


def test_several_beginnings_follow_one_box() -> None:
    one = automaton([(0, A, 2), (1, B, 2)], initial=[0, 1], final=[2])
    structure = protocol_picture(one).structure
    assert [node["lines"] for node in structure["nodes"]] == [
        ["start"],
        ["0", "initial"],
        ["1", "initial"],
        ["2"],
    ]
    assert [(edge["source"], edge["target"]) for edge in structure["edges"]] == [
        (0, 1),
        (0, 2),
        (1, 3),
        (2, 3),
    ]


def test_what_is_not_drawn_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_STATES", 2)
    one = automaton([(0, A, 1), (1, B, 2), (3, C, 2)], initial=[0], final=[2], states=5)
    structure = protocol_picture(one).structure
    assert structure["left_out"] == {"nodes": 1, "edges": 1}
    assert structure["legend"] == ["2 states that nothing leads to: not drawn"]


def test_an_automaton_without_a_beginning_is_drawn_all_the_same() -> None:
    assert protocol_picture(automaton([], initial=[], final=[0])).drawing.width > 0
