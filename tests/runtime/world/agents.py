"""An agent on a disk that survives it: driver, sidecar and service side are the real ones.

What `choreomon.runtime.node` does on a real loop is done here move by move: what comes in is put to
the driver, a flush commits it and lets out what follows.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from choreomon.agent_files import local
from choreomon.agent_files.clocks.text import KEY_BYTES, decode_clocks_untrusted
from choreomon.core.vector_clock import VectorClock
from choreomon.runtime.driver import Driver
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.inputs import FromPeer, Gap, Hello, Input, Report, decode_batch
from choreomon.runtime.instances.cold import with_cold_instances
from choreomon.runtime.outputs import (
    DeclaredVerdict,
    Dropped,
    Observed,
    Output,
    Reply,
    Ticked,
)
from choreomon.runtime.ports import AnswerKind
from choreomon.runtime.service import ServiceSide
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.snapshot import decode_snapshot
from tests.runtime.world.clock import rounded_up
from tests.runtime.world.connections import Loop, Pipe, first
from tests.runtime.world.disk import Disk, Moment
from tests.runtime.world.truth import Stepped

if TYPE_CHECKING:
    from tests.runtime.world.world import World


TOO_LATE = ("base", "held", "late", "session", "closing")
"""What is refused because a connection is old, an agent is new, or a service may know more; all the
rest is refused only to who is not honest."""


def watched(kind: type[Sidecar]) -> type[Sidecar]:
    """This kind of sidecar, which tells its `watcher` of every step."""

    class Watched(kind):  # type: ignore[misc,valid-type]
        def step(self, state: SidecarState, given: Input) -> tuple[SidecarState, list[Output]]:
            state, outputs = super().step(state, given)
            self.watcher(given, outputs)
            return state, outputs

    return Watched


class Agent:
    """The agent of one process, through all its lives."""

    harmless = TOO_LATE

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.index = world.case.processes.index(name)
        self.disk = Disk(self._at, self._committed)
        self.driver: Driver | None = None
        self.side: ServiceSide | None = None
        self.loop = Loop(self.now)
        self.offset = world.case.offsets[self.index]
        self.lives = 0
        self.forgetful = False
        self.unflushed = False
        self.undelivered: list[str] = []
        self.pipes: dict[int, Pipe] = {}
        self._stepped: list[Stepped] = []
        self._commits: list[int] = []  # when each row was committed
        self._recovering = False
        count = len(world.case.processes)
        systems = len(world.case.automata)
        zero = (0,) * count
        self.told: list[VectorClock] = [zero] * systems  # to the service
        self.framed: list[VectorClock] = [zero] * systems  # to other agents
        self.durable: list[VectorClock] = [zero] * systems
        self.answers: dict[str, dict[int, list[VectorClock]]] = defaultdict(dict)
        self.copies: set[bytes] = set()

    @property
    def alive(self) -> bool:
        return self.driver is not None

    def now(self) -> float:
        return self.world.time + self.offset

    # Lives.

    def start(self) -> None:
        world, build = self.world, self.world.case.build
        self.lives += 1
        sidecar = world.sidecar_of(self.index)
        self.loop = Loop(self.now)
        self.driver = build.driver(
            sidecar, self.disk, self, self.now, world.case.timeouts, rows_per_snapshot=3
        )
        object.__setattr__(self.driver.sidecar, "watcher", self._watch)
        self.side = ServiceSide(
            self.driver,
            loop=self.loop,  # type: ignore[arg-type]
            now=self.now,
            fresh_session=world.fresh_session,
            soon=self.soon,
            lost=lambda events: None,
            refused=self._refused,
        )
        self._recovering = True
        self.disk.opened()
        self.driver.recover(forgetful=self.forgetful)
        self._recovering = False
        self._stepped.clear()
        self.flush()

    def die(self) -> None:
        """At once: what was not committed is lost, and what was not written."""
        self.driver = self.side = None
        self.unflushed = False
        self.undelivered.clear()
        self._stepped.clear()
        for pipe in self.pipes.values():
            pipe.close()
        self.pipes.clear()

    def lose_power(self, rows: int) -> None:
        """Once dead: its last commits may be lost. It knows that they may."""
        if not self.disk.forget(rows):
            self.forgetful = True
            return
        sidecar, _ = with_cold_instances(self.world.sidecar_of(self.index), self.disk)
        object.__setattr__(sidecar, "watcher", lambda given, outputs: None)
        state = sidecar.initial()
        snapshot, journal = self.disk.load()
        if snapshot is not None:
            state = decode_snapshot(snapshot, sidecar)
        for row in journal:
            for given in decode_batch(row):
                state, _ = sidecar.step(state, given)
        self.durable = [host.clock for host in state.hosts]
        self.forgetful = True
        self.world.truth.forgot(self, self._commits[len(self.disk.rows)])
        del self._commits[len(self.disk.rows) :]

    # Its loop.

    def soon(self) -> None:
        self.unflushed = True

    def flush(self) -> None:
        assert self.driver is not None
        assert self.side is not None
        self.unflushed = False
        if not self.driver.failing:
            self.driver.flush()
            self.side.written()

    def due(self) -> float | None:
        """In the time of the world."""
        if self.driver is None:
            return None
        times = [each for each in (self.driver.due(), self.loop.due()) if each is not None]
        return rounded_up(min(times)) - self.offset if times else None

    def wake(self) -> None:
        assert self.driver is not None
        assert self.side is not None
        self.loop.run()
        self.driver.tick()
        self.side.written()

    def receive(self, sender: str, frame: bytes) -> None:
        assert self.driver is not None
        self.driver.take(FromPeer(sender, frame))
        self.soon()

    def accept(self, pipe: Pipe) -> None:
        assert self.side is not None
        pipe.protocol = self.side.connection()
        self.pipes[id(pipe)] = pipe
        pipe.protocol.connection_made(pipe)

    def read(self, pipe: Pipe, size: int) -> None:
        pipe.protocol.data_received(first(pipe.up, size))

    def lose(self, pipe: Pipe) -> None:
        pipe.close()
        self.pipes.pop(id(pipe), None)
        pipe.protocol.connection_lost(None)

    def deliver_verdicts(self) -> None:
        """The sinks have taken what was told."""
        assert self.driver is not None
        ids, self.undelivered = self.undelivered, []
        self.driver.delivered(ids)
        self.soon()

    # What it decided, at its commit.

    def _watch(self, given: Input, outputs: list[Output]) -> None:
        if self._recovering:
            return
        when = self.world.truth.now()
        if type(given) is Gap or (type(given) is Hello and given.lost):
            self._stepped.append(Stepped(when, given.session, 0, None))
        elif isinstance(given, Report):
            self._stepped += [
                Stepped(when, given.session, given.number, output)
                for output in outputs
                if type(output) is Ticked
            ]
            if any(type(output) is Dropped and output.reason == "late" for output in outputs):
                self._stepped.append(Stepped(when, given.session, given.number, None, late=True))

    def _at(self, moment: Moment) -> None:
        self.world.at_commit(self, moment)

    def _committed(self) -> None:
        assert self.driver is not None
        self.forgetful = False
        self._commits.append(self.world.truth.now())
        stepped, self._stepped = self._stepped, []
        self.durable = [host.clock for host in self.driver.state.hosts]
        self.world.truth.happened(self.name, stepped)

    # Ports of the driver.

    def reply(self, output: Reply) -> None:
        assert self.side is not None
        message = output.message
        if isinstance(message, local.Welcome | local.Clock):
            self.world.truth.told(self, output.connection, message)
        self.side.reply(output)
        if self.world.case.writes_at_once:
            self.side.written()
        self.world.sent(self)

    def close(self, connection: int) -> None:
        assert self.side is not None
        self.side.close_connection(connection)

    def ask(self, peer: str, frame: bytes) -> None:
        self.world.truth.framed(self, frame)
        self.world.network.send(self.name, peer, frame)
        self.world.sent(self)

    def answer(self, peer: str, frame: bytes, *, kind: AnswerKind) -> None:
        self.ask(peer, frame)

    def tell(self, declared: DeclaredVerdict) -> None:
        self.world.truth.said(self.name, declared)
        self.undelivered.append(declared.id)
        self.world.sent(self)

    def happened(self, output: Observed) -> None:
        if type(output) is Dropped and output.reason not in self.harmless:
            self.world.complain(f"{self.name} dropped: {output}")

    def _refused(self, reason: str, detail: str) -> None:
        if reason not in self.harmless and not detail.startswith("no hello within"):
            self.world.complain(f"{self.name}: {reason}: {detail}")

    def failing(self, why: str | None) -> None:
        assert self.side is not None
        if why is None:
            self.side.resume()
        else:
            self.side.pause()


def clocks_of(world: World, text: str) -> list[VectorClock]:
    """By system, in their order."""
    clocks: dict[bytes, Any] = decode_clocks_untrusted(text)
    return [clocks[system[:KEY_BYTES]] for system in world.case.systems]
