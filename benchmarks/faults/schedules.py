"""The faults, each as what is done to a running system; and one schedule from its seed to what was
found."""

from __future__ import annotations

import asyncio
import signal
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.faults.judging import HARMLESS, Broken, Judged, judge
from benchmarks.faults.plan import Plan, draw_plan, remove, with_policy
from benchmarks.faults.system import System, TookTooLong, Way
from benchmarks.faults.wires import Frames, Wire
from choreomon.agent_files.local import Policy

Fault = Callable[[System, Random], Awaitable[None]]


@dataclass(frozen=True)
class Kind:
    """One fault. `shape` makes of a drawn plan what the fault needs. `own_agents`: it reaches into
    the agents, so that they are `benchmarks.faults.agent`. `harmless`: why agents may refuse
    something in it, besides what they always may. `instances`: it can be done to monitors of a
    property for each instance."""

    name: str
    told: str
    fault: Fault
    way: Way = "direct"
    own_agents: bool = False
    harmless: frozenset[str] = frozenset()
    shape: Callable[[Plan], Plan] = lambda plan: plan
    instances: bool = True


@dataclass
class Outcome:
    """Of one schedule. `disturbed`: frames, or pieces of streams, that did not go as they should
    have."""

    seed: int
    judged: Judged
    kills: int
    disturbed: int
    seconds: float
    kept: str = ""
    """The folder of a schedule that broke a law."""


# ---------------------------------------------------------------- the faults


def victim(system: System, random: Random) -> str:
    """Mostly one whose events the property mentions, so that something is hit."""
    return random.choice(system.plan.busy if random.random() < 0.8 else system.plan.names)


async def agents_are_killed(system: System, random: Random) -> None:
    """One after the other, each started again after up to half a second."""
    for place in range(4):
        await system.events_flow(0.1 + 0.2 * place)
        await system.somebody_is_answered()
        name = victim(system, random)
        await system.kill("agent", name)
        await asyncio.sleep(random.random() * 0.5)
        await system.start_agent(name)


async def all_agents_are_killed(system: System, random: Random) -> None:
    """At once, twice."""
    for share in (0.25, 0.6):
        await system.events_flow(share)
        await system.kill("agent", *system.plan.names)
        await asyncio.sleep(random.random() * 0.5)
        await asyncio.gather(*[system.start_agent(name) for name in system.plan.names])


async def services_are_killed(system: System, random: Random) -> None:
    """Of services that let messages leave, half are killed when their agent has been away for
    longer than the lease, and started before it."""
    for place in range(3):
        await system.events_flow(0.1 + 0.25 * place)
        await system.somebody_is_answered()
        name = victim(system, random)
        away = system.plan.policy != "block" and random.random() < 0.5
        if away:
            await system.kill("agent", name)
            await asyncio.sleep(system.plan.lease * (1 + random.random()))
        await system.kill("service", name)
        await asyncio.sleep(random.random() * 0.3)
        await system.start_service(name)
        if away:
            await asyncio.sleep(random.random() * 0.3)
            await system.start_agent(name)


def unreachable(seconds: float) -> Fault:
    """Nothing goes to the agent of one process, nor from it, for so long; connections stay."""

    async def fault(system: System, random: Random) -> None:
        for share in (0.2, 0.6):
            await system.events_flow(share)
            name = victim(system, random)
            system.struck(name)
            wires = [wire for ends, wire in system.ways.items() if name in ends]
            for wire in wires:
                assert isinstance(wire, Wire)
                wire.stall()
            await asyncio.sleep(seconds)
            for wire in wires:
                assert isinstance(wire, Wire)
                wire.go_on()

    return fault


async def frames_are_disturbed(system: System, random: Random) -> None:
    """From the beginning to the end of all scripts."""
    for way in system.ways.values():
        assert isinstance(way, Frames)
        way.lost, way.repeated, way.delayed = 0.25, 0.25, 0.4
    for place in range(4):
        await system.events_flow(0.2 + 0.2 * place)
        system.struck(*system.plan.names)
    await system.events_flow(1.0)
    for way in system.ways.values():
        assert isinstance(way, Frames)
        way.lost = way.repeated = way.delayed = 0.0


async def connections_are_disturbed(system: System, random: Random) -> None:
    """Every piece of every stream is late, and connections break."""
    wires = [wire for wire in system.ways.values() if isinstance(wire, Wire)]
    for wire in wires:
        wire.delay = 0.15
    for place in range(6):
        await system.events_flow(0.1 + 0.15 * place)
        system.struck(*system.plan.names)
        for wire in wires:
            if random.random() < 0.5:
                wire.cut()
    await system.events_flow(1.0)
    for wire in wires:
        wire.delay = 0.0


