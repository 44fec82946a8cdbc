from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from examples_to_draw import area_of, texts, titled, written
from interactions_to_draw import FIGURE_2

from choreomon.core.action import Action, parse_action
from choreomon.multitrace.multitrace import component
from choreomon.pictures.interactions.failure_diagram import ComponentReached, failure_diagram
from choreomon.pictures.interactions.sequence_diagram_parts import Message, message_passings
from choreomon.pictures.interactions.witness_diagram import MAX_ROWS, witness_diagram, witness_rows
from choreomon.pictures.shapes.drawing import VIOLATED, Circle, Drawing, Polyline
from choreomon.terminal.explanation_sentences import (
    failure_sentences,
    other_readings_sentence,
    witness_sentences,
)


def trace(text: str) -> list[tuple[Action, bool]]:
    """Actions, those in parentheses unobserved."""
    return [(parse_action(one.strip("()")), not one.startswith("(")) for one in text.split()]


def actions(text: str) -> list[Action]:
    return [action for action, _ in trace(text)]


def reached(name: str, text: str, position: int, allowed: str = "") -> ComponentReached:
    return ComponentReached(
        component(name.split(","), actions(text)), position, tuple(actions(allowed))
    )


def covered(drawing: Drawing) -> bool:
    return any(area_of(one).overlaps(area_of(two)) for one, two in combinations(texts(drawing), 2))


WITNESS = trace("l1!m1 (l2?m1) l3?m1 (l3!m4) l2!m3 l3?m3 (l2?m4) (l1!m2) (l2?m2)")


def test_actions_are_joined_to_arrows_where_the_interaction_passes_that_message() -> None:
    structure = witness_diagram(WITNESS, passings=message_passings(FIGURE_2)).structure
    found = [
        (one["row"], one["from"], one["message"], one["to"], one["received_in"], one["observed"])
        for one in structure["arrows"]
    ]
    assert found == [
        (0, "l1", "m1", ["l2", "l3"], [0, 0], [True, False, True]),
        (1, "l3", "m4", ["l2"], [3], [False, False]),
        (2, "l2", "m3", ["l3"], [2], [True, True]),
        (4, "l1", "m2", ["l2"], [4], [False, False]),
    ]


def rows(text: str) -> list[str]:
    """What is in each row, as `witness_rows` puts it: receptions with the rows where they are."""
    passings = frozenset({("a", "m", "b"), ("a", "m", "c"), ("a", "n", "c"), ("d", "m", "b")})
    written = []
    for number, row in enumerate(witness_rows(trace(text), passings)):
        if not isinstance(row, Message):
            written.append("")
            continue
        received = [f"{one.lifeline}:{number + one.delay}" for one in row.receptions]
        written.append(" ".join((f"{row.sender} {row.message}", *received)))
    return written


def test_what_is_joined_is_one_message_and_reaches_each_lifeline_once() -> None:
    assert rows("a!m b?m b?m") == ["a m b:0", "None m b:1"]
    assert rows("a!m c?n") == ["a m", "None n c:1"]
    assert rows("b?m c?m") == ["None m b:0", "None m c:1"]
    assert rows("a!m c?m b?m") == ["a m c:0 b:0"]


def test_a_message_is_received_in_the_row_where_its_reception_is() -> None:
    assert rows("a!m c?k b?m") == ["a m b:2", "None k c:1", ""]
    assert rows("a!m b?m c?k c?m") == ["a m b:0 c:2", "None k c:1", ""]


def test_of_equal_messages_the_first_one_that_may_be_it_arrives_first() -> None:
    assert rows("a!m a!m b?m b?m") == ["a m b:2", "a m b:3", "", ""]
    assert rows("d!m a!m c?m b?m b?m") == ["d m b:2", "a m c:1 b:3", "", ""]


def test_without_an_interaction_nobody_knows_who_sent_what_was_received() -> None:
    found = [row for row in witness_rows(WITNESS) if isinstance(row, Message)]
    assert [len(row.actions) for row in found] == [1] * len(WITNESS)


