"""What happens when, in virtual time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simulator.event_queue import APPLICATION, MONITORING, EventQueue, Rank

ranks: st.SearchStrategy[Rank] = st.sampled_from((APPLICATION, MONITORING))


@given(st.lists(st.tuples(st.integers(0, 5), ranks)))
def test_order_is_by_time_then_application_first_then_as_scheduled(
    entries: list[tuple[int, Rank]],
) -> None:
    queue = EventQueue()
    done: list[tuple[int, Rank, int]] = []
    for number, (time, rank) in enumerate(entries):
        queue.schedule_of(rank)(time, done.append, (time, rank, number))
    queue.run()
    assert done == sorted((time, rank, number) for number, (time, rank) in enumerate(entries))
    assert len(queue) == 0


def test_what_is_scheduled_meanwhile_for_now_keeps_the_same_rule() -> None:
    """At one time the application goes on until it is quiet, then monitoring."""
    queue = EventQueue()
    application, monitoring = (
        queue.schedule_of(APPLICATION),
        queue.schedule_of(MONITORING),
    )
    done: list[str] = []

    def first(_: None) -> None:
        done.append("first")
        monitoring(5, done.append, "monitor")
        application(5, done.append, "third")

    application(5, first, None)
    application(5, done.append, "second")
    monitoring(5, done.append, "earlier monitor")
    application(6, done.append, "last")
    queue.run()
    assert done == ["first", "second", "third", "earlier monitor", "monitor", "last"]


def test_now_is_the_time_of_what_is_done() -> None:
    queue = EventQueue()
    times: list[int] = []
    for time in (30, 10, 20):
        queue.schedule_of(APPLICATION)(time, lambda _: times.append(queue.now), None)
    assert queue.now == 0
    queue.run()
    assert times == [10, 20, 30]
    assert queue.now == 30


def test_one_step_does_one_thing() -> None:
    queue = EventQueue()
    done: list[str] = []
    queue.schedule_of(MONITORING)(2, done.append, "b")
    queue.schedule_of(APPLICATION)(1, done.append, "a")
    assert queue.step()
    assert (done, queue.now, len(queue)) == (["a"], 1, 1)
    assert queue.step()
    assert not queue.step()
    assert done == ["a", "b"]


@given(st.lists(st.tuples(st.integers(0, 9), ranks)))
def test_dropping_a_rank_leaves_the_other_in_order(entries: list[tuple[int, Rank]]) -> None:
    queue = EventQueue()
    done: list[tuple[int, Rank]] = []
    for time, rank in entries:
        queue.schedule_of(rank)(time, done.append, (time, rank))
    queue.drop(APPLICATION)
    queue.run()
    assert done == sorted(entry for entry in entries if entry[1] == MONITORING)
