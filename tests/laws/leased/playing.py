"""A world in which everything that may happen does, in a random order, and then heals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from random import Random
from typing import Any, NamedTuple, TypeAlias
from unittest.mock import patch

from choreomon.core.message import HANDLE, SEND, Label
from choreomon.core.roles import Roles
from choreomon.monitor import inspection, precise, pull
from choreomon.monitor.rule_sets import RULES
from choreomon.runtime.leases.rules import for_service, to_adopt
from tests.laws.drawn import draw_automaton, draw_scripts
from tests.laws.interleaving import Script
from tests.laws.leased.judging import Wrong, wrong
from tests.laws.leased.world import Agent, World


class Flavor(NamedTuple):
    """How often what may happen, at most. `hangs`: an agent may go on later though its pod has a
    new one. `losses` of stores, when they are taken. `events`: the least and the most.
    `forgets_soon`: records are dropped as soon as nobody may ask about them."""

    joins: int = 4
    leaves: int = 3
    kills: int = 2
    restarts: int = 2
    pauses: int = 2
    losses: int = 0
    drops: int = 2
    deaths: int = 1
    hangs: bool = False
    events: tuple[int, int] = (4, 16)
    forgets_soon: bool = False


ANY = Flavor()
BUSY = Flavor(joins=10, leaves=8, pauses=4, kills=2, restarts=3, events=(8, 24))
LOSING = Flavor(losses=2, events=(8, 24))
HANGING = Flavor(hangs=True, restarts=8, kills=0, events=(8, 24))
EVERYTHING = Flavor(10, 8, 2, 6, 4, 2, 4, 2, True, events=(8, 24))
LONG = Flavor(joins=8, leaves=8, kills=3, drops=0, events=(30, 70), forgets_soon=True)
FLAVORS = {
    "any": ANY, "busy": BUSY, "losing": LOSING, "hanging": HANGING, "everything": EVERYTHING,
    "long": LONG,
}  # fmt: skip


Move: TypeAlias = tuple[str, Any]
"""What happens, and to which agent, or in which role."""


class Playing:
    """A world with scripts of what services send, and what may still go wrong in it."""

    def __init__(self, world: World, scripts: tuple[Script, ...], flavor: Flavor) -> None:
        self.world, self.random = world, world.random
        roles = world.roles.slots
        self.scripts = {role: [*script] for role, script in zip(roles, scripts, strict=True)}
        self.left = {
            kind: getattr(flavor, f"{kind}s")
            for kind in ("join", "leave", "kill", "restart", "pause", "drop", "death")
        } | {"loss": flavor.losses}
        self.hangs = flavor.hangs

    def join(self, role: str) -> None:
        """A pod more gets the slot that is best for it, or any that it may have."""
        world = self.world
        leases, now = world.engine.look(role), world.engine.now
        best = for_service(leases, "new", now)
        if best is None:
            world.counts["refused pods"] += 1
            return
        free = [each.slot for each in leases if each.until <= now or not each.used]
        world.joins(role, best.slot if self.random.random() < 0.5 else self.random.choice(free))

    def acting(self) -> list[Agent]:
        """The agents that do something."""
        return [each for each in self.world.agents if each.alive and not each.paused]

    def moves(self) -> list[Move]:
        """What may happen next. Of frames, all of which are as likely, there is one move for each
        that may arrive."""
        world, left = self.world, self.left
        found: list[Move] = [("time", None)]
        acting = self.acting()
        roles = [agent.role for agent in acting]
        for agent in acting:
            if agent.has_service:
                found += self._of_service(agent)
            found += [("commit", agent) for beside in agent.slots.values() if beside.batch]
            found.append(("look", agent))
            if self.may_adopt(agent):
                found.append(("adopt", agent))
            if agent.slots:
                found += [("renew", agent), ("again", agent)]
            if left["leave"] and roles.count(agent.role) > 1:
                found.append(("leave", agent))
            if left["kill"]:
                found.append(("kill", agent))
            if left["pause"]:
                found.append(("pause", agent))
            if left["restart"] and agent.has_service:
                found.append(("restart", agent))
        paused = [each for each in world.agents if each.alive and each.paused]
        found += [("wake", each) for each in paused]
        if left["join"]:
            found += [("join", role) for role in self.scripts]
        kept = sum(frame.to in paused for frame in world.frames) if paused else 0
        found += [("deliver", None)] * (len(world.frames) - kept)
        if left["drop"] and world.frames:
            found.append(("drop", None))
        return found

    def _of_service(self, agent: Agent) -> list[Move]:
        found: list[Move] = []
        service = agent.service
        if agent.own is None:
            found.append(("own", agent))
        elif not service.greeted:
            found.append(("greet", agent))
        elif service.welcomed and service.waiting is None:
            if self.scripts[agent.role]:
                found.append(("send", agent))
            if self.world.inboxes[agent.role]:
                found.append(("handle", agent))
        if agent.replies:
            found.append(("answer", agent))
        return found

    def perform(self, move: Move) -> None:
        """Do it."""
        world, random, left = self.world, self.random, self.left
        world.engine.now += 1
        kind, who = move
        if kind in left:
            left[kind] -= 1
        match kind:
            case "send":
                message = self.scripts[who.role].pop(0)
                world.happens(who, Label(SEND, message), who.service.carried)
            case "handle":
                inbox = world.inboxes[who.role]
                message, clock = inbox.pop(random.randrange(len(inbox)))
                world.happens(who, Label(HANDLE, message), clock)
            case "commit":
                dies = left["death"] > 0 and random.random() < 0.03
                left["death"] -= dies
                slot = random.choice([slot for slot, each in who.slots.items() if each.batch])
                world.commits(who, slot, dies=dies)
            case "renew":
                world.renews(who)
            case "look":
                world.looks_up(who)
            case "again":
                for slot in [*who.slots]:
                    world.asks_again(who, slot)
            case "adopt":
                self.adopt(who, all_of_them=False)
            case "own":
                slots = world.takeable(who)
                if slots:
                    world.take(who, random.choice(slots), used=True, loses=self.loses())
            case "greet":
                world.greets(who)
            case "answer":
                world.answers(who)
            case "leave":
                world.leaves(who)
            case "kill":
                who.alive = False
                world.counts["kills"] += 1
            case "restart":
                self.restart(who)
            case "pause" | "wake":
                who.paused = kind == "pause"
            case "join":
                self.join(who)
            case "deliver":
                ready = [
                    n
                    for n, frame in enumerate(world.frames)
                    if frame.to is None or not (frame.to.alive and frame.to.paused)
                ]
                world.arrives(world.frames.pop(random.choice(ready)))
            case "drop":
                world.frames.pop(random.randrange(len(world.frames)))

    def loses(self) -> bool:
        """Whether a store is lost now."""
        if self.left["loss"] and self.random.random() < 0.3:
            self.left["loss"] -= 1
            return True
        return False

    def may_adopt(self, agent: Agent) -> bool:
        """Whether there may be something to adopt."""
        engine = self.world.engine
        for slot in engine.slots[agent.role]:
            lease = engine.leases[slot]
            late = not lease.holder or lease.until <= engine.now
            if (late or agent.starts) and slot not in agent.holding.numbers:
                return True
        return False

    def adopt(self, agent: Agent, *, all_of_them: bool) -> None:
        """An agent takes slots for which nobody answers."""
        world = self.world
        leases = world.engine.look(agent.role)
        numbers, now = agent.holding.numbers, world.engine.now
        free = to_adopt(leases, agent.pod, numbers, now, starts=agent.starts)
        agent.starts = False
        if free and not all_of_them:
            free = [self.random.choice(free)]
        for lease in free:
            world.take(agent, lease.slot, used=False, loses=self.loses())

    def restart(self, agent: Agent) -> None:
        """The agent of a pod is started again, and gets its own slot, or another one."""
        slots = self.world.takeable(agent)
        own = agent.holding.own
        hangs = self.hangs and self.random.random() < 0.5
        if own in slots and self.random.random() < 0.5:
            slots = [own]
        if slots:
            self.world.restarts(agent, self.random.choice(slots), hangs=hangs)

    def play(self, most: int = 600) -> Playing:
        """Everything in a random order, and then what heals."""
        random = self.random
        for role, count in self.world.roles.slots.items():
            for _ in range(random.randint(1, count)):
                self.join(role)
        often = (0.05, 0.3, 1.0, 3.0)
        eager = {kind: random.choice(often) for kind in ("commit", "adopt", "deliver", "wake")}
        eager |= {kind: random.choice(often[1:]) for kind in ("own", "greet", "answer")}
        rarely = ("join", "leave", "kill", "restart", "pause", "drop")
        eager |= {kind: random.choice((0.02, 0.1)) for kind in rarely}
        eager |= {kind: random.choice((0.3, 1.0, 3.0)) for kind in ("send", "handle")}
        eager |= {kind: random.choice((0.02, 0.1)) for kind in ("time", "again")}
        eager |= {"renew": random.choice((0.02, 0.1, 0.3)), "look": random.choice((0.01, 0.1))}
        waits = {"send", "handle", "commit", "deliver", "greet", "answer"}
        for _ in range(most):
            moves = self.moves()
            if not any(self.scripts.values()) and waits.isdisjoint([kind for kind, _ in moves]):
                break
            self.perform(random.choices(moves, [eager[kind] for kind, _ in moves])[0])
        self.settle()
        return self

    def settle(self) -> None:
        """Nothing goes wrong any more. Whoever hangs wakes, or is dead; whoever lives goes on until
        nothing is left to do."""
        world = self.world
        self.left = dict.fromkeys(self.left, 0)
        for agent in world.agents:
            if agent.paused and self.random.random() < 0.5:
                agent.alive = False
            agent.paused = False
        rounds = 0
        while rounds < 4 or (rounds < 30 and self.is_busy()):
            rounds += 1
            world.engine.now += 10 * world.engine.seconds if rounds == 1 else 1
            for agent in self.acting():
                self.commit(agent)
                world.renews(agent)
            for role in self.scripts if rounds < 4 else ():
                if not any(each.role == role and each.has_service for each in self.acting()):
                    self.join(role)
            for agent in self.acting():
                self.go_on(agent)
            while world.frames:
                world.arrives(world.frames.pop(0))
                for agent in self.acting():
                    self.commit(agent)

    def is_busy(self) -> bool:
        """Whether something is still waited for."""
        return any(
            (agent.has_service and agent.service.waiting is not None)
            or any(
                host.monitor.inspections or host.monitor.decisions
                for beside in agent.slots.values()
                for host in beside.state.hosts
            )
            for agent in self.acting()
        )

    def commit(self, agent: Agent) -> None:
        """All that waits for it."""
        for slot in [*agent.slots]:
            while slot in agent.slots and agent.slots[slot].batch:
                self.world.commits(agent, slot)

    def go_on(self, agent: Agent) -> None:
        """What an agent does when nothing goes wrong."""
        world = self.world
        if agent.has_service and agent.own is None:
            slots = world.takeable(agent)
            if slots:
                world.take(agent, slots[0], used=True)
        self.adopt(agent, all_of_them=True)
        if agent.has_service and agent.own is not None and not agent.service.greeted:
            world.greets(agent)
        self.commit(agent)
        world.answers(agent)
        self.commit(agent)
        world.answers(agent)
        world.looks_up(agent)
        for slot in [*agent.slots]:
            world.asks_again(agent, slot)


def draw(seed: int, flavor: Flavor = ANY, bug: str = "") -> Playing:
    """A property, roles and scripts."""
    random = Random(f"leases {seed}")
    names = ("A", "B", "C")[: random.choice((2, 2, 3))]
    automaton = draw_automaton(random, names, handled=0.3)
    roles = Roles({name: random.choice((1, 2, 2, 3)) for name in names})
    rules = RULES[random.choice(("precise", "precise", "sound"))]
    scripts = draw_scripts(random, automaton, names, events=flavor.events)
    lease = random.choice((6, 15, 40))
    world = World(random, automaton, roles, rules, lease=lease, bug=bug)
    return Playing(world, scripts, flavor)


@contextmanager
def forgetting_soon() -> Iterator[None]:
    """While this lasts, monitors drop what they may as soon as they may."""
    with (
        patch.object(inspection, "SMALL", 1),
        patch.object(pull, "SMALL", 1),
        patch.object(precise, "KEPT_DOMINATED", 0),
    ):
        yield


def played(seed: int, flavor: Flavor = ANY, bug: str = "") -> tuple[World, list[Wrong]]:
    """A run, and what is wrong in it."""
    with forgetting_soon() if flavor.forgets_soon else nullcontext():
        world = draw(seed, flavor, bug).play().world
    return world, wrong(world)
