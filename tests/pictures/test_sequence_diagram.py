from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from examples_to_draw import Area, area_of, texts, titled, written
from interactions_to_draw import (
    DEEP,
    FIGURE_2,
    a,
    looped,
    nested,
    passing,
    random_interactions,
)

from choreomon.core.errors import ChoreomonError
from choreomon.interaction.lifelines import mask
from choreomon.interaction.normal import normal
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    act,
    alt,
    coreg,
    loop_c,
    loop_h,
    loop_p,
    loop_s,
    loop_w,
    par,
    seq,
    strict,
)
from choreomon.pictures.interactions import sequence_diagram_parts
from choreomon.pictures.interactions.sequence_diagram import sequence_diagram
from choreomon.pictures.interactions.sequence_diagram_parts import (
    FrameEnd,
    FrameStart,
    Message,
    NextOperand,
    Nothing,
    Part,
    message_passings,
    parts_of,
)
from choreomon.pictures.shapes.drawing import Box, Circle, Drawing, Polyline, Text, flattened


def arrows(term: Interaction) -> list[tuple[str | None, str, list[str]]]:
    return [
        (arrow["from"], arrow["message"], arrow["to"])
        for arrow in sequence_diagram(term).structure["arrows"]
    ]


def fragments(term: Interaction) -> list[tuple[str, list[str], list[bool]]]:
    return [
        (frame["label"], frame["lifelines"], [one["empty"] for one in frame["operands"]])
        for frame in sequence_diagram(term).structure["fragments"]
    ]


def test_figure_2_of_the_slices_paper_is_drawn_with_its_fragments_and_its_co_region() -> None:
    structure = sequence_diagram(FIGURE_2).structure
    assert structure["lifelines"] == ["l1", "l2", "l3"]
    assert [
        (arrow["row"], arrow["from"], arrow["message"], arrow["to"])
        for arrow in structure["arrows"]
    ] == [
        (0, "l1", "m1", ["l2", "l3"]),
        (2, "l1", "m2", ["l2"]),
        (3, "l2", "m3", ["l3"]),
        (4, "l3", "m4", ["l2"]),
        (5, "l2", "m5", ["l3"]),
    ]
    assert structure["rows"] == 6
    every = ["l1", "l2", "l3"]
    found = [
        tuple(frame[key] for key in ("label", "lifelines", "first_row", "last_row", "parent"))
        for frame in structure["fragments"]
    ]
    assert found == [
        ("coreg(l2)", every, 0, 3, None),
        ("alt", every, 0, 1, 0),
        ("loopW", every, 2, 3, 0),
        ("alt", every, 2, 3, 2),
        ("loopP", ["l2", "l3"], 4, 5, None),
    ]
    assert [frame["unordered"] for frame in structure["fragments"]] == [["l2"], [], [], [], []]
    assert structure["fragments"][1]["operands"] == [
        {"first_row": 0, "last_row": 0, "empty": False},
        {"first_row": 1, "last_row": 1, "empty": True},
    ]


def test_only_an_emission_directly_before_its_receptions_is_a_message_passing() -> None:
    assert arrows(strict(a("x!m"), a("y?m"))) == [("x", "m", ["y"])]
    assert arrows(strict(a("x!m"), seq(a("y?m"), a("z?m")))) == [("x", "m", ["y", "z"])]
    assert arrows(strict(a("x!m"), a("x?m"))) == [("x", "m", ["x"])]
    both = [("x", "m", []), (None, "m", ["y"])]
    assert arrows(seq(a("x!m"), a("y?m"))) == both
    assert arrows(strict(a("x!m"), a("y?n"))) == [("x", "m", []), (None, "n", ["y"])]
    assert arrows(strict(a("x!m"), a("y!m"))) == [("x", "m", []), ("y", "m", [])]
    assert arrows(strict(a("x!m"), par(a("y?m"), a("z?m"))))[0] == ("x", "m", [])
    assert arrows(strict(a("x!m"), seq(a("y?m"), a("y?m"))))[0] == ("x", "m", [])
    assert arrows(strict(a("x!m"), a("y?m"), a("z?m"))) == [("x", "m", ["y"]), (None, "m", ["z"])]


