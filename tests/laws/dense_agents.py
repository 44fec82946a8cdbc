"""Live agents over the wire format, many events open at once: runs of `tests.runtime.world`, judged
by `tests.laws.every_event` where everything was told, and by the real order where not."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, VerdictKind
from choreomon.monitor.effects import Unsettled
from choreomon.monitor.host import Host
from choreomon.monitor.rules import Rules
from choreomon.monitor.state import MonitorState
from choreomon.properties.partial_order import Formed, evaluate
from choreomon.properties.reference import formations
from tests.laws.drawn import Dense
from tests.laws.every_event import Played, Wrong, wrong_words
from tests.runtime.world.drawn import ANY, Flavor, draw_case, draw_taste
from tests.runtime.world.playing import Playing
from tests.runtime.world.truth import Key
from tests.runtime.world.world import Build, World

AGENTS: Final = ANY._replace(
    processes=(2, 3),
    events=(5, 12),
    policies=("block",),
    faults=("crash", "cut", "drop", "copy"),
    length=300,
    dense=Dense(),
    tempo={"send": (3.0,), "up": (3.0,), "flush": (3.0,), "down": (3.0,), "deliver": (0.05, 0.2)},
)
"""Nothing is lost for good: whoever dies comes back with all that it was told."""


class NotesUnsettled(Host):
    """Keeps the counts of events that its monitor could not settle."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "unsettled", set())

    def step(self, state: MonitorState, clock: VectorClock, input_: Any) -> Any:
        stepped = super().step(state, clock, input_)
        own = self.monitor.own
        self.unsettled.update(  # type: ignore[attr-defined]
            each.event[own] for each in stepped[2] if isinstance(each, Unsettled)
        )
        return stepped


def played_agents(flavor: Flavor, rules: Rules, random: Random) -> Played:
    case = draw_case(random, flavor, build=Build(host=NotesUnsettled, rules=rules))
    playing = Playing(case, draw_taste(random, flavor), random)
    playing.play()
    left = playing.heal()
    world, truth = playing.world, playing.world.truth
    wrong = [Wrong(each.law, each.what) for each in (*truth.broken, *truth.judge())]
    wrong += [Wrong("waits for ever", each) for each in left]
    wrong += [Wrong("honest", each) for each in world.complaints]
    last: dict[Key, VerdictKind | None] = {
        (agent, said.declared.system, said.declared.event_count): said.declared.verdict.kind
        for agent, said in truth.words()
        if not said.declared.provisional
    }
    unsettled = _unsettled(world)
    formed = may_form = 0
    for system, automaton in enumerate(case.automata):
        order = truth.order(system, by_leaving=False)
        formed += len(formations(automaton, [label for _, label, _ in order]))
        told = truth.all_told(system)
        if told is None:
            continue
        orders = dict(zip(told, evaluate(automaton, case.processes, [*told.values()]), strict=True))
        may_form += sum(each is not Formed.NEVER for each in orders.values())
        wrong += wrong_words(
            orders,
            last,
            {key for key in unsettled if last.get(key) == POSSIBLY_VIOLATED},
            precise=rules.name == "precise",
        )
    return Played(
        truth.events,
        formed,
        may_form,
        sum(word == VIOLATED for word in last.values()),
        sum(word == POSSIBLY_VIOLATED for word in last.values()),
        len(unsettled),
        tuple(wrong),
    )


def _unsettled(world: World) -> set[Key]:
    return {
        (host.monitor.process, system, count)
        for hosts in world._hosts
        for system, host in enumerate(hosts)
        for count in host.unsettled  # type: ignore[attr-defined]
    }
