"""A world in which everything happens as it is told, for courses that chance seldom finds."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from choreomon.agent_files.local import Policy
from choreomon.core.message import Message
from choreomon.properties.automaton import SequenceAutomaton
from tests.runtime.world.clock import rounded_up
from tests.runtime.world.playing import Playing, Taste
from tests.runtime.world.services import InFlight
from tests.runtime.world.truth import Broken
from tests.runtime.world.world import LEASE, Build, Case

QUICK = ("connect", "up", "down", "flush", "words")


class Staged:
    """All services are welcomed first. After each step everything local has been said; frames
    between agents wait until they are let through."""

    def __init__(
        self,
        automaton: SequenceAutomaton,
        policies: dict[str, Policy],
        build: Build | None = None,
        *,
        buffer: int = 10,
    ) -> None:
        names = tuple(policies)
        case = Case(
            processes=names,
            automata=(automaton,),
            scripts=((),) * len(names),
            policies=tuple(policies.values()),
            offsets=(1.0,) * (2 * len(names)),
            buffer=buffer,
            build=build or Build(),
        )
        self.playing = Playing(case, Taste({}, {}, whole=1.0), Random(0))
        self.playing.healing = True  # no faults but those that are told
        self.world = self.playing.world
        self.locally()

    def locally(self) -> None:
        """Services and agents say to each other what they have to say."""
        while do := next((do for kind, do in self.playing.moves() if kind in QUICK), None):
            do()

    def sends(self, message: Message) -> None:
        service = self.world.services[message.sender]
        service.script.append(InFlight(message, ""))
        self.world.does(service, service.send)
        self.locally()

    def handles(self, message: Message) -> None:
        service = self.world.services[message.receiver]
        flight = next(each for each in self.world.app if each.message == message)
        self.world.app.remove(flight)
        self.world.does(service, service.handle, flight)
        self.locally()

    def passes(self, message: Message) -> None:
        """It is sent and handled."""
        self.sends(message)
        self.handles(message)

    def leaves(self, name: str) -> None:
        """A service loses its agent, and cannot come back."""
        pipe = self.world.services[name].pipe
        assert pipe is not None
        pipe.cut(0, 0)
        self.world.unreachable.add(name)
        self.locally()

    def returns(self, name: str) -> None:
        self.world.unreachable.discard(name)
        self.locally()

    def waits(self, seconds: float = LEASE + 1.0) -> None:
        """Time goes on, and whoever has something to do by then does it."""
        self.world.time = rounded_up(self.world.time + seconds)
        for kind, do in self.playing.moves():
            if kind == "wake":
                do()
        self.locally()

    def sleeps(self, seconds: float = LEASE + 1.0) -> None:
        """Time goes on, and only services notice."""
        self.world.time = rounded_up(self.world.time + seconds)
        for service in self.world.services.values():
            if service.session is not None:
                self.world.does(service, service.wake)

    def delivers(self) -> None:
        """Every frame between agents arrives."""
        while self.world.network.frames:
            self.playing._deliver(self.world.network.frames[0])
            for agent in self.world.agents.values():
                if agent.driver is not None:
                    self.world.does(agent, agent.flush)

    def heals(self) -> Sequence[Broken]:
        """All is let through; what was broken."""
        self.world.unreachable.clear()
        left = self.playing.heal()
        truth = self.world.truth
        return [*truth.broken, *truth.judge(), *(Broken("answered", each) for each in left)]
