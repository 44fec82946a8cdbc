"""Random properties of two rules for each instance, and what monitors say of each rule, held
against the rule by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random

from choreomon.core.binding import Binding
from choreomon.core.stated_rule import RuleStates, StatedRule
from choreomon.core.verdict import VIOLATED
from choreomon.monitor.effects import Declared
from choreomon.monitor.host import HostEffect
from choreomon.monitor.of_instances.monitor import InstanceMonitor
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Parameters
from choreomon.properties.parts import joined, restricted
from choreomon.properties.renumbered import renumbered
from tests.laws.drawn import draw_automaton, draw_begun, draw_changed, processes
from tests.laws.of_instances import NAMES, Flavor, Run, System, well_formed


def draw_system_of_rules(random: Random, flavor: Flavor) -> System:
    """Two rules over the same labels, one of which is a version of the other."""
    names = processes(random.randint(2, 4))
    first = (draw_begun if flavor.begin else draw_automaton)(random, names)
    parts = [first, draw_changed(random, first, names)]
    states = 0
    rules: list[SequenceAutomaton] = []
    for number, part in enumerate(parts):
        named = renumbered(part, states)
        states += len(part.states)
        own = RuleStates(StatedRule(f"r{number}"), frozenset(named.states))
        rules.append(replace(named, rules=(own,)))
    automaton = joined(rules)
    known = NAMES[: random.randint(1, flavor.most_parameters)]
    carried = {
        label.message: frozenset(name for name in known if random.random() < 0.6)
        for label in automaton.labels
    }
    carried = well_formed(automaton, carried)
    parameters = Parameters(known, {m: tuple(sorted(names)) for m, names in carried.items()})
    return System(automaton, parameters, names)


class RunOfRules(Run):
    """A run in which words are about rules."""

    def __init__(
        self,
        random: Random,
        flavor: Flavor,
        kind: Callable[..., InstanceMonitor] = InstanceMonitor,
    ) -> None:
        super().__init__(random, flavor, kind, draw_system_of_rules(random, flavor))
        rules = self.system.automaton.rules
        self.said_of: dict[str, dict[tuple[int, Binding], str | None]] = {
            stated.id: {} for stated, _ in rules
        }

    def _do(self, p: int, effects: list[HostEffect]) -> None:
        others: list[HostEffect] = []
        for effect in effects:
            if not isinstance(effect, Declared) or (effect.verdict and effect.verdict.unseen):
                others.append(effect)
                continue
            stated, states = self.hosts[p].monitor.table.rules[effect.rule]
            if effect.verdict is not None:
                assert all(each.source in states for each in effect.verdict.transitions)
            at = self._index(p, effect.event), effect.binding
            said = self.said_of[stated.id]
            if effect.provisional:
                early = effect.verdict is not None and effect.verdict.kind == VIOLATED
                assert not early or said.get(at) in (None, VIOLATED)
                continue
            assert at not in said, "it is said twice"
            said[at] = effect.verdict.kind if effect.verdict else None
        super()._do(p, others)

    def wrong(self) -> Counter[str]:
        whole, found = self.system, Counter[str]()
        for stated, states in whole.automaton.rules:
            self.system = whole._replace(automaton=restricted(whole.automaton, states))
            self.said = self.said_of[stated.id]
            found += super().wrong()
        self.system = whole
        return found
