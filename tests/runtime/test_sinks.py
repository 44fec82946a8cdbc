"""Every word comes to every sink at least once, in order, whatever happens to a sink."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.live import LiveVerdict
from choreomon.runtime.delivery.sinks import SinkFailed, SinkRefused, Sinks
from choreomon.runtime.outstanding import BackOff
from tests.agent_files.live_verdicts import BY_HAND

pytestmark = pytest.mark.asyncio


class Memory:
    """A sink that fails as often as it is told to, or stands still until it is let go."""

    def __init__(self, name: str = "memory", at_once: int = 2, failures: int = 0) -> None:
        self.name = name
        self.at_once = at_once
        self.failures = failures
        self.took: list[LiveVerdict] = []
        self.tries = 0
        self.closed = False
        self.open = asyncio.Event()
        self.open.set()

    async def take(self, verdicts: Sequence[LiveVerdict]) -> None:
        self.tries += 1
        assert 0 < len(verdicts) <= self.at_once
        await self.open.wait()
        if self.failures:
            self.failures -= 1
            raise SinkFailed("not now")
        self.took += verdicts

    async def close(self) -> None:
        self.closed = True


class Agent:
    """What keeps words until they are delivered, in the order in which it told them."""

    def __init__(self, *sinks: Memory, most: int = 4) -> None:
        self.untold: dict[str, LiveVerdict] = {}
        self.delivered: list[str] = []
        self.failed: list[tuple[str, str]] = []
        self.refused: list[tuple[str, str, str]] = []
        self.slept: list[float] = []
        self.awake = asyncio.Event()
        self.awake.set()
        self.sinks = Sinks(
            sinks,
            loop=asyncio.get_running_loop(),
            delivered=self._delivered,
            untold=lambda: [(id, lambda told=told: told) for id, told in self.untold.items()],
            failed=lambda sink, why: self.failed.append((sink, why)),
            refused=lambda *told: self.refused.append(told),
            most=most,
            back_off=BackOff(1.0, 4.0),
            sleep=self._sleep,
        )

    def _delivered(self, ids: list[str]) -> None:
        for id in ids:
            del self.untold[id]  # each is delivered once
            self.delivered.append(id)

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await self.awake.wait()

    def tell(self, *words: int) -> None:
        for verdict in verdicts(*words):
            self.untold[verdict.id] = verdict
            self.sinks.tell(verdict)


def verdicts(*words: int) -> list[LiveVerdict]:
    return [dataclasses.replace(BY_HAND, id=f"id {word}") for word in words]


async def until(holds: Callable[[], bool]) -> None:
    """Let the loop go round until something holds; it does so after few turns or never."""
    for _ in range(2000):
        if holds():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never holds")


async def settled() -> None:
    for _ in range(200):
        await asyncio.sleep(0)


async def test_a_word_is_delivered_when_all_sinks_took_it() -> None:
    quick, slow = Memory("quick"), Memory("slow")
    slow.open.clear()
    agent = Agent(quick, slow)
    agent.tell(1, 2, 3)
    await until(lambda: len(quick.took) == 3)
    await settled()
    assert agent.delivered == []
    assert agent.sinks.undelivered == 3
    slow.open.set()
    await until(lambda: not agent.untold)
    assert quick.took == slow.took == verdicts(1, 2, 3)
    assert agent.delivered == ["id 1", "id 2", "id 3"]
    assert agent.sinks.undelivered == 0
    await agent.sinks.close()
    assert quick.closed
    assert slow.closed


async def test_nothing_is_delivered_before_the_sink_took_it() -> None:
    sink = Memory(failures=3)
    agent = Agent(sink)
    agent.awake.clear()
    agent.tell(1)
    await until(lambda: bool(agent.slept))
    await settled()
    assert agent.delivered == []
    assert sink.tries == 1
    await agent.sinks.close()


async def test_a_sink_that_fails_is_tried_again_with_a_back_off() -> None:
    sink = Memory(failures=5)
    agent = Agent(sink)
    agent.tell(1)
    await until(lambda: not agent.untold)
    assert agent.slept == [1.0, 2.0, 4.0, 4.0, 4.0]
    assert agent.failed == [("memory", "not now")] * 5
    assert agent.sinks.failing == {}
    sink.failures = 1
    agent.tell(2)
    await until(lambda: not agent.untold)
    assert agent.slept[5:] == [1.0]
    assert sink.took == verdicts(1, 2)
    await agent.sinks.close()


async def test_what_a_sink_refuses_for_good_does_not_block_what_comes_after() -> None:
    class Choosy(Memory):
        async def take(self, verdicts: Sequence[LiveVerdict]) -> None:
            bad = [verdict.id for verdict in verdicts if verdict.id in ("id 2", "id 3")]
            await super().take([each for each in verdicts if each.id not in bad] or verdicts)
            if bad:
                raise SinkRefused("it answers 400", bad)

    choosy, other = Choosy("choosy", at_once=2), Memory("other")
    agent = Agent(choosy, other)
    agent.tell(1, 2, 3)
    await until(lambda: not agent.untold)
    assert agent.slept == []
    assert agent.failed == []
    assert agent.refused == [
        ("choosy", "id 2", "it answers 400"),
        ("choosy", "id 3", "it answers 400"),
    ]
    assert agent.sinks.failing == {"choosy": "it answers 400"}  # as the last that it was given
    agent.tell(4)
    await until(lambda: not agent.untold)
    assert other.took == verdicts(1, 2, 3, 4)
    assert agent.delivered == ["id 1", "id 2", "id 3", "id 4"]
    assert agent.sinks.failing == {}
    await agent.sinks.close()


async def test_a_sink_that_fails_does_not_hold_up_the_others() -> None:
    dead, alive = Memory("dead", failures=10**9), Memory("alive")
    agent = Agent(dead, alive, most=4)
    agent.awake.clear()
    agent.tell(*range(100))
    await until(lambda: len(alive.took) == 4)
    agent.tell(*range(100, 103))
    for _ in range(60):  # what was told while `alive` was full is fetched
        await settled()
    assert alive.took == verdicts(*range(103))
    assert agent.sinks.failing == {"dead": "not now"}
    assert agent.delivered == []
    await agent.sinks.close()


async def test_what_a_sink_has_no_room_for_is_fetched_later_in_order() -> None:
    sink = Memory()
    sink.open.clear()
    agent = Agent(sink, most=4)
    agent.tell(*range(50))
    assert sum(len(lane.waiting) for lane in agent.sinks._lanes) == 4
    sink.open.set()
    waiting: list[int] = []

    def nothing_is_untold() -> bool:
        waiting.extend(len(lane.waiting) for lane in agent.sinks._lanes)
        return not agent.untold

    await until(nothing_is_untold)
    assert sink.took == verdicts(*range(50))
    assert max(waiting) == 4
    await agent.sinks.close()


async def test_a_word_that_comes_while_a_sink_is_behind_does_not_overtake() -> None:
    sink = Memory(at_once=1)
    sink.open.clear()
    agent = Agent(sink, most=3)
    agent.tell(*range(6))
    sink.open.set()
    await until(lambda: len(sink.took) == 1)  # there is room for one more, and it lacks three
    agent.tell(6)
    await until(lambda: not agent.untold)
    assert sink.took == verdicts(*range(7))
    await agent.sinks.close()


async def test_a_word_that_is_told_again_is_not_taken_twice() -> None:
    quick, slow = Memory("quick"), Memory("slow")
    slow.open.clear()
    agent = Agent(quick, slow)
    agent.tell(1)
    await until(lambda: quick.took == verdicts(1))
    agent.tell(1)
    await settled()
    slow.open.set()
    await until(lambda: not agent.untold)
    assert quick.took == slow.took == verdicts(1)
    await agent.sinks.close()


async def test_what_was_never_told_is_not_fetched() -> None:
    """It may be of a state that is not committed."""
    sink = Memory()
    sink.open.clear()
    agent = Agent(sink, most=2)
    agent.tell(*range(6))
    agent.untold["id secret"] = dataclasses.replace(BY_HAND, id="id secret")
    sink.open.set()
    await until(lambda: len(agent.untold) == 1)
    await settled()
    assert sink.took == verdicts(*range(6))
    await agent.sinks.close()


async def test_whatever_a_sink_raises_no_word_is_lost() -> None:
    class Broken(Memory):
        async def take(self, verdicts: Sequence[LiveVerdict]) -> None:
            if self.tries == 0:
                self.tries += 1
                raise ZeroDivisionError
            await super().take(verdicts)

    sink = Broken()
    agent = Agent(sink)
    agent.tell(1)
    await until(lambda: not agent.untold)
    assert sink.took == verdicts(1)
    assert agent.failed == [("memory", "ZeroDivisionError")]
    await agent.sinks.close()


async def test_sinks_of_one_name_are_told_apart() -> None:
    agent = Agent(Memory(failures=1), Memory(failures=1))
    agent.awake.clear()
    agent.tell(1)
    await until(lambda: len(agent.failed) == 2)
    assert agent.sinks.failing == {"memory": "not now", "memory #2": "not now"}
    await agent.sinks.close()


async def test_without_sinks_all_is_delivered_but_not_at_once() -> None:
    agent = Agent()
    agent.tell(1)
    assert agent.delivered == []
    await settled()
    assert agent.delivered == ["id 1"]
    agent.tell(2)
    await agent.sinks.close()
    assert agent.delivered == ["id 1", "id 2"]


async def test_at_the_end_each_sink_gets_one_more_try() -> None:
    failing, dead = Memory("failing", failures=1), Memory("dead", failures=10**9)
    agent = Agent(failing, dead)
    agent.awake.clear()
    agent.tell(1, 2, 3)
    await until(lambda: len(agent.slept) == 2)
    await agent.sinks.close()
    assert failing.took == verdicts(1, 2, 3)
    assert dead.tries == 2
    assert [*agent.untold] == ["id 1", "id 2", "id 3"]
    agent.sinks.tell(*verdicts(4))
    await settled()
    assert failing.took == verdicts(1, 2, 3)


async def test_the_end_waits_two_seconds_for_a_sink_that_stands_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    still, alive = Memory("still"), Memory("alive")
    still.open.clear()
    agent = Agent(still, alive)
    agent.tell(1)
    await until(lambda: alive.took == verdicts(1))
    wait, waited = asyncio.wait, []

    async def at_once(
        tasks: Sequence[asyncio.Task[None]], *, timeout: float
    ) -> tuple[set[asyncio.Task[None]], set[asyncio.Task[None]]]:
        waited.append(timeout)
        return await wait(tasks, timeout=0)

    monkeypatch.setattr(asyncio, "wait", at_once)
    await agent.sinks.close()
    assert waited == [2.0, 2.0]  # for the last try, and to close
    assert still.took == []
    assert [*agent.untold] == ["id 1"]


async def test_what_is_delivered_at_the_end_is_told_before_it_is_over() -> None:
    sink = Memory()
    agent = Agent(sink)
    agent.tell(1)
    await agent.sinks.close()
    assert agent.delivered == ["id 1"]


async def test_over_random_courses_every_word_comes_to_every_sink_once_and_in_order() -> None:
    """Once, since nothing is restarted here."""

    @settings(max_examples=60)
    @given(st.data())
    def course(data: st.DataObject) -> None:
        with asyncio.Runner() as runner:
            runner.run(_course(data))

    await asyncio.to_thread(course)


async def _course(data: st.DataObject) -> None:
    sinks = [Memory(f"sink {number}", at_once=data.draw(st.integers(1, 3))) for number in range(3)]
    agent = Agent(*sinks, most=data.draw(st.integers(1, 5)))
    told = 0
    for _ in range(data.draw(st.integers(1, 15))):
        match data.draw(st.integers(0, 3)):
            case 0:
                count = data.draw(st.integers(1, 8))
                agent.tell(*range(told, told + count))
                told += count
            case 1:
                data.draw(st.sampled_from(sinks)).failures += data.draw(st.integers(1, 3))
            case 2:
                sink = data.draw(st.sampled_from(sinks))
                (sink.open.clear if sink.open.is_set() else sink.open.set)()
            case _:
                for _ in range(data.draw(st.integers(1, 20))):
                    await asyncio.sleep(0)
    for sink in sinks:
        sink.open.set()
    await until(lambda: not agent.untold)
    for sink in sinks:
        assert sink.took == verdicts(*range(told))
    assert sorted(agent.delivered) == sorted(f"id {word}" for word in range(told))
    await agent.sinks.close()