def test_every_action_of_a_witness_is_in_one_row_in_its_order() -> None:
    for passings in (frozenset[tuple[str, str, str]](), message_passings(FIGURE_2)):
        again = [
            (number + delay, action, observed)
            for number, row in enumerate(witness_rows(WITNESS, passings))
            if isinstance(row, Message)
            for action, observed, delay in zip(
                row.actions,
                row.observed,
                (*([] if row.sender is None else [0]), *(one.delay for one in row.receptions)),
                strict=True,
            )
        ]
        assert [pair for _, *pair in sorted(again, key=lambda one: one[0])] == [
            [*pair] for pair in WITNESS
        ]


def test_a_message_that_arrives_later_is_a_slanted_arrow_between_its_lifelines() -> None:
    drawing = witness_diagram(
        trace("a!m c?k (b?m)"), passings=frozenset({("a", "m", "b")}), lifelines=("a", "b", "c")
    ).drawing
    (group,) = titled(drawing, "a!m, b?m (not observed)")
    first, second = (shape for shape in group.shapes if isinstance(shape, Polyline))
    assert (first.dashed, second.dashed) == (False, True)
    assert first.points[1] == second.points[0]
    assert first.points[0].y < first.points[1].y < second.points[1].y
    assert first.points[0].x < first.points[1].x < second.points[1].x
    assert not [shape for shape in group.shapes if isinstance(shape, Circle)]
    (outside,) = titled(drawing, "c?k")
    assert [shape for shape in outside.shapes if isinstance(shape, Circle)]


def test_a_message_to_its_own_sender_that_arrives_later_leads_back_to_its_line() -> None:
    drawing = witness_diagram(
        trace("a!m a?k a?m"), passings=frozenset({("a", "m", "a")}), lifelines=("a",)
    ).drawing
    (group,) = titled(drawing, "a!m, a?m")
    points = [p for shape in group.shapes if isinstance(shape, Polyline) for p in shape.points]
    assert points[0].x == points[-1].x < points[1].x
    assert points[0].y < points[-1].y


def test_a_message_that_arrives_in_a_row_that_is_not_drawn_runs_out_of_the_picture() -> None:
    text = "a!m " + "c!k " * MAX_ROWS + "b?m"
    picture = witness_diagram(trace(text), passings=frozenset({("a", "m", "b")}))
    assert picture.structure["arrows"][0]["received_in"] == [MAX_ROWS + 1]
    (group,) = titled(picture.drawing, "a!m, b?m")
    *_, last = (shape for shape in group.shapes if isinstance(shape, Polyline))
    assert last.points[1].y < picture.drawing.height
    assert len(titled(picture.drawing, "a!m, b?m")[0].shapes) == 3, "no arrowhead"


def test_lifelines_of_a_witness_keep_the_order_that_they_are_given() -> None:
    picture = witness_diagram(trace("b!k a!m"), lifelines=("a", "nowhere", "b"))
    assert picture.structure["lifelines"] == ["a", "b"]


def test_what_was_not_observed_is_dashed_and_the_picture_says_what_that_means() -> None:
    drawing = witness_diagram(WITNESS, passings=message_passings(FIGURE_2)).drawing
    (group,) = titled(drawing, "l1!m1, l2?m1 (not observed)")
    lines = [shape for shape in group.shapes if isinstance(shape, Polyline)]
    assert [line.dashed for line in lines] == [False, True, False]
    assert {"observed", "not observed"} <= set(written(drawing))
    assert not covered(drawing)


def test_the_legend_of_a_witness_explains_what_is_in_the_picture() -> None:
    def legend(text: str) -> set[str]:
        passings = frozenset({("l1", "m1", "l2")})
        words = written(witness_diagram(trace(text), passings=passings).drawing)
        return {word for word in words if " " in word or word == "observed"}

    assert legend("l1!m1 l2?m1") == {"observed"}
    assert legend("(l1!m1) (l2?m1)") == {"not observed"}
    assert legend("l1!m1 l2?m1 l2!m2") == {"observed", "to or from the environment"}
    assert legend("l2?m1") == {"observed", "to or from the environment"}
    assert legend("") == {"nothing happens"}


