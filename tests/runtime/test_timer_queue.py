"""What is due about events after a fixed time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from choreomon.runtime.timer_queue import TimerQueue

steps = st.lists(st.tuples(st.floats(0, 0.1), st.booleans()), max_size=60)


def test_an_event_is_due_after_the_wait() -> None:
    timeline = TimerQueue(1.0)
    timeline.add(3, 10.0)
    assert timeline.due == 11.0
    assert not timeline.passed(10.9)
    assert 3 in timeline.passed(11.0)
    assert not timeline.passed(20.0)
    assert timeline.due is None


def test_what_is_kept_grows_with_time_and_not_with_events() -> None:
    timeline = TimerQueue(60.0)
    for count in range(1, 100_001):
        timeline.add(count, count / 10_000)
    assert len(timeline) <= 10 / 0.02 + 1


@given(steps)
def test_every_event_is_due_once_neither_before_its_time_nor_much_later(
    course: list[tuple[float, bool]],
) -> None:
    """`moment` late at most, where somebody looks at each due time."""
    timeline = TimerQueue(0.5, moment=0.02)
    now, count = 0.0, 0
    added: dict[int, float] = {}
    found: dict[int, float] = {}

    def look(until: float) -> None:
        while timeline.due is not None and timeline.due <= until:
            at = timeline.due
            for each in timeline.passed(at):
                assert each not in found
                found[each] = at

    for wait, happens in course:
        now += wait
        look(now)
        if happens:
            count += 1
            added[count] = now
            timeline.add(count, now)
    look(now + 1.0)
    assert found.keys() == added.keys()
    for each, at in found.items():
        assert added[each] + 0.5 <= at + 1e-9
        assert at <= added[each] + 0.5 + 0.02 + 1e-9
