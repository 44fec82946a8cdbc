from __future__ import annotations

import math
from itertools import combinations

import pytest
from examples_to_draw import (
    FIGURE_4,
    SMART_HOME,
    Area,
    area_of,
    automaton,
    label,
    texts,
    titled,
    written,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.errors import PropertyError
from choreomon.documents.read import parse_document
from choreomon.pictures.graphs.automaton_drawing import automaton_picture
from choreomon.pictures.shapes.drawing import Circle, Curve, Drawing, Point, Text, text_width
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.formula import And, Atom, Formula, Not, Truth


def edges_of(picture_structure: dict[str, list[dict[str, object]]]) -> set[tuple[object, ...]]:
    return {
        (edge["source"], edge["target"], edge["kind"], edge["dashed"])
        for edge in picture_structure["edges"]
    }


def test_forward_transitions_are_solid_and_backward_ones_dashed() -> None:
    picture = automaton_picture(SMART_HOME)
    assert edges_of(picture.structure) == {
        ("q0", "q1", "forward", False),
        ("q1", "q2", "forward", False),
        ("q1", "q0", "backward", True),
    }
    for kind, dashed in (("forward", False), ("backward", True)):
        lines = [
            shape
            for group in titled(picture.drawing, f"{kind}:")
            for shape in group.shapes
            if isinstance(shape, Curve)
        ]
        assert lines
        assert {line.dashed for line in lines} == {dashed}


def test_the_layers_of_figure_4_lead_from_left_to_right() -> None:
    states = automaton_picture(FIGURE_4).structure["states"]
    layers = {state["name"]: state["layer"] for state in states}
    assert layers == {"q0": 0, "q1": 1, "q3": 1, "q2": 2, "q4": 3}
    places = sorted(states, key=lambda state: state["x"])
    assert [state["layer"] for state in places] == [0, 1, 1, 2, 3]


def test_final_states_have_two_rims_and_initial_ones_an_arrow() -> None:
    drawing = automaton_picture(SMART_HOME).drawing
    (initial,) = titled(drawing, "initial state q0")
    (final,) = titled(drawing, "final state q2")
    (other,) = titled(drawing, "state q1")
    rims = [
        sum(isinstance(shape, Circle) for shape in state.shapes)
        for state in (initial, other, final)
    ]
    assert rims == [1, 1, 2]
    assert len(initial.shapes) > len([s for s in final.shapes if not isinstance(s, Circle)]) + 1


def test_a_self_loop_is_drawn_with_its_formula() -> None:
    picture = automaton_picture(SMART_HOME)
    assert picture.structure["self_loops"] == [{"state": "q1", "formula": "not P2 -> P1 : resume"}]
    assert "not P2 → P1 :" in written(picture.drawing)


def test_formulas_are_written_with_the_words_of_the_document() -> None:
    a, b = Atom(label("A -> B : a")), Atom(label("B -> A : b"))
    loops: list[tuple[str, Formula]] = [("q0", Truth()), ("q0", Not(And((a, Not(b)))))]
    made = automaton(["q0"], ["q1"], [("q0", "A -> B : a", "q1")], loops)
    assert [loop["formula"] for loop in automaton_picture(made).structure["self_loops"]] == [
        "true",
        "not (A -> B : a and (not B -> A : b))",
    ]


def test_parallel_transitions_are_one_edge_with_stacked_labels() -> None:
    made = automaton(["q0"], ["q1"], [("q0", f"A -> B : m{number}", "q1") for number in range(3)])
    picture = automaton_picture(made)
    (edge,) = picture.structure["edges"]
    assert edge["labels"] == ["A -> B : m0", "A -> B : m1", "A -> B : m2"]
    heights = [text.at.y for text in texts(picture.drawing) if text.content.startswith("A →")]
    assert len(set(heights)) == 3


def test_opposite_edges_do_not_run_over_each_other() -> None:
    drawing = automaton_picture(SMART_HOME).drawing
    (there,) = titled(drawing, "forward: q0")[:1]
    (back,) = titled(drawing, "backward: q1")[:1]
    first, second = there.shapes[0], back.shapes[0]
    assert isinstance(first, Curve)
    assert isinstance(second, Curve)
    middles = [along(curve)[len(along(curve)) // 2] for curve in (first, second)]
    assert abs(middles[0].y - middles[1].y) > 15


def test_sequences_that_are_not_connected_stand_in_rows_below_each_other() -> None:
    made = automaton(
        ["a0", "b0"],
        ["a2", "b2"],
        [
            (f"{row}{step}", f"P -> Q : {row}{step}", f"{row}{step + 1}")
            for step in range(2)
            for row in "ab"
        ],
    )
    states = automaton_picture(made).structure["states"]
    rows = {row: [state["y"] for state in states if state["name"].startswith(row)] for row in "ab"}
    assert max(rows["a"]) < min(rows["b"])
    assert {state["component"] for state in states} == {0, 1}


def test_a_very_long_label_is_shortened_in_the_picture_and_whole_in_its_title() -> None:
    name = "a" * 200
    made = automaton(["q0"], ["q1"], [("q0", f"P -> Q : {name}", "q1")])
    picture = automaton_picture(made)
    assert picture.drawing.width < 900
    assert titled(picture.drawing, f"forward: q0 -> q1 on P -> Q : {name}, watched by P")
    assert picture.structure["edges"][0]["labels"] == [f"P -> Q : {name}"]


def along(curve: Curve) -> list[Point]:
    """Points on a curve, some for each of its cubic pieces."""
    found = []
    for first in range(0, len(curve.points) - 1, 3):
        a, b, c, d = curve.points[first : first + 4]
        for step in range(21):
            t = step / 20
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            found.append(
                Point(
                    sum(w * p.x for w, p in zip(weights, (a, b, c, d), strict=True)),
                    sum(w * p.y for w, p in zip(weights, (a, b, c, d), strict=True)),
                )
            )
    return found


def collisions(drawing: Drawing) -> list[str]:
    """Texts over texts, and texts beyond the canvas."""
    areas = [(text.content, area_of(text)) for text in texts(drawing)]
    found = [
        f"{one} over {other}"
        for (one, first), (other, second) in combinations(areas, 2)
        if first.overlaps(second)
    ]
    canvas = Area(0, 0, drawing.width, drawing.height)
    return found + [
        f"{content} leaves the canvas"
        for content, area in areas
        if area.left < canvas.left
        or area.right > canvas.right
        or area.top < canvas.top
        or area.bottom > canvas.bottom
    ]


@st.composite
def automata(draw: st.DrawFn) -> SequenceAutomaton:
    """Mostly branching automata with some backward transitions and self-loops."""
    count = draw(st.integers(2, 7))
    pairs = draw(
        st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=10)
    )
    chain = [(step, step + 1) for step in range(count - 1)]
    names = st.sampled_from(["m", "turnOff", "cancelTheWholeReservation", "ok"])
    transitions = [
        (f"q{u}", f"P{draw(st.integers(1, 9))} -> P2 : {draw(names)}", f"q{v}")
        for u, v in (*chain, *pairs)
        if u != v
    ]
    loops = [(f"q{state}", Truth()) for state in draw(st.sets(st.integers(0, count - 1)))]
    initial = ["q0", *(["q1"] if count > 2 and draw(st.booleans()) else [])]
    try:
        return automaton(initial, [f"q{count - 1}"], transitions, loops)
    except PropertyError:
        return automaton(initial, [f"q{count - 1}"], transitions[: len(chain)], loops)


@settings(max_examples=60, deadline=None)
@given(automata())
def test_no_text_overlaps_another_or_leaves_the_canvas(made: SequenceAutomaton) -> None:
    assert collisions(automaton_picture(made, "law").drawing) == []


@settings(max_examples=60, deadline=None)
@given(automata())
def test_no_edge_runs_through_a_state_that_is_not_its_own(made: SequenceAutomaton) -> None:
    picture = automaton_picture(made, widest=math.inf)
    for edge in picture.structure["edges"]:
        (group,) = [
            group
            for group in titled(picture.drawing, f"{edge['kind']}: {edge['source']} -> ")
            if group.title.split(" on ")[0].endswith(f"-> {edge['target']}")
            and any(isinstance(shape, Curve) for shape in group.shapes)
        ]
        (curve,) = [shape for shape in group.shapes if isinstance(shape, Curve)]
        for state in picture.structure["states"]:
            nearest = min(
                (point.x - state["x"]) ** 2 + (point.y - state["y"]) ** 2 for point in along(curve)
            )
            if state["name"] not in (edge["source"], edge["target"]):
                assert nearest > 24**2, (edge, state)


SKIP_AND_TWO_LANES = automaton(
    ["q0"],
    ["q3"],
    [
        ("q0", "A -> B : a", "q1"),
        ("q1", "A -> B : b", "q2"),
        ("q2", "A -> B : c", "q3"),
        ("q0", "A -> B : skip", "q2"),
        ("q2", "A -> B : off", "q0"),
        ("q3", "A -> B : reset", "q0"),
    ],
)


@pytest.mark.parametrize("made", [SMART_HOME, FIGURE_4, SKIP_AND_TWO_LANES])
def test_no_edge_runs_through_the_label_of_another(made: SequenceAutomaton) -> None:
    drawing = automaton_picture(made, widest=math.inf).drawing
    groups = [*titled(drawing, "forward:"), *titled(drawing, "backward:")]
    groups += titled(drawing, "state") + titled(drawing, "initial") + titled(drawing, "final")
    labels = [
        (group.title, area_of(shape))
        for group in groups
        for shape in group.shapes
        if isinstance(shape, Text) and not shape.bold
    ]
    edges = [
        (group.title, shape)
        for group in groups
        for shape in group.shapes
        if isinstance(shape, Curve) and "ward:" in group.title
    ]
    assert [
        (edge, other)
        for edge, curve in edges
        for other, area in labels
        if other != edge
        and any(
            area.left < point.x < area.right and area.top < point.y < area.bottom
            for point in along(curve)
        )
    ] == []


def test_long_backward_edges_run_in_lanes_close_to_the_states() -> None:
    assert automaton_picture(SKIP_AND_TWO_LANES).drawing.height < 330


@settings(max_examples=60, deadline=None)
@given(automata())
def test_every_transition_is_in_the_picture_once(made: SequenceAutomaton) -> None:
    drawn = [
        (edge["source"], text, edge["target"], edge["kind"])
        for edge in automaton_picture(made, widest=math.inf).structure["edges"]
        for text in edge["labels"]
    ]
    assert sorted(drawn) == sorted(
        (t.source, str(t.label), t.target, kind)
        for kind, transitions in (("forward", made.forward), ("backward", made.backward))
        for t in transitions
    )


def test_a_picture_is_as_wide_as_the_sentence_above_a_rule() -> None:
    said = "Nobody ever opens the door of the shop before the alarm is off and the guard is gone."
    text = f'rules:\n  - {{id: doors, description: "{said}", never: "a -> b : m"}}\n'
    loaded = parse_document(text, "rules.yaml").property
    assert loaded is not None
    drawing = automaton_picture(loaded.automaton).drawing
    texts = [shape for shape in drawing.shapes if isinstance(shape, Text)]
    heading = next(shape for shape in texts if said[:20] in shape.content)
    assert heading.at.x + text_width(heading.content) <= drawing.width