def test_a_long_witness_says_how_many_rows_are_not_drawn() -> None:
    picture = witness_diagram(trace("l1!m") * (MAX_ROWS + 3))
    assert picture.structure["rows"] == MAX_ROWS
    assert picture.structure["rows_left_out"] == 3
    assert "3 further rows not drawn" in written(picture.drawing)


STUCK = (
    reached("l1", "l1!x " * 16, 12, "l1!y l1?a")._replace(rank=1),
    reached("l2,l3", "l2?m1 l3!m4", 2),
    reached("l4", "", 0),
    reached("l5", "l5?a l5!b", 0)._replace(rank=2, sent=actions("l9!a")[0]),
)


def test_each_component_shows_how_far_it_is_explained_and_what_was_allowed() -> None:
    picture = failure_diagram(STUCK)
    assert picture.structure["components"] == [
        {
            "lifelines": ["l1"],
            "length": 16,
            "position": 12,
            "next": "l1!x",
            "allowed": ["l1!y", "l1?a"],
            "drawn": [2, 15],
            "rank": 1,
            "sent": None,
        },
        {
            "lifelines": ["l2", "l3"],
            "length": 2,
            "position": 2,
            "next": None,
            "allowed": [],
            "drawn": [0, 1],
            "rank": None,
            "sent": None,
        },
        {
            "lifelines": ["l4"],
            "length": 0,
            "position": 0,
            "next": None,
            "allowed": [],
            "drawn": None,
            "rank": None,
            "sent": None,
        },
        {
            "lifelines": ["l5"],
            "length": 2,
            "position": 0,
            "next": "l5?a",
            "allowed": [],
            "drawn": [0, 1],
            "rank": 2,
            "sent": "l9!a",
        },
    ]
    words = written(picture.drawing)
    assert {"2 explained actions before", "allowed here: l1!y", "or l1?a"} <= set(words)
    assert {"all explained", "nothing observed", "l9!a is not explained"} <= set(words)
    assert not covered(picture.drawing)


def test_only_the_unexplained_actions_and_what_was_allowed_are_red() -> None:
    red = [t.content for t in texts(failure_diagram(STUCK).drawing) if t.colour == VIOLATED]
    assert red == [
        *("look here first", "l1!x", "allowed here: l1!y", "or l1?a"),
        *("l5?a", "l9!a is not explained"),
    ]
    alone = failure_diagram(STUCK[:2])
    assert "look here first" not in written(alone.drawing), "there is nowhere else to look"


def test_what_may_be_the_error_instead_is_below_the_logs() -> None:
    others = [one.next_action for one in STUCK if one.next_action is not None]
    picture = failure_diagram(STUCK, others)
    assert picture.structure["others"] == ["l1!x", "l5?a"]
    assert "or else the error is l1!x or l5?a" in written(picture.drawing)
    assert not covered(picture.drawing)
    assert failure_diagram(STUCK).structure["others"] == []


def test_what_may_be_the_error_instead_in_words() -> None:
    action = STUCK[0].component.actions[0]
    assert other_readings_sentence([(action, 1, 2)]) == (
        f"Or else the error is {action} (2 actions of 1 log unexplained)."
    )
    several = other_readings_sentence([(action, 2, 5)] * 5)
    assert several.count("5 actions of 2 logs") == 3
    assert several.endswith(" or one of 2 others.")


def test_where_nothing_is_allowed_that_is_said() -> None:
    words = written(failure_diagram([reached("l1", "l1!a", 0)]).drawing)
    assert "no action is allowed here" in words


