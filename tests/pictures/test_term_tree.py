from __future__ import annotations

import pytest
from examples_to_draw import Area, written
from interactions_to_draw import DEEP, FIGURE_2, a, nested, random_interactions

from choreomon.core.errors import ChoreomonError
from choreomon.interaction.step import subterm
from choreomon.interaction.term import EMPTY, Interaction, loop_s, operator_name, seq, strict
from choreomon.pictures.interactions import term_tree as module
from choreomon.pictures.interactions.term_tree import term_tree
from choreomon.pictures.shapes.drawing import Box, Drawing, flattened


def positions(term: Interaction) -> dict[str, str]:
    """The label at every position in Dewey notation, from the structure."""
    found: list[str] = []
    labels: dict[str, str] = {}
    for node in term_tree(term).structure["nodes"]:
        at = "" if node["parent"] is None else f"{found[node['parent']]}{node['operand']}"
        found.append(at)
        labels[at] = node["label"]
    return labels


def test_figure_2_of_the_slices_paper_as_a_term() -> None:
    labels = positions(FIGURE_2)
    assert labels[""] == "seq"
    assert labels["1"] == "coreg(l2)"
    assert labels["111"] == "l1 -- m1 -> (l2,l3)"
    assert labels["112"] == "o"
    assert labels["2"] == "loopP"
    assert FIGURE_2.size == 25
    assert len(labels) == 25 - 4 * sum(" -> (" in label for label in labels.values()) - 2 * sum(
        " -> l" in label for label in labels.values()
    )


@pytest.mark.parametrize("term", random_interactions(5, 40), ids=str)
def test_every_place_of_the_term_is_a_node_or_within_a_message(term: Interaction) -> None:
    labels = positions(term)
    size = 0
    for position, label in labels.items():
        there = subterm(term, position)
        if " -- " in label:
            size += there.size
            assert operator_name(there) == "strict"
            assert f"{label.partition(' ')[0]}!" in str(there.left)
            continue
        size += 1
        assert label == (operator_name(there) if there.action is None else str(there.action))
    assert size == term.size


@pytest.mark.parametrize(
    ("term", "labels"),
    [
        (strict(a("a!m"), a("b?m")), ["a -- m -> b"]),
        (strict(a("a!m"), seq(a("b?m"), a("c?m"))), ["a -- m -> (b,c)"]),
        (strict(a("a!m"), a("b?n")), ["strict", "a!m", "b?n"]),
        (seq(a("a!m"), a("b?m")), ["seq", "a!m", "b?m"]),
        (strict(a("b?m"), a("a!m")), ["strict", "b?m", "a!m"]),
        (a("a!m"), ["a!m"]),
    ],
)
def test_a_message_is_one_leaf(term: Interaction, labels: list[str]) -> None:
    assert written(term_tree(term).drawing) == labels


def overlapping_boxes(drawing: Drawing) -> int:
    boxes = [
        Area(box.at.x, box.at.y, box.at.x + box.width, box.at.y + box.height)
        for box in flattened(drawing.shapes)
        if isinstance(box, Box)
    ]
    assert all(box.left >= 0 and box.right <= drawing.width for box in boxes)
    assert all(box.top >= 0 and box.bottom <= drawing.height for box in boxes)
    return sum(one.overlaps(other) for number, one in enumerate(boxes) for other in boxes[:number])


def test_no_two_nodes_overlap() -> None:
    for term in random_interactions(6, 60):
        assert overlapping_boxes(term_tree(term).drawing) == 0


def test_nodes_that_are_narrower_in_the_layout_than_in_the_picture_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terms = random_interactions(6, 10)
    middles = module.middles_of

    def squeezed(nodes: list[module._Node]) -> list[float]:
        return middles([node._replace(label="o") for node in nodes])

    monkeypatch.setattr(module, "middles_of", squeezed)
    noticed = 0
    for term in terms:
        try:
            noticed += overlapping_boxes(term_tree(term).drawing) > 0
        except AssertionError:
            noticed += 1
    assert noticed


@pytest.mark.parametrize("to_the_left", [True, False])
def test_terms_5000_deep_are_drawn(to_the_left: bool) -> None:
    term = nested(DEEP["strict"], 5000, to_the_left)
    assert max(n["level"] for n in term_tree(term).structure["nodes"]) == 4999


def test_the_empty_interaction_is_one_node() -> None:
    assert written(term_tree(EMPTY).drawing) == ["o"]


def test_a_loop_stands_above_the_middle_of_its_body() -> None:
    loop, body, *_ = term_tree(loop_s(seq(a("l1!m"), a("l2!m")))).structure["nodes"]
    assert loop["x"] == body["x"]


def test_a_term_that_shares_more_than_can_be_drawn_is_refused_with_words() -> None:
    term = a("l1!m")
    for _ in range(60):
        term = seq(term, term)
    with pytest.raises(ChoreomonError, match=r"symbols; at most 20,000"):
        term_tree(term)
