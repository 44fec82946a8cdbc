from __future__ import annotations

from dataclasses import replace

from examples_to_draw import events, label
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.run import RunEvent
from choreomon.pictures.space_time.window import Gap, View, kept_events, window
from choreomon.sentences.known_order import known_order

LONG = events(*["P1>P2:ping"] * 200)


def shown(items: tuple[RunEvent | Gap, ...]) -> list[int]:
    return [item.index for item in items if isinstance(item, RunEvent)]


def test_a_short_run_is_shown_whole() -> None:
    assert window(LONG[:10], [3], View(bound=10)) == LONG[:10]


def test_the_neighbourhood_of_a_marked_event_is_shown_and_the_rest_is_a_gap() -> None:
    items = window(LONG, [100], View(bound=5))
    assert items == (Gap(0, 97), *LONG[98:103], Gap(103, 199))


def test_marks_far_apart_have_a_gap_between_them() -> None:
    items = window(LONG, [50, 150], View(bound=6))
    gaps = [item for item in items if isinstance(item, Gap)]
    assert len(gaps) == 3
    assert {50, 150} <= set(shown(items))


def test_the_sending_of_a_marked_reception_is_shown_however_far_away() -> None:
    run = events("P1>P2:m", *["P2>P3:noise"] * 100, "0!")
    assert 0 in shown(window(run, [101], View(bound=4)))


def test_without_marks_the_beginning_is_shown() -> None:
    assert shown(window(LONG, [], View(bound=4))) == [0, 1, 2, 3]


def test_a_gap_of_a_few_events_is_filled() -> None:
    assert shown(window(LONG, [10, 14], View(bound=2))) == [10, 11, 12, 13, 14]


def test_a_stretch_that_is_little_longer_than_a_gap_is_shown() -> None:
    assert shown(window(LONG, [10, 19], View(bound=6))) == list(range(9, 21))
    assert Gap(12, 18) in window(LONG, [10, 20], View(bound=6))


def test_short_stretches_do_not_more_than_double_what_is_shown() -> None:
    highlights = range(0, 199, 6)
    assert shown(window(LONG[:199], highlights, View(bound=10))) == list(highlights)
    assert 30 < len(shown(window(LONG[:199], highlights, View(bound=20)))) <= 40


def test_the_other_ends_of_the_messages_of_marked_events_are_shown_beyond_the_bound() -> None:
    run = events("P1>P2:m", *["P2>P3:noise"] * 100, "0!", *["P2>P3:noise"] * 100)
    assert {0, 101} <= set(shown(window(run, [0], View(bound=1))))
    assert {0, 101} <= set(shown(window(run, [101], View(bound=1))))


def test_what_a_marked_sending_answers_is_shown_with_where_that_was_sent() -> None:
    noise = ["P3>P1:noise"] * 50
    run = events("P1>P2:ask", *noise, "0!", *noise, "P2>P1:answer", *noise)
    assert {0, 51, 102} <= set(shown(window(run, [102], View(bound=10))))
    assert 0 not in shown(window(run, [103], View(bound=10)))


@given(st.sets(st.integers(0, 199), max_size=6), st.integers(1, 40))
def test_window_and_gaps_cover_the_run_once_and_marks_are_always_shown(
    highlights: set[int], bound: int
) -> None:
    items = window(LONG, highlights, View(bound=bound))
    covered = [
        index
        for item in items
        for index in (range(item.first, item.last + 1) if isinstance(item, Gap) else [item.index])
    ]
    assert covered == list(range(200))
    assert highlights <= set(shown(items))


def test_a_gap_names_its_events() -> None:
    assert [str(Gap(0, 812)), str(Gap(7, 7)), str(Gap(1000, 2000))] == ["0–812", "7", "1,000–2,000"]