async def disks_are_full(system: System, random: Random) -> None:
    """For up to a second and a half, twice; half of the agents are killed meanwhile."""
    for share in (0.2, 0.6):
        await system.events_flow(share)
        name = victim(system, random)
        system.signal("agent", name, signal.SIGUSR1, strikes=False)

        async def is_full(name: str = name) -> bool:
            status = await system.status(name)
            return status is not None and bool(status.failing)

        end = time.monotonic() + 2.0
        while not await is_full() and time.monotonic() < end:
            await asyncio.sleep(0.01)
        system.struck(name)
        await asyncio.sleep(random.random() * 1.5)
        if random.random() < 0.5:
            await system.kill("agent", name)
            await system.start_agent(name)
        else:
            system.signal("agent", name, signal.SIGUSR2, strikes=False)


async def agents_stand_still(system: System, random: Random) -> None:
    """Longer than leases last, and shorter, one after the other."""
    for place in range(4):
        await system.events_flow(0.1 + 0.2 * place)
        name = victim(system, random)
        await system.somebody_waits(name)
        system.signal("agent", name, signal.SIGSTOP, strikes=True)
        await asyncio.sleep(random.choice((0.3, 1.0, 2.0)) * system.plan.lease)
        system.signal("agent", name, signal.SIGCONT, strikes=False)


async def services_stand_still(system: System, random: Random) -> None:
    """So that promises end which their services do not know of."""
    for place in range(4):
        await system.events_flow(0.1 + 0.2 * place)
        name = victim(system, random)
        await system.somebody_waits(name)
        system.struck_service(name)
        system.signal("service", name, signal.SIGSTOP, strikes=False)
        await asyncio.sleep(random.choice((0.3, 1.0, 2.0)) * system.plan.lease)
        system.signal("service", name, signal.SIGCONT, strikes=False)


async def wall_clocks_jump(system: System, random: Random) -> None:
    """Forth and back, by up to three days, in every agent; one is killed in between."""
    for place in range(8):
        await system.events_flow(0.1 + 0.1 * place)
        for name in system.plan.names:
            system.signal("agent", name, signal.SIGHUP, strikes=True)
        if place == 4:
            name = victim(system, random)
            await system.kill("agent", name)
            await system.start_agent(name)


async def a_second_split_follows(system: System, random: Random) -> None:
    """It is opened, the first one is closed, drained and left out, as docs/operations.md has it,
    while events go on; between the steps agents are killed."""
    names = [*system.plan.names]

    async def step(share: float, splits: Sequence[int], closing: Sequence[int] = ()) -> None:
        await system.events_flow(share)
        for name in random.sample(names, len(names)):
            system.struck(name)
            await system.roll(name, splits, closing)
            if random.random() < 0.4:
                other = victim(system, random)
                await system.kill("agent", other)
                await system.start_agent(other)

    await step(0.15, (1, 2))
    await system.until_status(lambda each: len(each.properties) == 2, "the second split is open")
    await step(0.4, (2,), (1,))
    await system.until_status(
        lambda each: any(every.drained for every in each.properties), "the first split is drained"
    )
    await step(0.7, (2,))
    await system.until_status(lambda each: len(each.properties) == 1, "the first split is closed")


async def everything(system: System, random: Random) -> None:
    """Frames are lost, repeated and late, and agents and services are killed and stopped."""
    for way in system.ways.values():
        assert isinstance(way, Frames)
        way.lost, way.repeated, way.delayed = 0.15, 0.15, 0.3
    for fault in (agents_are_killed, services_are_killed, agents_stand_still):
        await fault(system, random)
    for way in system.ways.values():
        assert isinstance(way, Frames)
        way.lost = way.repeated = way.delayed = 0.0


# ---------------------------------------------------------------- what they need


def insecure(plan: Plan) -> Plan:
    return replace(plan, curve=False)


def policy(name: Policy) -> Callable[[Plan], Plan]:
    return lambda plan: with_policy(plan, name)


def mixed(plan: Plan) -> Plan:
    """One of the policies that keep their promises."""
    policies: tuple[Policy, ...] = ("block", "block", "buffer", "let-go")
    return with_policy(plan, policies[plan.seed % 4])


def impatient(plan: Plan) -> Plan:
    """Half of the systems give up before a peer is back, or bound what is open."""
    random = Random(f"impatient {plan.seed}")
    give_up, most_open = random.choice(((60.0, 512), (60.0, 512), (0.8, 512), (60.0, 4)))
    return replace(plan, give_up=give_up, most_open=most_open)


