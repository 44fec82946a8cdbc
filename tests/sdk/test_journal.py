"""What becomes of a journal when nobody answers: gaps stand for all that was in them."""

from __future__ import annotations

import pytest

from choreomon.sdk.journal import GAP, Entry, Journal


def journal(*happened: int | None) -> tuple[Journal, list[Entry]]:
    """Of events, and of gaps for so many; and its events."""
    found = Journal()
    for lost in happened:
        if lost is None:
            found.append(Entry("send"))
        else:
            found.lose(lost)
    return found, [entry for entry in found if entry.kind != GAP]


def lost(journal: Journal) -> list[int | None]:
    """As `journal` has it."""
    return [entry.lost if entry.kind == GAP else None for entry in journal]


@pytest.mark.parametrize("happened", [(None, 3, None), (3, None), (None, None, 2), (4,), ()])
def test_one_gap_for_all_stands_for_what_gaps_among_them_stood_for(
    happened: tuple[int | None, ...],
) -> None:
    found, events = journal(*happened)
    assert found.let_go() == events
    assert lost(found) == ([sum(each or 1 for each in happened)] if happened else [])


def test_what_comes_into_doubt_are_events_and_a_gap_stands_for_gaps_among_them_too() -> None:
    found, events = journal(None, 3, None, None)
    for number, entry in enumerate([*found][:3], 1):
        entry.number = number
    assert found.doubt() == events[:2]
    assert lost(found) == [5, None]


def test_what_a_hello_tells_stays_by_itself_and_a_gap_stands_for_all_others() -> None:
    found, events = journal(2, None, None)
    assert found.greet() == 2
    assert found.let_go() == events
    assert lost(found) == [2, 2]
    assert found.greeted() is not None
    assert lost(found) == [2]