def test_what_the_property_names_and_what_verdicts_are_about_is_shown_wherever_it_is() -> None:
    run = events(*["P1>P2:ping"] * 90, "P2>P3:named", *["P1>P2:ping"] * 90)
    kept = kept_events(run, [label("P2 -> P3 : named")], [30])
    assert kept == {30, 90}
    assert {0, 30, 90} <= set(shown(window(run, [0], View(bound=3, kept=kept))))


def test_of_too_many_kept_events_the_nearest_are_shown() -> None:
    view = View(bound=1, kept=frozenset(range(0, 200, 10)), most=3)
    assert {90, 100, 110} <= set(shown(window(LONG, [101], view)))
    assert len(shown(window(LONG, [101], view))) == 3 + 1


def test_everything_and_a_stretch_are_what_is_asked_for() -> None:
    assert shown(window(LONG, [7], View(everything=True))) == list(range(200))
    assert window(LONG, [7], View(stretch=(10, 12))) == (Gap(0, 9), *LONG[10:13], Gap(13, 199))
    assert shown(window(LONG[:5], [], View(stretch=(1, 2)))) == [1, 2]


@st.composite
def runs(draw: st.DrawFn) -> tuple[RunEvent, ...]:
    """Messages among four processes; some are handled later, some never."""
    script: list[str] = []
    under_way: list[int] = []
    for step in draw(st.lists(st.integers(0, 15), min_size=20, max_size=60)):
        if step < 8 and under_way:
            script.append(f"{under_way.pop(step % len(under_way))}!")
        else:
            under_way.append(len(script))
            script.append(f"P{step % 4}>P{(step % 4 + 1 + step // 4 % 3) % 4}:m")
    return events(*script)


def orders(run: tuple[RunEvent, ...], seen: set[int], marks: set[int]) -> set[tuple[int, int]]:
    """Which mark happened before which, as far as can be seen by the events in `seen`: each event
    is before the next one of its process, and a sending before its handling."""
    before: dict[int, set[int]] = {}
    last: dict[str, int] = {}
    for event in run:
        if event.index not in seen:
            continue
        causes = [last.get(event.process), event.sent_at]
        known = [cause for cause in causes if cause is not None and cause in seen]
        before[event.index] = set(known).union(*(before[cause] for cause in known))
        last[event.process] = event.index
    return {(one, other) for other in marks for one in before[other] & marks}


@given(runs(), st.sets(st.integers(0, 19), min_size=1, max_size=5))
def test_what_orders_two_marked_events_is_shown(run: tuple[RunEvent, ...], marks: set[int]) -> None:
    seen = set(shown(window(run, marks, View(bound=1))))
    assert orders(run, seen, marks) == orders(run, set(range(len(run))), marks)


@given(runs(), st.integers(0, 19), st.integers(0, 19))
def test_what_explanations_name_between_two_marked_events_is_shown(
    run: tuple[RunEvent, ...], one: int, other: int
) -> None:
    seen = shown(window(run, {one, other}, View(bound=1)))
    chain = known_order(run, (), min(one, other), max(one, other)) or ()
    assert {end for hop in chain for end in (hop.sent[0], hop.taken[0])} <= {*seen}


def test_what_happens_to_another_order_is_neither_kept_nor_a_neighbour() -> None:
    run = tuple(
        replace(event, values=(("order", str(event.index % 10)), ("tenant", "t"))) for event in LONG
    )
    items = window(run, [103, 153], View(bound=8, kept=frozenset(range(0, 200, 11))))
    same = [index for index in shown(items) if index % 10 == 3]
    # What is in none of the gaps stands between two that are shown.
    assert [index for index in shown(items) if index % 10 != 3] == []
    assert {33, 143} < {*same}
    assert len(same) == 8
    assert len(shown(window(run, [103, 154], View(bound=8)))) == 8


def test_events_without_values_are_neighbours_of_all() -> None:
    run = tuple(
        replace(event, values=(("order", "7"),)) if event.index == 100 else event for event in LONG
    )
    assert shown(window(run, [100], View(bound=5))) == [98, 99, 100, 101, 102]
