"""Random runs of monitors that forget instances once they have been idle for a while: any bindings,
whether or not something begins them anew.

`python -m tests.laws.forgotten RUNS [FIRST]` plays that many and prints what was counted.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any, Final

from choreomon.core.binding import Binding
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.monitor.of_instances.forgetting import Moment, noted, old_clock
from choreomon.monitor.of_instances.monitor import InstanceMonitor
from choreomon.monitor.of_instances.state import Instance, InstancesState
from choreomon.properties.instances import Forgetting, Parameters
from tests.laws.of_instances import NAMES, Flavor, Run, System, draw_system
from tests.properties.test_fresh import PROCESSES, Drawn, draw, drawn_of

FLAVORS: Final = {
    "plain": Flavor(forgets=0.5, stores=0.5, events=(10, 40)),
    "in order": Flavor(forgets=1.0, stores=0.5, in_order=True, events=(10, 40)),
    "long": Flavor(forgets=0.5, stores=0.3, events=(40, 90), most_parameters=2),
    "slow": Flavor(forgets=0.5, stores=0.5, slow=True, events=(20, 60), most_parameters=2),
    "everything": Flavor(
        forgets=0.5,
        stores=0.3,
        gaps=0.05,
        lost=0.1,
        repeated=0.1,
        gives_up=0.05,
        expires=0.1,
        most_open=4,
        in_slices=True,
        events=(10, 40),
    ),
}


def draw_forgetting(random: Random) -> System:
    """A property with labels that begin instances anew or without, since the beginning or not, of
    which instances that bind any sets of parameters are forgotten."""
    found: Drawn | None = None
    begin = random.random() < 0.3
    if random.random() < 0.5:
        drawn = draw(random, drawn_of(random, random.randrange(2), begin=begin))
        found = drawn if isinstance(drawn, Drawn) else None
    if found is None:
        system = draw_system(random, 2, begin=begin)
    else:
        called = {"a": "order", "b": "tenant"}
        carried = {m: tuple(called[n] for n in ns) for m, ns in found.parameters.carried.items()}
        system = System(found.whole, Parameters(tuple(called.values()), carried), PROCESSES)
    sets = [each for size in range(len(NAMES) + 1) for each in combinations(NAMES, size)]
    forgotten = frozenset(each for each in sets if random.random() < 0.8)
    after = float(random.choice((0, 1, 2, 5, 10, 20)))
    parameters = replace(system.parameters, forgetting=Forgetting(after, forgotten))
    return system._replace(parameters=parameters)


class ForgettingRun(Run):
    """A run whose monitors forget. Its time are the events that happened. `forgotten` are all
    instances that were, by process."""

    def __init__(
        self,
        random: Random,
        flavor: Flavor,
        kind: Callable[..., InstanceMonitor] = InstanceMonitor,
        system: System | None = None,
    ) -> None:
        super().__init__(random, flavor, kind, system or draw_forgetting(random))
        self.forgotten: list[list[Binding]] = [[] for _ in self.names]

    def _store(self, p: int) -> None:
        super()._store(p)
        host = self.hosts[p].monitor
        forgetting = host.table.forgetting
        if forgetting is None:
            return
        (clock, monitor), time = self.states[p], float(len(self.events))
        assert isinstance(monitor, InstancesState)
        shared = monitor.shared
        told = noted(shared.forgotten, Moment(time, clock), p, forgetting.after)
        monitor = monitor._replace(shared=shared._replace(forgotten=told))
        until = old_clock(told, time, forgetting.after)
        if until is not None:
            gone = [
                (binding, instance)
                for binding, instance in self.candidates(p, monitor)
                if tuple(name for name, _ in binding) in forgetting.bindings
                and instance.may_be_forgotten(p, until)
                and self.random.random() < self.flavor.forgets
            ]
            if gone:
                monitor = self.without(p, monitor, until, gone)
        self.states[p] = self._stored[p] = self.states[p]._replace(monitor=monitor)

    def candidates(self, p: int, monitor: InstancesState) -> list[tuple[Binding, Instance]]:
        """What may be looked at: of which nothing is in memory."""
        return [each for each in self._cold[p].items() if each[0] not in monitor.instances]

    def without(
        self,
        p: int,
        monitor: InstancesState,
        until: Any,
        gone: list[tuple[Binding, Instance]],
    ) -> InstancesState:
        for binding, _ in gone:
            self._cold[p].pop(binding, None)
            self.forgotten[p].append(binding)
        records = sum(instance.records for _, instance in gone)
        return monitor.without(until, len(gone), records)


def main() -> None:
    runs, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    wrong: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    names = [*FLAVORS]
    for seed in range(first, first + runs):
        run = ForgettingRun(Random(seed), FLAVORS[names[seed % len(names)]]).play()
        wrong += run.wrong()
        said = Counter(run.said.values())
        counted["runs that forget"] += any(run.forgotten)
        counted["events"] += len(run.events)
        counted["forgotten"] += sum(map(len, run.forgotten))
        counted["formed"] += len(run.formed())
        counted["violated"] += said[VIOLATED]
        counted["possibly violated"] += said[POSSIBLY_VIOLATED]
    print(f"{runs} runs, {dict(counted)}, wrong: {dict(wrong)}")


if __name__ == "__main__":
    main()