def test_many_allowed_actions_and_many_actions_behind_are_counted() -> None:
    many = " ".join(f"l1!m{number}" for number in range(20))
    picture = failure_diagram([reached("l1", "l1?x " * 30, 3, many)])
    assert {"or one of 12 others", "22 actions more"} <= set(written(picture.drawing))
    assert len(picture.structure["components"][0]["allowed"]) == 20


def words(sentences: Sequence[str]) -> str:
    return "\n".join(sentences)


def test_a_witness_in_words_has_what_nobody_observed_in_parentheses() -> None:
    assert words(witness_sentences(trace("l1!a (l2?a) l2!b"))) == (
        "Explained by this trace of 3 actions; the one in parentheses was not observed:\n"
        "  l1!a (l2?a) l2!b"
    )
    assert witness_sentences(trace("l1!a l2?a"))[0] == (
        "Explained by this trace of 2 actions, all observed:"
    )
    assert "the 2 in parentheses were not" in witness_sentences(trace("(l1!a) (l2?a)"))[0]
    assert "the 1,001 in parentheses" in witness_sentences(trace("(l1!a)") * 1_001)[0]
    assert words(witness_sentences([])) == (
        "The interaction may stop at once, and nothing was observed."
    )
    _, listed, more = witness_sentences(trace("l1!a") * 205)
    assert listed == "  " + " ".join(["l1!a"] * 200), "the screen alone knows where to break it"
    assert more == "  and 5 further actions"


def test_a_failure_in_words_says_first_where_the_explanation_breaks() -> None:
    assert failure_sentences(STUCK) == [
        "l1: the first 12 of 16 actions are explained; then comes l1!x, but the interaction "
        "allows l1!y or l1?a there.",
        "l5: its first action is l5?a, but l9!a is not explained.",
        "l2, l3: all 2 actions are explained.",
        "l4: nothing was observed.",
    ]
    one = failure_sentences(
        [reached("l1", "l1!a l1!b", 1, "l1!c l1!d l1!e"), reached("l2", "l2!a", 1)]
    )
    assert one == [
        "l1: the first of 2 actions is explained; then comes l1!b, but the interaction allows "
        "l1!c, l1!d or l1!e there.",
        "l2: its only action is explained.",
    ]


def test_a_failure_says_what_is_in_the_way_where_that_is_plain() -> None:
    unknown = reached("l1", "l1!x", 0)._replace(obstacle="lifeline", meant="l2")
    foreign = reached("l2", "l2!x", 0, "l2!y")._replace(obstacle="action", meant="l2!z")
    waiting = reached("l3", "l3!x", 0)._replace(obstacle="others", rank=1)
    begin = ": its first action is "
    assert failure_sentences([waiting, unknown, foreign]) == [
        f"l1{begin}l1!x, but the interaction has no lifeline l1; perhaps l2 was meant.",
        f"l2{begin}l2!x, but the interaction never has it; perhaps l2!z was meant; it allows "
        "l2!y there.",
        f"l3{begin}l3!x, but before it others have to act.",
    ]
    drawing = failure_diagram([unknown, foreign, waiting]).drawing
    assert [text.content for text in texts(drawing) if text.colour == VIOLATED] == [
        *("l1!x", "the interaction has no l1", "perhaps l2 was meant"),
        *("l2!x", "the interaction does not have it", "perhaps l2!z was meant"),
        "allowed here: l2!y",
        *("look here first", "l3!x", "before it, others have to act"),
    ]
    assert not covered(drawing)


def test_of_many_allowed_actions_the_first_are_listed_in_words() -> None:
    names = [f"l1!m{number:02}" for number in range(14)]
    (few,) = failure_sentences([reached("l1", "l1!x", 0, " ".join(names[:12]))])
    assert f"but only {', '.join(names[:11])} or {names[11]} may come first." in few
    (many,) = failure_sentences([reached("l1", "l1!x", 0, " ".join(names))])
    assert f"but only {', '.join(names[:12])} or 2 others may come first." in many