def unhurried(plan: Plan) -> Plan:
    """With the timeouts that agents have by default, and long enough for two long faults."""
    return replace(plan, lease=5.0, deadline=1.0, pause=10 * plan.pause)


KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        Kind("agent", "`kill -9` of an agent", agents_are_killed),
        Kind(
            "agent-leaving",
            "the same, services that let messages leave",
            agents_are_killed,
            own_agents=True,
            shape=lambda plan: with_policy(plan, "buffer" if plan.seed % 2 else "let-go"),
        ),
        Kind("all-agents", "restart of all agents at once", all_agents_are_killed),
        Kind(
            "service-block",
            "`kill -9` of a service, `block`",
            services_are_killed,
            own_agents=True,
            shape=policy("block"),
        ),
        Kind(
            "service-buffer",
            "`kill -9` of a service, `buffer`",
            services_are_killed,
            own_agents=True,
            shape=policy("buffer"),
        ),
        Kind(
            "service-let-go",
            "`kill -9` of a service, `let-go`",
            services_are_killed,
            own_agents=True,
            shape=policy("let-go"),
        ),
        Kind(
            "unreachable",
            "a peer unreachable for 1.5 s, lease 0.6 s",
            unreachable(1.5),
            way="wire",
            shape=impatient,
        ),
        Kind(
            "unreachable-10s",
            "a peer unreachable for 10 s, lease 5 s",
            unreachable(10.0),
            way="wire",
            shape=unhurried,
        ),
        Kind(
            "frames",
            "frames lost, repeated, late, reordered",
            frames_are_disturbed,
            way="frames",
            shape=insecure,
        ),
        Kind("connections", "streams late and broken", connections_are_disturbed, way="wire"),
        Kind("disk", "disk full", disks_are_full, own_agents=True, shape=mixed),
        Kind(
            "slow-agent", "an agent stands still", agents_stand_still, own_agents=True, shape=mixed
        ),
        Kind(
            "slow-service",
            "a service stands still",
            services_stand_still,
            own_agents=True,
            shape=mixed,
        ),
        Kind("wall-clock", "wall clocks jump", wall_clocks_jump, own_agents=True),
        Kind(
            "rollout",
            "a second split follows, and agents are killed",
            a_second_split_follows,
            harmless=frozenset({"system", "closed"}),
            instances=False,
        ),
        Kind(
            "everything",
            "kills, stops and bad frames together",
            everything,
            way="frames",
            own_agents=True,
            shape=lambda plan: mixed(insecure(plan)),
        ),
    )
}


# ---------------------------------------------------------------- one schedule


async def play(
    kind: Kind,
    seed: int,
    *,
    messages: int = 240,
    instances: bool = False,
    keep: Callable[[System], None] | None = None,
) -> Outcome:
    """One schedule. Its folder is removed, unless a law was broken. `keep` is given what was played
    before that."""
    began = time.monotonic()
    plan = kind.shape(draw_plan(seed, messages=messages, instances=instances))
    folder = Path(tempfile.mkdtemp(prefix="choreomon-"))
    system = System(folder, plan, way=kind.way, own_agents=kind.own_agents)
    broken: list[Broken] = []
    try:
        try:
            await system.start()
            await kind.fault(system, system.random)
            await system.finish()
        except TookTooLong as late:
            broken.append(Broken("quiet", str(late)))
        finally:
            await system.stop()
        judged = judge(system.premises, system.moments)
        judged.broken += broken
        for name, refused in system.refused.items():
            strange = {reason: count for reason, count in refused.items() if count}
            if strange.keys() - HARMLESS - kind.harmless:
                judged.broken.append(Broken("honest", f"{name} refused {strange}"))
    except BaseException:
        print(f"{kind.name}, seed {seed}: see {folder}", flush=True)
        raise
    disturbed = sum(way.disturbed for way in system.ways.values())
    outcome = Outcome(seed, judged, system.kills, disturbed, time.monotonic() - began)
    if keep is not None:
        keep(system)
    if judged.broken:
        outcome.kept = str(folder)
    else:
        remove(system.premises)
    return outcome


async def play_until_hit(
    kind: Kind, seed: int, *, most: int = 10, messages: int = 240, instances: bool = False
) -> Outcome:
    """Schedules with one seed after the other until one hits an unanswered inquiry or an
    unacknowledged event, or breaks a law."""
    for again in range(most):
        place = seed + 1_000_003 * again
        outcome = await play(kind, place, messages=messages, instances=instances)
        if outcome.judged.hits or outcome.judged.broken:
            break
    return outcome
