"""What happens when, on a loop whose time is the test's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from choreomon.deployment.delay_queue import DelayQueue
from choreomon.deployment.precise_loop import precise_loop
from tests.sdk.virtual_time import VirtualTimeLoop


def in_virtual_time(main: Callable[[asyncio.AbstractEventLoop], None], seconds: float) -> None:
    """Calls it on a new loop, and lets so much time go by."""
    loop = VirtualTimeLoop()
    try:
        main(loop)
        loop.run_until_complete(asyncio.sleep(seconds))
    finally:
        loop.close()


@given(st.lists(st.integers(0, 5), max_size=30))
def test_things_happen_in_the_order_of_their_times_and_then_as_they_were_put(
    dues: list[int],
) -> None:
    happened: list[tuple[int, int]] = []

    def main(loop: asyncio.AbstractEventLoop) -> None:
        delay_queue = DelayQueue(loop)
        begun = loop.time()
        for number, due in enumerate(dues):
            delay_queue.at(begun + due, lambda entry=(due, number): happened.append(entry))  # type: ignore[misc]
        assert len(delay_queue) == len(dues)

    in_virtual_time(main, 10)
    assert happened == sorted((due, number) for number, due in enumerate(dues))


def test_nothing_happens_before_its_time() -> None:
    times: list[float] = []

    def main(loop: asyncio.AbstractEventLoop) -> None:
        delay_queue = DelayQueue(loop)
        begun = loop.time()
        for due in (3.0, 1.0, 2.0):
            delay_queue.at(begun + due, lambda: times.append(loop.time() - begun))

    in_virtual_time(main, 10)
    assert [round(time) for time in times] == [1, 2, 3]
    assert all(time >= due for time, due in zip(times, (1, 2, 3), strict=True))


def test_what_happens_may_put_more_and_drop_all() -> None:
    happened: list[str] = []

    def main(loop: asyncio.AbstractEventLoop) -> None:
        delay_queue = DelayQueue(loop)
        begun = loop.time()

        def first() -> None:
            happened.append("first")
            delay_queue.at(begun, lambda: happened.append("what is late"))
            delay_queue.at(begun + 2, second)
            delay_queue.at(begun + 3, lambda: happened.append("never"))

        def second() -> None:
            happened.append("second")
            delay_queue.drop()
            assert not len(delay_queue)

        delay_queue.at(begun + 1, first)

    in_virtual_time(main, 10)
    assert happened == ["first", "what is late", "second"]


def test_a_precise_loop_runs_timers_tasks_and_streams() -> None:
    async def main() -> bytes:
        reader, writer = await asyncio.open_connection(sock=ours)
        loop = asyncio.get_running_loop()
        loop.call_later(0.0003, theirs.sendall, b"x")
        try:
            async with asyncio.timeout(300):
                return await reader.readexactly(1)
        finally:
            writer.close()

    import socket

    ours, theirs = socket.socketpair()
    with theirs, asyncio.Runner(loop_factory=precise_loop) as runner:
        assert runner.run(main()) == b"x"
