from __future__ import annotations

from examples_to_draw import events
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.run import RunEvent
from choreomon.render.window import Gap, window

LONG = events(*["P1>P2:ping"] * 200)


def shown(items: tuple[RunEvent | Gap, ...]) -> list[int]:
    return [item.index for item in items if isinstance(item, RunEvent)]


def test_a_short_run_is_shown_whole() -> None:
    assert window(LONG[:10], [3], bound=10) == LONG[:10]


def test_the_neighbourhood_of_a_marked_event_is_shown_and_the_rest_is_a_gap() -> None:
    items = window(LONG, [100], bound=5)
    assert items == (Gap(0, 97), *LONG[98:103], Gap(103, 199))


def test_marks_far_apart_have_a_gap_between_them() -> None:
    items = window(LONG, [50, 150], bound=6)
    gaps = [item for item in items if isinstance(item, Gap)]
    assert len(gaps) == 3
    assert {50, 150} <= set(shown(items))


def test_the_sending_of_a_marked_reception_is_shown_however_far_away() -> None:
    run = events("P1>P2:m", *["P2>P3:noise"] * 100, "0!")
    assert 0 in shown(window(run, [101], bound=4))


def test_without_marks_the_beginning_is_shown() -> None:
    assert shown(window(LONG, [], bound=4)) == [0, 1, 2, 3]


def test_a_gap_of_a_few_events_is_filled() -> None:
    assert shown(window(LONG, [10, 14], bound=2)) == [10, 11, 12, 13, 14]


def test_a_stretch_that_is_little_longer_than_a_gap_is_shown() -> None:
    assert shown(window(LONG, [10, 19], bound=6)) == list(range(9, 21))
    assert Gap(12, 18) in window(LONG, [10, 20], bound=6)


def test_short_stretches_do_not_more_than_double_what_is_shown() -> None:
    highlights = range(0, 199, 6)
    assert shown(window(LONG[:199], highlights, bound=10)) == list(highlights)
    assert 30 < len(shown(window(LONG[:199], highlights, bound=20))) <= 40


def test_the_other_ends_of_the_messages_of_marked_events_are_shown_beyond_the_bound() -> None:
    run = events("P1>P2:m", *["P2>P3:noise"] * 100, "0!", *["P2>P3:noise"] * 100)
    assert {0, 101} <= set(shown(window(run, [0], bound=1)))
    assert {0, 101} <= set(shown(window(run, [101], bound=1)))


def test_what_a_marked_sending_answers_is_shown_with_where_that_was_sent() -> None:
    noise = ["P3>P1:noise"] * 50
    run = events("P1>P2:ask", *noise, "0!", *noise, "P2>P1:answer", *noise)
    assert {0, 51, 102} <= set(shown(window(run, [102], bound=10)))
    assert 0 not in shown(window(run, [103], bound=10))


@given(st.sets(st.integers(0, 199), max_size=6), st.integers(1, 40))
def test_window_and_gaps_cover_the_run_once_and_marks_are_always_shown(
    highlights: set[int], bound: int
) -> None:
    items = window(LONG, highlights, bound)
    covered = [
        index
        for item in items
        for index in (range(item.first, item.last + 1) if isinstance(item, Gap) else [item.index])
    ]
    assert covered == list(range(200))
    assert highlights <= set(shown(items))


def test_a_gap_names_its_events() -> None:
    assert [str(Gap(0, 812)), str(Gap(7, 7)), str(Gap(1000, 2000))] == ["0–812", "7", "1,000–2,000"]