def test_a_message_passing_has_no_frame_and_what_is_strict_around_it_has_one() -> None:
    assert fragments(passing("x", "m", "y", "z")) == []
    assert fragments(strict(passing("x", "m", "y"), passing("x", "n", "y"))) == [
        ("strict", ["x", "y"], [False, False])
    ]


def test_operands_of_the_same_operator_share_a_frame_whichever_way_they_are_nested() -> None:
    x, y, z = a("l1!x"), a("l2!y"), a("l3!z")
    for operator in (strict, par, alt, seq):
        one = sequence_diagram(operator(operator(x, y), z)).structure
        assert one == sequence_diagram(operator(x, operator(y, z))).structure
        assert len(one["fragments"]) == (operator is not seq)
    regions = coreg(mask(["l1"]), x, coreg(mask(["l2"]), y, z))
    assert [label for label, _, _ in fragments(regions)] == ["coreg(l1)", "coreg(l2)"]


def test_every_loop_is_named_with_its_region() -> None:
    loops = [
        loop_s(a("l1!m")),
        loop_w(a("l1!m")),
        loop_p(a("l1!m")),
        loop_h(a("l1!m")),
        loop_c(mask(["l1", "l2"]), a("l1!m")),
    ]
    assert [fragments(loop)[0][0] for loop in loops] == [
        "loopS",
        "loopW",
        "loopP",
        "loopH",
        "loopC(l1,l2)",
    ]


def test_empty_operands_have_a_row_and_frames_of_nothing_stand_where_they_are() -> None:
    assert fragments(par(EMPTY, a("l1!m"), EMPTY)) == [("par", ["l1"], [True, False, True])]
    assert fragments(seq(a("l1!m"), loop_s(EMPTY))) == [("loopS", [], [True])]
    assert sequence_diagram(seq(EMPTY, a("l1!m"), EMPTY)).structure["rows"] == 1
    empty = sequence_diagram(EMPTY)
    assert empty.structure == {"lifelines": [], "rows": 1, "arrows": [], "fragments": []}
    assert sequence_diagram(loop_s(EMPTY)).structure["rows"] == 1


@pytest.mark.parametrize("lifelines", [[], ["a", "b"]])
def test_a_picture_of_nothing_says_so_in_a_sentence(lifelines: list[str]) -> None:
    drawing = sequence_diagram(EMPTY, lifelines=lifelines).drawing
    assert written(drawing) == [*lifelines, "nothing happens"]
    for text in texts(drawing):
        area = area_of(text)
        assert 0 < area.left < area.right < drawing.width
        assert 0 < area.top < area.bottom < drawing.height
    for other in (a("l1!m"), loop_s(EMPTY)):
        assert "nothing happens" not in written(sequence_diagram(other).drawing)


def test_given_lifelines_come_first_and_are_drawn_without_any_action_too() -> None:
    picture = sequence_diagram(passing("x", "m", "y"), lifelines=["silent", "y"])
    assert picture.structure["lifelines"] == ["silent", "y", "x"]
    assert [word for word in written(picture.drawing) if word != "m"] == ["silent", "y", "x"]


def test_messages_of_the_environment_end_in_a_dot_beside_their_lifeline() -> None:
    drawing = sequence_diagram(seq(a("x!m"), a("x?n"))).drawing
    (out,), (into,) = titled(drawing, "x!m"), titled(drawing, "x?n")
    head = titled(drawing, "lifeline x")[0].shapes[1]
    assert isinstance(head, Text)
    for group, side in ((out, 1), (into, -1)):
        (dot,) = (shape for shape in group.shapes if isinstance(shape, Circle))
        assert (dot.centre.x - head.at.x) * side > 0


