"""Monitors beside the processes of a simulated world, one arrangement for each strategy.

A *sidecar* stands beside one process: it is told of labelled events before a sent
message leaves (write-ahead), keeps its monitor, and carries out the effects of the
monitor's steps on the monitoring network. Monitors have channels of their own; the delays
of links hold for them too.

A monitor does one thing at a time, and takes monitoring messages before queued events (Algorithm
1). Its effects happen when it starts, as with the handlers of processes; then it is busy for a
drawn time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.message import Label
from choreomon.core.stated_rule import StatedRule
from choreomon.core.strategy_names import ASKING, StrategyName
from choreomon.monitor.rule_sets import WITHOUT_INQUIRIES
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Parameters
from choreomon.properties.tables import RulesName, TransitionTable
from simulator.sidecars.central import centrally
from simulator.sidecars.pull import pulling
from simulator.sidecars.push import pushing
from simulator.sidecars.run_context import Explained, RunContext, Watchers

Arrangement: TypeAlias = Callable[
    [RunContext, Mapping[str, TransitionTable], RulesName],
    tuple[Mapping[str, Watchers], Explained],
]
"""Puts monitors beside the processes that watch something."""

ARRANGEMENTS: Final[Mapping[StrategyName, Arrangement]] = {
    "pull": pulling,
    "push": pushing,
    "central": centrally,
}


def rules_with(strategy: StrategyName, rules: RulesName) -> RulesName:
    """The rules by which monitors of this strategy judge if `rules` are asked for."""
    return rules if strategy in ASKING else WITHOUT_INQUIRIES[rules].name


def unfit_for(
    automaton: SequenceAutomaton | None,
    parameters: Parameters | None,
    strategy: StrategyName,
    rules: RulesName,
) -> str:
    """The reason why monitors of this strategy, by these rules, cannot judge a property: one for
    each instance, one written as rules, or one with a beginning. Empty if they can."""
    if parameters is not None:
        told = "know of no instances, and the property has for_each: use"
    elif automaton is not None and automaton.begun:
        told = "know of no beginning, and the property has begin: use"
    elif automaton is not None and strategy in ASKING and automaton.rules:
        told = "give no verdicts about single rules, and the document has rules: use"
    elif automaton is not None and (label := _completing_several(automaton)):
        told = f"give one verdict for an event, and {label} completes several rules: use"
    else:
        return ""
    if strategy not in ASKING:
        return f"monitors with the strategy {strategy} {told} pull"
    return "" if rules == "precise" else f"monitors by the rules {rules} {told} precise"


def _completing_several(automaton: SequenceAutomaton) -> Label | None:
    """A label whose events may complete several rules; None where each is about one rule."""
    completed: dict[Label, set[StatedRule]] = {}
    for stated, states in automaton.rules:
        for t in automaton.forward:
            if t.target in automaton.final and t.source in states:
                completed.setdefault(t.label, set()).add(stated)
    return next((label for label, rules in completed.items() if len(rules) > 1), None)


class Monitors(NamedTuple):
    """The monitors of a strategy, in place.

    `watchers`: whom to tell of which labels, by the index of the process. `explained` gives a last
    verdict the reasons that its monitor has by now; ask when the network is quiet. Pulling monitors
    give their final verdicts with them.
    """

    watchers: Sequence[Watchers]
    explained: Explained


def monitors(
    strategy: StrategyName,
    context: RunContext,
    tables: Mapping[str, TransitionTable],
    rules: RulesName,
) -> Monitors:
    """Put the monitors of a strategy in place, beside the processes that watch something by their
    `tables`. The others have nothing to ask, to answer or to tell.

    Tables of several properties can be together if no process watches for two of them.
    """
    tables = {process: table for process, table in tables.items() if table.rows}
    watchers, explained = ARRANGEMENTS[strategy](context, tables, rules)
    return Monitors([watchers.get(process, {}) for process in context.processes], explained)
