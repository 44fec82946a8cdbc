"""What happens when, in virtual time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simulator.agenda import APPLICATION, MONITORING, Agenda, Rank

ranks: st.SearchStrategy[Rank] = st.sampled_from((APPLICATION, MONITORING))


@given(st.lists(st.tuples(st.integers(0, 5), ranks)))
def test_order_is_by_time_then_application_first_then_as_scheduled(
    entries: list[tuple[int, Rank]],
) -> None:
    agenda = Agenda()
    done: list[tuple[int, Rank, int]] = []
    for number, (time, rank) in enumerate(entries):
        agenda.schedule_of(rank)(time, done.append, (time, rank, number))
    agenda.run()
    assert done == sorted((time, rank, number) for number, (time, rank) in enumerate(entries))
    assert len(agenda) == 0


def test_what_is_scheduled_meanwhile_for_now_keeps_the_same_rule() -> None:
    """At one time the application goes on until it is quiet, then monitoring."""
    agenda = Agenda()
    application, monitoring = agenda.schedule_of(APPLICATION), agenda.schedule_of(MONITORING)
    done: list[str] = []

    def first(_: None) -> None:
        done.append("first")
        monitoring(5, done.append, "monitor")
        application(5, done.append, "third")

    application(5, first, None)
    application(5, done.append, "second")
    monitoring(5, done.append, "earlier monitor")
    application(6, done.append, "last")
    agenda.run()
    assert done == ["first", "second", "third", "earlier monitor", "monitor", "last"]


def test_now_is_the_time_of_what_is_done() -> None:
    agenda = Agenda()
    times: list[int] = []
    for time in (30, 10, 20):
        agenda.schedule_of(APPLICATION)(time, lambda _: times.append(agenda.now), None)
    assert agenda.now == 0
    agenda.run()
    assert times == [10, 20, 30]
    assert agenda.now == 30


def test_one_step_does_one_thing() -> None:
    agenda = Agenda()
    done: list[str] = []
    agenda.schedule_of(MONITORING)(2, done.append, "b")
    agenda.schedule_of(APPLICATION)(1, done.append, "a")
    assert agenda.step()
    assert (done, agenda.now, len(agenda)) == (["a"], 1, 1)
    assert agenda.step()
    assert not agenda.step()
    assert done == ["a", "b"]


@given(st.lists(st.tuples(st.integers(0, 9), ranks)))
def test_dropping_a_rank_leaves_the_other_in_order(entries: list[tuple[int, Rank]]) -> None:
    agenda = Agenda()
    done: list[tuple[int, Rank]] = []
    for time, rank in entries:
        agenda.schedule_of(rank)(time, done.append, (time, rank))
    agenda.drop(APPLICATION)
    agenda.run()
    assert done == sorted(entry for entry in entries if entry[1] == MONITORING)
