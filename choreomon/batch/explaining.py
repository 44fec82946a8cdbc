"""Explanations of verdicts, and who is to blame, within bounds."""

from __future__ import annotations

from choreomon.automata.automaton import Automaton
from choreomon.batch import bounds as bounded
from choreomon.batch.bounds import Bounds
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify import explanation
from choreomon.verify.automaton_verifier import explain_by_automaton
from choreomon.verify.blame import Blame
from choreomon.verify.explanation import Explanation
from choreomon.verify.fault import Fault
from choreomon.verify.verdict import Mode, Verdict


def explained(
    protocol: Interaction | Automaton,
    multitrace: MultiTrace,
    mode: Mode,
    verdict: Verdict,
    *,
    seconds: float | None = None,
    megabytes: int | None = bounded.MEMORY,
) -> Explanation:
    """The explanation, if it is found within this many seconds (None: `bounds.EXPLAINING`) and so
    much memory (None: no bound). If not, its `verdict` is the one that is passed in, and its reason
    says that none was found."""
    # A step through a deep interaction may take long: the clock is checked after each.
    bounds = Bounds(bounded.EXPLAINING if seconds is None else seconds, megabytes, polls=1)
    stopped: list[str] = []

    def should_stop() -> str | None:
        reason = bounds()
        if reason is not None:
            stopped.append(reason)
        return reason

    bounds.start()
    try:
        if isinstance(protocol, Automaton):
            found = explain_by_automaton(protocol, multitrace, mode, should_stop=should_stop)
        else:
            found = explanation.explain(protocol, multitrace, mode, should_stop=should_stop)
    except MemoryError:
        stopped.append("OutOfMemory")
        found = Explanation(verdict, None, None)
    if found.witness is not None or found.failure is not None:
        return found
    reason = found.reason
    if stopped:
        within = "within memory" if stopped[-1] == "OutOfMemory" else "in time"
        reason = f"no explanation was found {within}"
    return Explanation(verdict, None, None, reason)


def blamed(protocol: Interaction | Automaton, multitrace: MultiTrace, mode: Mode) -> Fault | None:
    """Find out who is to blame, within `bounds.EXPLAINING` seconds; None if nobody is, or if that
    takes longer."""
    bounds = Bounds(bounded.EXPLAINING, bounded.MEMORY, polls=1)
    bounds.start()
    try:
        return Blame(protocol, mode, should_stop=bounds).fault(multitrace)
    except MemoryError:
        return None
