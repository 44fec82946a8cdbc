"""Transition tables as Definitions 5 to 7 have them, transition by transition: what
`choreomon.properties.tables` finds once for all owners of a step."""

from __future__ import annotations

from collections.abc import Sequence

from choreomon.core.message import BEGIN
from choreomon.core.verdict import Reference
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.relations import cancels
from choreomon.properties.tables import RulesName

Rests = dict[Reference, set[tuple[Reference | None, frozenset[Reference]]]]
"""By reference each pre-transition with its vio-transitions, and `None` where it may start."""


def rows_by_definition(
    automaton: SequenceAutomaton, process: str, rules: RulesName
) -> set[tuple[Transition, Reference | None, frozenset[Reference]]]:
    return {
        (t, pre, vio)
        for t in (*automaton.forward, *automaton.backward)
        if t.label.process == process and t.label != BEGIN
        for pre, vio in _rests(automaton, t, rules)
    }


def _rests(
    automaton: SequenceAutomaton, t: Transition, rules: RulesName
) -> set[tuple[Reference | None, frozenset[Reference]]]:
    backward = t in automaton.backward
    found: set[tuple[Reference | None, frozenset[Reference]]] = set()
    for pre in automaton.forward:
        if pre.target != t.source or (backward and pre.source not in automaton.reach[t.target]):
            continue
        vio = frozenset(v.reference for v in automaton.backward if cancels(automaton, v, pre))
        found.add((pre.reference, frozenset() if backward and rules == "paper" else vio))
    if not backward and t.source in automaton.initial and (rules != "paper" or not found):
        found.add((None, frozenset()))
    return found


def skeletons_by_definition(
    automaton: SequenceAutomaton, processes: Sequence[str]
) -> dict[str, Rests]:
    """Of each process what its own transitions rest on, and what these rest on, and so on."""
    every: Rests = {}
    for t in (*automaton.forward, *automaton.backward):
        starts = t in automaton.forward and t.source in automaton.initial
        every[t.reference] = set() if starts else _rests(automaton, t, "sound")
    found = {}
    for process in processes:
        known = {each for each in every if each.process == process}
        while True:
            more = {
                each
                for reference in known
                for pre, vio in every[reference]
                for each in (*([pre] if pre else []), *vio)
            } - known
            if not more:
                break
            known |= more
        found[process] = {reference: every[reference] for reference in known}
    return found