def test_a_co_region_has_brackets_on_its_lifelines_that_occur() -> None:
    term = coreg(mask(["l1", "l9"]), passing("l1", "m", "l2"), a("l1?n"))
    assert sequence_diagram(term).structure["fragments"][0]["unordered"] == ["l1"]
    (frame,) = titled(sequence_diagram(term).drawing, "coreg(l1,l9)")
    brackets = [s for s in frame.shapes if isinstance(s, Polyline) and len(s.points) == 4]
    assert len(brackets) == 2


def test_a_long_diagram_repeats_the_names_of_lifelines_at_its_foot() -> None:
    short, long = (nested(DEEP["seq"], depth, False) for depth in (5, 30))
    assert written(sequence_diagram(short).drawing).count("l1") == 1
    assert written(sequence_diagram(long).drawing).count("l1") == 2


@pytest.mark.parametrize("operator", DEEP)
@pytest.mark.parametrize("to_the_left", [True, False])
def test_operators_nested_5000_deep_are_drawn(operator: str, to_the_left: bool) -> None:
    picture = sequence_diagram(nested(DEEP[operator], 5000, to_the_left))
    assert picture.structure["rows"] == 5000
    assert len(picture.structure["fragments"]) == (operator != "seq")


@pytest.mark.parametrize("loop", [loop_s, loop_w, loop_p, loop_h])
def test_frames_nested_deeper_than_the_bound_are_refused_with_words(loop: object) -> None:
    assert callable(loop)
    assert len(sequence_diagram(looped(loop, 200)).structure["fragments"]) == 200
    with pytest.raises(ChoreomonError, match="nests more than 200 frames"):
        sequence_diagram(looped(loop, 5000))


def test_a_term_that_shares_more_than_can_be_drawn_is_refused_with_words() -> None:
    term = a("l1!m")
    for _ in range(60):
        term = seq(term, term)
    with pytest.raises(ChoreomonError, match=r"symbols; at most 20,000"):
        sequence_diagram(term)


# The parts say the same as the term.


def rebuilt(parts: Sequence[Part]) -> Interaction:
    """The interaction that parts show, read from their labels."""

    def operand(parts: Iterator[Part]) -> tuple[Interaction, Part | None]:
        found: list[Interaction] = []
        for part in parts:
            if isinstance(part, (NextOperand, FrameEnd)):
                return seq(*(found or [EMPTY])), part
            if isinstance(part, Message):
                emissions = [act(one) for one in part.actions if one.kind == "!"]
                receptions = [act(one) for one in part.actions if one.kind == "?"]
                together = [*emissions, *([seq(*receptions)] if receptions else [])]
                found.append(strict(*together))
            elif isinstance(part, FrameStart):
                found.append(frame(part, parts))
            else:
                assert isinstance(part, Nothing)
        return seq(*(found or [EMPTY])), None

    def frame(start: FrameStart, parts: Iterator[Part]) -> Interaction:
        operands: list[Interaction] = []
        end: Part | None = NextOperand()
        while isinstance(end, NextOperand):
            one, end = operand(parts)
            operands.append(one)
        assert isinstance(end, FrameEnd)
        name, _, region = start.label.partition("(")
        names = region.rstrip(")").split(",")
        return {
            "strict": lambda: strict(*operands),
            "par": lambda: par(*operands),
            "alt": lambda: alt(*operands),
            "coreg": lambda: coreg(mask(names), *operands),
            "loopS": lambda: loop_s(operands[0]),
            "loopW": lambda: loop_w(operands[0]),
            "loopP": lambda: loop_p(operands[0]),
            "loopH": lambda: loop_h(operands[0]),
            "loopC": lambda: loop_c(mask(names), operands[0]),
        }[name]()

    return operand(iter(parts))[0]


def parts_say_what_the_term_says(terms: Sequence[Interaction]) -> bool:
    return all(normal(rebuilt(parts_of(term))) is normal(term) for term in terms)


RANDOM = random_interactions(3, 150)


def test_the_interaction_can_be_read_back_from_its_parts() -> None:
    assert parts_say_what_the_term_says(RANDOM)


