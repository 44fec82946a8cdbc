"""Decides areas of logs together, and the logs that come with some of them.

The second step of the automata paper's semi-centralized procedure, for areas that were made
elsewhere (`choreomon.automata.local_verifier`). Areas alone can say that logs are wrong: one of
them, or several that have no accepting path in common. To show that they are right takes the logs.
Even if some locations sent only their area, logs of the others that contradict each other whatever
happened elsewhere settle the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from choreomon.automata.automaton import Automaton
from choreomon.automata.local_view import Edges
from choreomon.automata.logs import Log, letters_on
from choreomon.automata.reduced import Reduced
from choreomon.automata.semi_centralized import has_path, intersection
from choreomon.core.action import Action
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.verify.automaton_verifier import MISSING, AutomatonMode, AutomatonVerifier
from choreomon.verify.fault import Fault, Location, pairs, smallest
from choreomon.verify.verdict import Verdict


@dataclass(frozen=True)
class Area:
    """The report of a location on its log. `edges` is None where the log is wrong by itself,
    `trace` where the location did not send it. `digest` identifies the automaton, `mode` the
    question."""

    digest: str
    mode: AutomatonMode
    lifelines: Location
    edges: Edges | None
    trace: tuple[Action, ...] | None = None


class CentralCheck(NamedTuple):
    """`verdict` is None if more input is needed: the areas of `lifelines`, which nobody sent, or
    the `traces` of locations."""

    verdict: Verdict | None
    fault: Fault | None = None
    lifelines: tuple[str, ...] = ()
    traces: tuple[Location, ...] = ()


def central_check(automaton: Automaton, areas: Sequence[Area]) -> CentralCheck:
    """Decide the areas: of one mode, of this automaton, and of locations without a common lifeline.
    A location without letters needs no trace: its log is empty, or wrong.
    """
    wrong = tuple(area.lifelines for area in areas if area.edges is None)
    if wrong:
        return CentralCheck(Verdict.FAIL, Fault("LocalError", wrong))

    def no_path(chosen: Sequence[int]) -> bool:
        return not has_path(automaton, intersection(areas[one].edges for one in chosen))

    every = range(len(areas))
    if areas and no_path(every):
        failing = pairs(len(areas), no_path)
        found = failing[0] if failing else smallest(len(areas), no_path)
        return CentralCheck(
            Verdict.FAIL,
            Fault(
                "InterError",
                tuple(areas[one].lifelines for one in found),
                tuple((areas[one].lifelines, areas[other].lifelines) for one, other in failing),
            ),
        )
    known = {name for area in areas for name in area.lifelines}
    unknown = tuple(name for name in automaton.lifelines if name not in known)
    silent = tuple(
        area.lifelines
        for area in areas
        if area.trace is None and letters_on(automaton, area.lifelines)
    )
    if not unknown and not silent:
        mode = areas[0].mode if areas else "accept"
        logs = [Component(area.lifelines, area.trace or ()) for area in areas]
        verdict = AutomatonVerifier(automaton, mode).decide(MultiTrace(tuple(logs))).verdict
        if verdict.passes:
            return CentralCheck(verdict)
    fault = _disagreement(automaton, areas)
    if fault is not None:
        return CentralCheck(Verdict.FAIL, fault)
    return CentralCheck(None, None, unknown, silent)


def _disagreement(automaton: Automaton, areas: Sequence[Area]) -> Fault | None:
    """Return the received logs that contradict each other, whatever happened elsewhere."""
    logs: list[Log] = [(area.lifelines, area.trace) for area in areas if area.trace is not None]
    reduced = Reduced(automaton)

    def unexplained(chosen: Sequence[int]) -> bool:
        asked = [logs[one] for one in chosen]
        told = {name for own, _ in asked for name in own}
        free = [name for name in automaton.lifelines if name not in told]
        return not reduced.decide(asked, MISSING[areas[0].mode], free).explained

    if not logs or not unexplained(range(len(logs))):
        return None
    found = smallest(len(logs), unexplained)
    return Fault("CentralError", tuple(tuple(logs[one][0]) for one in found))
