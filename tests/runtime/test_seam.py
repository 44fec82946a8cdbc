"""The seam between what decides and what carries: given the same order of events and of monitoring
messages, agents say exactly the same words whether their frames go through memory or through real
sockets of ZeroMQ.

A run in memory is drawn, and what happened in it is written down as a script. The script is then
played over sockets: a frame that arrives is held, and taken by its agent when the script says so.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from random import Random
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

import pytest
import zmq

from choreomon.core.message import HANDLE, SEND, Message
from choreomon.core.vector_clock import VectorClock
from choreomon.monitor.host import Host
from choreomon.monitor.pull import Monitor
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.tables import transition_tables
from choreomon.runtime.driver import Driver, Timeouts
from choreomon.runtime.inputs import FromPeer, Happened
from choreomon.runtime.network.addresses import to_reach
from choreomon.runtime.network.peers import PeerSockets
from choreomon.runtime.outputs import (
    DeclaredVerdict,
    Dropped,
    Observed,
    Reply,
)
from choreomon.runtime.ports import AnswerKind
from choreomon.runtime.sidecar import Sidecar
from tests.laws.drawn import draw_automaton, draw_scripts, processes
from tests.runtime.conftest import Run
from tests.runtime.peer_network import LOOPBACK, SECURITIES

SYSTEM: Final = bytes(range(16))
PATIENCE: Final = Timeouts(deadline=1.0, give_up=1e9)

Way: TypeAlias = Literal["ask", "answer"]
Channel: TypeAlias = tuple[Way, str, str]
"""Which way, from whom, to whom."""


class Send(NamedTuple):
    """A process sends the next message of its list."""

    process: str


class Take(NamedTuple):
    """A process handles one of the messages that are on their way to it."""

    process: str
    which: int


class Deliver(NamedTuple):
    """The oldest frame of a channel is taken by its agent."""

    channel: Channel


class Wait(NamedTuple):
    """Time goes by: deadlines pass, and unanswered inquiries are repeated."""


Move: TypeAlias = Send | Take | Deliver | Wait


class Carrier(Protocol):
    """Frames between agents."""

    def send(self, channel: Channel, frame: bytes) -> None:
        """One leaves."""

    async def take(self, channel: Channel) -> bytes:
        """The oldest of a channel that was not taken."""


class Agent:
    """A driver without a disk, whose frames go to a carrier and whose words are kept."""

    def __init__(self, sidecar: Sidecar, carrier: Carrier, now: Callable[[], float]) -> None:
        self.name = sidecar.process
        self.told: list[tuple[Any, ...]] = []
        self._carrier = carrier
        self.driver = Driver(sidecar, None, self, now, PATIENCE)

    def ask(self, peer: str, frame: bytes) -> None:
        self._carrier.send(("ask", self.name, peer), frame)

    def answer(self, peer: str, frame: bytes, *, kind: AnswerKind) -> None:
        self._carrier.send(("answer", self.name, peer), frame)

    def happened(self, output: Observed) -> None:
        assert type(output) is not Dropped, output
        self.told.append(output)

    def tell(self, word: DeclaredVerdict) -> None:
        self.told.append(word)

    def reply(self, output: Reply) -> None:
        raise AssertionError(output)

    def close(self, connection: int) -> None:
        raise AssertionError(connection)

    def failing(self, why: str | None) -> None:
        raise AssertionError(why)


class Case(NamedTuple):
    """What a script is about: a property, and the messages of each process."""

    automaton: SequenceAutomaton
    names: tuple[str, ...]
    messages: tuple[tuple[Message, ...], ...]

    def sidecars(self) -> list[Sidecar]:
        tables = transition_tables(self.automaton, self.names)
        return [
            Sidecar(name, (SYSTEM,), (Host(Monitor(tables[name], self.names, has_deadline=True)),))
            for name in self.names
        ]


class Player:
    """All agents with what is on its way between their processes; does one move at a time."""

    def __init__(self, case: Case, carrier: Carrier) -> None:
        self.time = 0.0
        self.carrier = carrier
        self.agents = {
            sidecar.process: Agent(sidecar, carrier, lambda: self.time)
            for sidecar in case.sidecars()
        }
        self.left = {
            name: deque(messages) for name, messages in zip(case.names, case.messages, strict=True)
        }
        self.inboxes: dict[str, list[tuple[Message, VectorClock]]] = {n: [] for n in case.names}

    async def do(self, move: Move) -> None:
        match move:
            case Send(process):
                message = self.left[process].popleft()
                clock = self._event(process, SEND, message.receiver, message.name, ())
                self.inboxes[message.receiver].append((message, clock))
            case Take(process, which):
                message, clock = self.inboxes[process].pop(which)
                self._event(process, HANDLE, message.sender, message.name, clock)
            case Deliver((_, sender, receiver) as channel):
                frame = await self.carrier.take(channel)
                driver = self.agents[receiver].driver
                driver.take(FromPeer(sender, frame))
                driver.flush()
            case Wait():
                self.time += 1.5
                for agent in self.agents.values():
                    agent.driver.tick()

    def _event(
        self, process: str, kind: Any, peer: str, name: str, heard: VectorClock
    ) -> VectorClock:
        driver = self.agents[process].driver
        driver.take(Happened(kind, peer, name, [heard], int(self.time)))
        driver.flush()
        return driver.state.hosts[0].clock

    def told(self) -> dict[str, list[tuple[Any, ...]]]:
        """Everything that agents let out beside frames: ticks, answers, and words with reasons."""
        return {name: agent.told for name, agent in self.agents.items()}

    def clocks(self) -> list[VectorClock]:
        return [agent.driver.state.hosts[0].clock for agent in self.agents.values()]


class Memory:
    """Frames wait in lists. `newest`: a planted bug, the newest one is delivered first."""

    def __init__(self, *, newest: bool = False) -> None:
        self.frames: defaultdict[Channel, deque[bytes]] = defaultdict(deque)
        self.sent: list[tuple[Channel, bytes]] = []
        self._newest = newest

    def send(self, channel: Channel, frame: bytes) -> None:
        self.sent.append((channel, frame))
        self.frames[channel].append(frame)

    async def take(self, channel: Channel) -> bytes:
        waiting = self.frames[channel]
        return waiting.pop() if self._newest else waiting.popleft()


class Sockets:
    """Frames go through the sockets of agents; what arrives is held until it is taken."""

    def __init__(self, names: Sequence[str], security: str, opened: ExitStack) -> None:
        self._held: defaultdict[Channel, deque[bytes]] = defaultdict(deque)
        self._arrived = asyncio.Event()
        self.sent: list[tuple[Channel, bytes]] = []
        self._sockets = {name: self._made(name, names, security, opened) for name in names}
        for sockets in self._sockets.values():
            # Known only now that all listen, at ports that were free.
            sockets._addresses = {
                name: to_reach(other.endpoint)
                for name, other in self._sockets.items()
                if other is not sockets
            }

    def _made(
        self, name: str, names: Sequence[str], security: str, opened: ExitStack
    ) -> PeerSockets:
        def refused(reason: str, detail: str) -> None:
            raise AssertionError((reason, detail))

        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        opened.callback(context.term)
        sockets = PeerSockets(
            context=context,
            loop=asyncio.get_running_loop(),
            bind=LOOPBACK,
            addresses={},
            security=SECURITIES[security](name, *names),
            on_asked=lambda peer, frame: self._hold(("ask", peer, name), frame),
            on_answered=lambda peer, frame: self._hold(("answer", peer, name), frame),
            on_refused=refused,
            on_drained=lambda: None,
        )
        opened.callback(sockets.close)
        return sockets

    def _hold(self, channel: Channel, frame: bytes) -> None:
        self._held[channel].append(frame)
        self._arrived.set()

    def send(self, channel: Channel, frame: bytes) -> None:
        way, sender, receiver = channel
        self.sent.append((channel, frame))
        sockets = self._sockets[sender]
        assert (sockets.ask if way == "ask" else sockets.answer)(receiver, frame)

    async def take(self, channel: Channel) -> bytes:
        while not self._held[channel]:
            self._arrived.clear()
            await self._arrived.wait()
        return self._held[channel].popleft()


def draw_case(random: Random) -> Case:
    names = processes(random.choice((2, 3, 3, 4)))
    automaton = draw_automaton(random, names)
    return Case(automaton, names, draw_scripts(random, automaton, names, events=(6, 14)))


def moves(player: Player, memory: Memory) -> list[Move]:
    """What may happen next, in a fixed order."""
    found: list[Move] = [Send(name) for name, left in player.left.items() if left]
    for name, inbox in player.inboxes.items():
        found += [Take(name, which) for which in range(len(inbox))]
    found += [Deliver(channel) for channel, frames in sorted(memory.frames.items()) if frames]
    return found


async def drawn_run(case: Case, random: Random) -> tuple[list[Move], Player, Memory]:
    """A run in memory, to its end, and its script."""
    memory = Memory()
    player = Player(case, memory)
    script: list[Move] = []
    while possible := moves(player, memory):
        move = Wait() if random.random() < 0.02 else random.choice(possible)
        await player.do(move)
        script.append(move)
    return script, player, memory


@pytest.mark.parametrize("security", SECURITIES)
async def test_sockets_and_memory_give_the_same_words_in_the_same_order(
    run: Run, security: str
) -> None:
    words = frames = 0
    for seed in range(60):
        random = Random(seed)
        case = draw_case(random)
        script, in_memory, memory = await drawn_run(case, random)
        with ExitStack() as opened:
            sockets = Sockets(case.names, security, opened)
            player = Player(case, sockets)
            for move in script:
                await player.do(move)
        assert player.told() == in_memory.told()
        assert player.clocks() == in_memory.clocks()
        assert sockets.sent == memory.sent
        words += sum(
            type(out) is DeclaredVerdict for told in player.told().values() for out in told
        )
        frames += len(sockets.sent)
    assert words > 100  # so it was about something
    assert frames > 500


def test_the_law_notices_a_carrier_that_changes_the_order() -> None:
    async def noticed(seed: int) -> bool:
        random = Random(seed)
        case = draw_case(random)
        script, in_memory, _ = await drawn_run(case, random)
        player = Player(case, Memory(newest=True))
        for move in script:
            if isinstance(move, Deliver) and not player.carrier.frames[move.channel]:  # type: ignore[attr-defined]
                return True
            await player.do(move)
        return player.told() != in_memory.told()

    assert sum(asyncio.run(noticed(seed)) for seed in range(60)) > 5
