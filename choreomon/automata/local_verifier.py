"""Local verifiers as values: what a machine needs to check its own log, and nothing more.

The automata paper, Definitions 5 to 7: the deterministic automaton of one location with its areas,
complete, for use without the protocol. It has the location's letters and numbers of edges; only the
protocol, identified by its digest, says what the edges are.

Deviation: also for logs that may lack letters, with what is free before and after them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from choreomon.automata.automaton import Automaton
from choreomon.automata.local_view import Edges, LocalView
from choreomon.automata.logs import Missing, letters_on
from choreomon.core.action import Action

Location: TypeAlias = tuple[str, ...]


class Start(NamedTuple):
    """The state in which logs begin, and the edges that may have been taken before."""

    state: int
    edges: Edges


class End(NamedTuple):
    """The meaning of a state at the end of a log. `final`: a whole log may end here; `ends`: a log
    that lacks letters afterwards may; `edges`: those that may be taken by then."""

    final: bool
    ends: bool
    edges: Edges


class Step(NamedTuple):
    """The target of a letter, with its edges and those of others that may follow."""

    target: int
    edges: Edges


@dataclass(frozen=True)
class LocalVerifier:
    """The verifier of one location.

    - `digest`: that of the automaton; `edges`: how many it has;
    - `lifelines`: the location, sorted;
    - `whole`, `late`: the starts of whole logs, and of logs that may lack letters before; None if
      nothing is accepted;
    - `ends`: by state;
    - `steps`: by state, by letter. Letters that lead nowhere are left out.
    """

    digest: str
    edges: int
    lifelines: Location
    whole: Start | None
    late: Start | None
    ends: tuple[End, ...]
    steps: tuple[dict[Action, Step], ...]


class Checked(NamedTuple):
    """The area of a log; None if it is wrong by itself. Then the number tells how many of its
    actions are right (all, if it must not end there)."""

    area: Edges | None
    right: int


def local_verifier(
    automaton: Automaton, lifelines: Sequence[str], limit: int | None = None
) -> LocalVerifier:
    """The verifier of the location of these lifelines. Raises BudgetExceeded where it has more than
    `limit` states."""
    location = tuple(sorted(lifelines))
    view = LocalView(automaton, letters_on(automaton, location))
    view.complete(limit)
    ends: list[End] = []
    steps: list[dict[Action, Step]] = []
    for state in range(len(view.subsets)):
        after = view.released(state)
        ends.append(End(view.accepts(state), view.accepts(after), view.edges_from(after)))
        found: dict[Action, Step] = {}
        for letter in view.own:
            target = view.step(state, letter)
            if target is not None:
                step = Step(target, view.step_area(state, letter))
                found[automaton.letters[letter]] = step
        steps.append(found)
    whole, late = view.start(before=False), view.start(before=True)
    return LocalVerifier(
        digest=automaton.digest,
        edges=len(automaton.edges),
        lifelines=location,
        whole=None if whole is None else Start(whole, view.other_edges(whole)),
        late=None if late is None else Start(late, view.edges_from(late)),
        ends=tuple(ends),
        steps=tuple(steps),
    )


def check(verifier: LocalVerifier, log: Sequence[Action], missing: Missing) -> Checked:
    """The local check (Definition 8) of a log in time linear in its length."""
    start = verifier.late if missing.before else verifier.whole
    if start is None:
        return Checked(None, 0)
    state, area = start
    for place, action in enumerate(log):
        step = verifier.steps[state].get(action)
        if step is None:
            return Checked(None, place)
        state = step.target
        area |= step.edges
    end = verifier.ends[state]
    if missing.after:
        return Checked(area | end.edges if end.ends else None, len(log))
    return Checked(area if end.final else None, len(log))
