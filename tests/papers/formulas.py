"""Formulas in conjunctive normal form as interactions: the reductions of the removal and small-step
papers.

A clause is a lifeline, a literal that is true sends it a message. Formulas are tuples of clauses,
clauses tuples of literals, a literal is a variable's number, negative where it is negated.
"""

from __future__ import annotations

from itertools import product

from choreomon.core.action import emission, reception
from choreomon.interaction.term import EMPTY, Interaction, act, alt, par, seq
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace

Formula = tuple[tuple[int, ...], ...]


def read_formula(text: str) -> Formula:
    """A formula in DIMACS form."""
    words: list[int] = []
    for line in text.splitlines():
        if line[:1] not in ("c", "p", "%"):
            words += map(int, line.split())
    clauses: list[tuple[int, ...]] = []
    clause: list[int] = []
    for literal in words:
        if literal:
            clause.append(literal)
        else:
            clauses.append(tuple(clause))
            clause = []
    return tuple(clauses)


def variables(formula: Formula) -> list[int]:
    return sorted({abs(literal) for clause in formula for literal in clause})


def satisfiability(formula: Formula) -> Interaction:
    """The removal paper, Property 11: assignments one after the other, `lj?m` for every literal
    that is true in clause j. The formula is satisfiable if and only if `one_each` is a
    multi-prefix."""
    return seq(*(alt(_choice(formula, x), _choice(formula, -x)) for x in variables(formula)))


def one_in_three(formula: Formula) -> Interaction:
    """The small-step paper, section 4.4 and Appendix A: assignments in parallel, `lj!m` for every
    literal that is true in clause j. Exactly one literal of every clause can be true if and only if
    `one_each` is accepted."""
    return par(
        *(alt(_choice(formula, x, "!"), _choice(formula, -x, "!")) for x in variables(formula))
    )


def _choice(formula: Formula, literal: int, kind: str = "?") -> Interaction:
    make = reception if kind == "?" else emission
    actions = [
        act(make(f"l{number}", "m"))
        for number, clause in enumerate(formula, start=1)
        if literal in clause
    ]
    return seq(*actions) if actions else EMPTY


def one_each(formula: Formula, kind: str = "?") -> MultiTrace:
    """One message for every clause."""
    make = reception if kind == "?" else emission
    return multi_trace(
        component((f"l{number}",), (make(f"l{number}", "m"),))
        for number in range(1, len(formula) + 1)
    )


def true_literals(formula: Formula) -> set[tuple[int, ...]]:
    """For every assignment, how many literals are true in each clause. By brute force."""
    names = variables(formula)
    found = set()
    for signs in product((1, -1), repeat=len(names)):
        chosen = {sign * name for sign, name in zip(signs, names, strict=True)}
        found.add(tuple(sum(literal in chosen for literal in clause) for clause in formula))
    return found


def is_satisfiable(formula: Formula) -> bool:
    """By brute force."""
    return any(all(clauses) for clauses in true_literals(formula))


def is_one_in_three(formula: Formula) -> bool:
    """By brute force."""
    return any(set(clauses) == {1} for clauses in true_literals(formula))
