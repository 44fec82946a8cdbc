"""Sinks of verdicts: every verdict goes to every sink at least once, whatever happens to a sink.

A verdict is delivered when all sinks took it, or refused it for good, and only then is the agent
told that it may forget it. Each sink has its own line, in order; one that fails is tried again with
a back-off, and does not hold up the others. At most `most` verdicts wait for one sink here. What
comes beyond stays where it is durable, with the agent, and is fetched from there, oldest first,
when the sink has room again.

What is kept beside that is an id and a number for each verdict that is not delivered, all of which
the agent keeps as a whole. After a restart nobody knows which sinks took a verdict that was not
delivered: all get it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final, Protocol, TypeAlias

from choreomon.core.live import LiveVerdict
from choreomon.runtime.outstanding import BackOff

MOST: Final = 1024
"""Verdicts that wait for one sink."""
PATIENT: Final = BackOff(0.25, 30.0)

Undelivered: TypeAlias = Iterable[tuple[str, Callable[[], LiveVerdict]]]
"""Ids of verdicts that are not delivered, oldest first, and what makes the verdict of each."""


class SinkFailed(Exception):
    """A sink did not take its verdicts, and should get them again. The message says why."""


class SinkRefused(Exception):
    """A sink will never take the verdicts `ids` of what it was given, whatever time passes, and
    is not to be given them again; it took the others. The message says why."""

    def __init__(self, why: str, ids: Sequence[str]) -> None:
        super().__init__(why)
        self.ids = tuple(ids)


class Sink(Protocol):
    """Somewhere verdicts go. `name` is for logs, and tells no secrets; `at_once`: how many
    verdicts it takes in one go."""

    name: str
    at_once: int

    async def take(self, verdicts: Sequence[LiveVerdict]) -> None:
        """Take all of them. Raises `SinkFailed` if not all were surely taken, and `SinkRefused` if
        they never will be."""

    async def close(self) -> None:
        """Close the sink: nothing more comes."""


class _Lane:
    """The lane of one sink with its waiting verdicts. `behind`: it was full, and lacks verdicts
    that the agent has. `failing`: why the sink did not take its last verdicts, for now or for
    good."""

    __slots__ = ("behind", "bit", "failing", "name", "sink", "waiting", "wake")

    def __init__(self, sink: Sink, name: str, bit: int) -> None:
        self.sink = sink
        self.name = name
        self.bit = bit
        self.waiting: dict[str, LiveVerdict] = {}
        self.wake = asyncio.Event()
        self.behind = False
        self.failing = ""

    def put(self, verdict: LiveVerdict) -> None:
        self.waiting[verdict.id] = verdict
        self.wake.set()


class Sinks:
    """Collection of all sinks of an agent. Made and used on the thread of `loop`.

    - `delivered(ids)`: these verdicts were taken by all sinks. Called from the loop, never from
      within `tell`.
    - `untold()`: the verdicts that are not delivered as far as the agent knows. Only such as were
      told here before are taken of them, so it may also name those that may not be told yet.
    - `failed(sink, why)`: each time a sink fails; log it seldom.
    - `refused(sink, id, why)`: a sink refused a verdict for good, which counts as delivered there.
    - `sleep`: waits for this many seconds.
    """

    def __init__(
        self,
        sinks: Sequence[Sink],
        *,
        loop: asyncio.AbstractEventLoop,
        delivered: Callable[[list[str]], None],
        untold: Callable[[], Undelivered],
        failed: Callable[[str, str], None],
        refused: Callable[[str, str, str], None],
        most: int = MOST,
        back_off: BackOff = PATIENT,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._loop = loop
        self._delivered = delivered
        self._untold = untold
        self._failed = failed
        self._refused = refused
        self._most = most
        self._back_off = back_off
        self._sleep = sleep
        self._lanes: list[_Lane] = []
        for place, sink in enumerate(sinks):
            same = sum(each.sink.name == sink.name for each in self._lanes)
            name = f"{sink.name} #{same + 1}" if same else sink.name
            self._lanes.append(_Lane(sink, name, 1 << place))
        self._all = (1 << len(self._lanes)) - 1
        self._missing: dict[str, int] = {}
        self._closing = asyncio.Event()
        self._tasks = [loop.create_task(self._serve(lane)) for lane in self._lanes]

    def tell(self, verdict: LiveVerdict) -> None:
        """Give a verdict to all sinks. One that is not delivered yet is given only to those that
        neither have it nor wait with it. After `close` nothing is taken any more."""
        if self._closing.is_set():
            return
        id = verdict.id
        if not self._lanes:
            self._loop.call_soon(self._delivered, [id])
            return
        missing = self._missing.setdefault(id, self._all)
        for lane in self._lanes:
            if missing & lane.bit and id not in lane.waiting:
                if lane.behind or len(lane.waiting) >= self._most:
                    lane.behind = True  # later verdicts wait, too, so that their order is kept
                else:
                    lane.put(verdict)

    @property
    def undelivered(self) -> int:
        """Verdicts that some sink has not taken."""
        return len(self._missing)

    @property
    def failing(self) -> Mapping[str, str]:
        """The reasons of the sinks that failed when last tried."""
        return {lane.name: lane.failing for lane in self._lanes if lane.failing}

    async def close(self, grace: float = 2.0) -> None:
        """Give each sink one more try, this many seconds in all, and as many to close; then end.
        What was not taken stays with the agent. What was delivered until then was told to
        `delivered`."""
        self._closing.set()
        for lane in self._lanes:
            lane.wake.set()
        await _within(grace, self._tasks)
        await _within(grace, [self._loop.create_task(lane.sink.close()) for lane in self._lanes])
        await asyncio.sleep(0)  # what was called soon is called before whatever comes next

    async def _serve(self, lane: _Lane) -> None:
        wait = self._back_off.first
        while True:
            while not lane.waiting:
                if self._closing.is_set():
                    return
                lane.wake.clear()
                await lane.wake.wait()
            batch = dict(islice(lane.waiting.items(), lane.sink.at_once))
            try:
                await lane.sink.take([*batch.values()])
                lane.failing = ""
            except SinkRefused as refused:
                lane.failing = str(refused)
                for id in refused.ids:
                    self._loop.call_soon(self._refused, lane.name, id, lane.failing)
            except Exception as error:  # whatever it is, a verdict must not be lost by it
                lane.failing = str(error) or type(error).__name__
                self._loop.call_soon(self._failed, lane.name, lane.failing)
                if self._closing.is_set():
                    return
                await self._rest(wait)
                wait = min(2 * wait, self._back_off.most)
                continue
            wait = self._back_off.first
            self._taken(lane, batch)
            if lane.waiting:
                await asyncio.sleep(0)  # a sink that never waits should not hold up the loop

    async def _rest(self, seconds: float) -> None:
        """Sleep this long, or until the end begins."""
        pauses: set[asyncio.Future[object]] = {
            asyncio.ensure_future(self._sleep(seconds)),
            asyncio.ensure_future(self._closing.wait()),
        }
        try:
            await asyncio.wait(pauses, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pause in pauses:
                pause.cancel()

    def _taken(self, lane: _Lane, batch: Iterable[str]) -> None:
        delivered: list[str] = []
        for id in batch:
            del lane.waiting[id]
            self._missing[id] &= ~lane.bit
            if not self._missing[id]:
                del self._missing[id]
                delivered.append(id)
        if delivered:
            self._loop.call_soon(self._delivered, delivered)
        if lane.behind and len(lane.waiting) <= self._most // 2:
            self._loop.call_soon(partial(self._catch_up, lane))

    def _catch_up(self, lane: _Lane) -> None:
        """Fetch the verdicts that the sink lacks, up to the room that it has."""
        if self._closing.is_set():
            return
        lane.behind = False
        for id, verdict in self._untold():
            if self._missing.get(id, 0) & lane.bit and id not in lane.waiting:
                if len(lane.waiting) >= self._most:
                    lane.behind = True
                    return
                lane.put(verdict())


async def _within(seconds: float, tasks: Sequence[asyncio.Task[None]]) -> None:
    """Wait this long for the tasks: cancel the late ones, ignore the errors of the others."""
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