def test_joining_operands_of_different_regions_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def joined(term: Interaction) -> list[Interaction]:
        found: list[Interaction] = []
        pending = [term]
        while pending:
            top = pending.pop()
            if top.operator is term.operator and top.left is not None:
                pending += [one for one in (top.right, top.left) if one is not None]
            else:
                found.append(top)
        return found

    monkeypatch.setattr(sequence_diagram_parts, "operands_of", joined)
    assert not parts_say_what_the_term_says(RANDOM)


def test_message_passings_are_those_of_the_arrows() -> None:
    assert message_passings(FIGURE_2) == {
        ("l1", "m1", "l2"),
        ("l1", "m1", "l3"),
        ("l1", "m2", "l2"),
        ("l2", "m3", "l3"),
        ("l3", "m4", "l2"),
        ("l2", "m5", "l3"),
    }


# Nothing covers anything else.


def crossed_texts(drawing: Drawing) -> list[str]:
    """The texts that cross a line which is not hidden below the box in which they stand, other
    texts, or the edge of the picture."""
    shapes = list(flattened(drawing.shapes))
    wrong: list[str] = []
    for number, shape in enumerate(shapes):
        if not isinstance(shape, Text):
            continue
        area = area_of(shape)
        boxes = [
            place
            for place, box in enumerate(shapes[:number])
            if isinstance(box, Box)
            and box.at.x <= area.left + 1
            and box.at.y <= area.top
            and box.at.x + box.width >= area.right - 1
            and box.at.y + box.height >= area.bottom
        ]
        hidden_before = max(boxes, default=0)
        for place, line in enumerate(shapes):
            if isinstance(line, Polyline) and place >= hidden_before:
                for start, end in zip(line.points, line.points[1:], strict=False):
                    way = Area(
                        min(start.x, end.x) - 0.1,
                        min(start.y, end.y) - 0.1,
                        max(start.x, end.x) + 0.1,
                        max(start.y, end.y) + 0.1,
                    )
                    if area.overlaps(way):
                        wrong.append(f"{shape.content} crosses a line")
            if isinstance(line, Text) and place != number and area.overlaps(area_of(line)):
                wrong.append(f"{shape.content} covers {line.content}")
        if area.left < 0 or area.right > drawing.width or area.bottom > drawing.height:
            wrong.append(f"{shape.content} leaves the picture")
    return wrong


@pytest.mark.parametrize("number", range(0, 150, 2))
def test_no_text_crosses_a_line_or_another_text(number: int) -> None:
    assert crossed_texts(sequence_diagram(RANDOM[number]).drawing) == []


def test_gaps_without_room_for_names_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    term = seq(passing("l1", "a_message_with_a_name", "l2"), a("l2?and_another_long_name"))
    assert crossed_texts(sequence_diagram(term).drawing) == []
    monkeypatch.setattr(
        "choreomon.pictures.interactions.sequence_diagram_layout.name_width", lambda message: 0.0
    )
    assert crossed_texts(sequence_diagram(term).drawing) != []


@pytest.mark.parametrize("number", range(0, 150, 3))
def test_frames_lie_within_the_frames_around_them(number: int) -> None:
    drawing = sequence_diagram(RANDOM[number]).drawing
    fragments = sequence_diagram(RANDOM[number]).structure["fragments"]
    outlines: list[Area] = []
    for group in titled(drawing, ""):
        if group.title.endswith(" fragment"):
            (outline,) = (s for s in group.shapes if isinstance(s, Polyline) and len(s.points) == 5)
            (left, top), _, (right, bottom) = outline.points[:3]
            outlines.append(Area(left, top, right, bottom))
    assert len(outlines) == len(fragments)
    for own, fragment in zip(outlines, fragments, strict=True):
        if fragment["parent"] is not None:
            around = outlines[fragment["parent"]]
            assert around.left < own.left
            assert own.right < around.right
            assert around.top < own.top
            assert own.bottom < around.bottom
        assert own.left > 0
        assert own.right < drawing.width
