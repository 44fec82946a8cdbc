"""A run of a world: moves that a source of randomness chooses, and then healing.

Whoever is lucky in the choices gets a run without any trouble; tastes, one a run, make everything
else: how eager services, networks, agents and time are, and which faults there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple, TypeAlias

from tests.runtime.world.clock import rounded_up
from tests.runtime.world.services import Service
from tests.runtime.world.world import Case, World

Do: TypeAlias = Callable[[], None]

KINDS: Final = (
    "send", "handle", "connect", "up", "down", "flush", "deliver", "words", "wake", "time",
)  # fmt: skip
FAULTS: Final = (
    "drop", "copy", "cut", "crash", "kill", "part", "full", "power",
)  # fmt: skip


class Taste(NamedTuple):
    """How likely each kind of move is beside the others, and which faults there are at most.
    `whole`: how often all bytes that are under way arrive at once. `warm`: whether all services
    are welcomed before anything else happens."""

    weight: dict[str, float]
    faults: dict[str, int]
    whole: float = 0.8
    warm: bool = False
    length: int = 150


class Playing:
    """A world, and the choices in it."""

    world_type: type[World] = World

    def __init__(self, case: Case, taste: Taste, random: Random) -> None:
        self.world = self.world_type(case)
        self.taste = taste
        self.random = random
        self.left = dict(taste.faults)
        self.healing = False
        self.happened: Counter[str] = Counter()

    # What may happen.

    def moves(self) -> list[tuple[str, Do]]:
        world, random = self.world, self.random
        found: list[tuple[str, Do]] = []
        concurrency = world.case.concurrency
        for name, service in world.services.items():
            agent = world.agents[name]
            if service.ready and len(service.acts) < concurrency:
                if world.may_send(name):
                    found.append(("send", lambda s=service: world.does(s, s.send)))
                found += [
                    ("handle", lambda s=service, f=flight: self._handle(s, f))
                    for flight in world.app
                    if flight.message.receiver == name
                ]
            if world.wants_connection(name):
                found.append(("connect", lambda n=name: world.connect(n)))
            if service.pipe is not None:
                if service.pipe.down:
                    size = self._some(len(service.pipe.down))
                    found.append(("down", lambda s=service, n=size: world.does(s, s.read, n)))
                elif service.pipe.service_sees_the_end:
                    found.append(("down", lambda s=service: world.does(s, s.lose)))
            due = service.due()
            if due is not None and due <= world.time:
                found.append(("wake", lambda s=service: world.does(s, s.wake)))
            if agent.driver is None:
                continue
            for pipe in [*agent.pipes.values()]:
                if pipe.up and pipe.reading:
                    size = self._some(len(pipe.up))
                    found.append(
                        ("up", lambda a=agent, p=pipe, n=size: world.does(a, a.read, p, n))
                    )
                elif pipe.agent_sees_the_end:
                    found.append(("up", lambda a=agent, p=pipe: world.does(a, a.lose, p)))
            if agent.unflushed:
                found.append(("flush", lambda a=agent: world.does(a, a.flush)))
            if agent.undelivered:
                found.append(("words", lambda a=agent: world.does(a, a.deliver_verdicts)))
            due = agent.due()
            if due is not None and due <= world.time:
                found.append(("wake", lambda a=agent: world.does(a, a.wake)))
        for frame in world.network.frames:
            agent = world.agents[frame.receiver]
            if agent.driver is not None and not agent.driver.failing:
                found.append(("deliver", lambda f=frame: self._deliver(f)))
        if not self.healing:
            found.append(("time", lambda: self._pass(random.choice((0.02, 0.1, 0.5, 1.5)))))
            found += self._faults()
        return found

    def _some(self, size: int) -> int:
        return size if self.random.random() < self.taste.whole else self.random.randint(1, size)

    def _faults(self) -> list[tuple[str, Do]]:
        world, random, left = self.world, self.random, self.left
        found: list[tuple[str, Do]] = []

        def fault(kind: str, do: Do) -> None:
            def done() -> None:
                left[kind] -= 1
                do()

            if left.get(kind, 0) > 0:
                found.append((kind, done))

        frames = world.network.frames
        if frames:
            frame = random.choice(frames)
            fault("drop", lambda: frames.remove(frame))
            fault("copy", lambda: frames.append(frame))
        for name, agent in world.agents.items():
            service = world.services[name]
            pipe = service.pipe
            if pipe is not None and not pipe.broken:
                fault(
                    "cut",
                    lambda p=pipe: p.cut(
                        random.randint(0, len(p.up)), random.randint(0, len(p.down))
                    ),
                )
            if agent.driver is not None:
                fault("crash", agent.die)
                fault("power", lambda n=name: self._power_fails(n))
                if not agent.disk.full:
                    fault("full", lambda d=agent.disk: setattr(d, "full", True))
            if service.session is not None:
                fault("kill", service.die)
        names = world.case.processes
        pair = frozenset(random.sample(names, 2))
        if pair not in world.network.apart:
            fault("part", lambda: world.network.apart.add(pair))
        # What heals by itself is no fault, and not counted.
        found += [
            ("time", lambda a=agent: self._restart(a.name))
            for agent in world.agents.values()
            if agent.driver is None and agent.name not in world.case.dead
        ]
        found += [
            ("time", service.start)
            for service in world.services.values()
            if service.session is None and service.name not in world.case.dead
        ]
        found += [("time", lambda p=p: world.network.apart.discard(p)) for p in world.network.apart]
        found += [
            ("time", lambda d=agent.disk: setattr(d, "full", False))
            for agent in world.agents.values()
            if agent.disk.full
        ]
        return found

    def _handle(self, service: Service, flight: object) -> None:
        self.world.app.remove(flight)  # type: ignore[arg-type]
        self.world.does(service, service.handle, flight)

    def _deliver(self, frame: object) -> None:
        world = self.world
        world.network.frames.remove(frame)  # type: ignore[arg-type]
        agent = world.agents[frame.receiver]  # type: ignore[attr-defined]
        world.does(agent, agent.receive, frame.sender, frame.data)  # type: ignore[attr-defined]

    def _restart(self, name: str) -> None:
        agent = self.world.agents[name]
        self.world.does(agent, agent.start)

    def _power_fails(self, name: str) -> None:
        """The machine of a process loses its power: service and agent die, and the last commits
        of the agent may be lost."""
        world = self.world
        agent = world.agents[name]
        agent.die()
        world.services[name].die()
        agent.lose_power(self.random.randint(0, 3))

    def _pass(self, seconds: float) -> None:
        """Time goes on: to what is due next, or not so far. Who slept through it is late."""
        at = rounded_up(self.world.time + seconds)
        later = [due for due in self.world.dues() if due > self.world.time]
        self.world.time = min(at, *later) if later else at

    # A run.

    def play(self) -> None:
        random, weight = self.random, self.taste.weight
        if self.taste.warm:
            self._warm_up()
        for _ in range(self.taste.length):
            moves = self.moves()
            kinds = [kind for kind, _ in moves]
            weights = [weight[kind] / kinds.count(kind) for kind in kinds]
            kind, do = random.choices(moves, weights)[0]
            self.happened[kind] += 1
            do()

    def _warm_up(self) -> None:
        kinds = ("connect", "up", "down", "flush")
        while not all(service.ready for service in self.world.services.values()):
            do = next((do for kind, do in self.moves() if kind in kinds), None)
            if do is None:
                return  # somebody died of it
            do()

    def heal(self, rounds: int = 8000) -> list[str]:
        """Nothing goes wrong any more, and everything that is there is done, first come, first
        served. What still waits after so many rounds."""
        self.healing = True
        world = self.world
        world.network.apart.clear()
        for agent in world.agents.values():
            agent.disk.full = False
        for _ in range(rounds):
            for name, agent in world.agents.items():
                if name not in world.case.dead:
                    if agent.driver is None:
                        self._restart(name)
                    if world.services[name].session is None:
                        world.services[name].start()
            moves = self.moves()
            if moves:
                for _, do in moves[:1]:
                    do()
                continue
            if not world.unfinished():
                return []
            later = min(world.dues(), default=None)
            if later is None:
                break
            world.time = max(world.time, later)
        return world.unfinished()
