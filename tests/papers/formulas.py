"""Formulas in conjunctive normal form as interactions: the reductions of the removal and small-step
papers.

A clause is a lifeline, a literal that is true sends it a message. Formulas are tuples of clauses,
clauses tuples of literals, a literal is a variable's number, negative where it is negated.
"""

from __future__ import annotations

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


def truth_table(formula: Formula, *, exactly_one: bool = False) -> int:
    """For every assignment a bit: whether it makes a literal of each clause true, or exactly one of
    each. By brute force, all assignments at a time."""
    names = variables(formula)
    assignments = 1 << len(names)
    every = (1 << assignments) - 1
    is_true: dict[int, int] = {}
    for place, name in enumerate(names):
        column, period = (1 << (1 << place)) - 1, 2 << place
        while period < assignments:
            column |= column << period
            period *= 2
        is_true[name], is_true[-name] = column, every ^ column
    found = every
    for clause in formula:
        some = several = 0
        for literal in clause:
            several |= some & is_true[literal]
            some |= is_true[literal]
        found &= some & ~several if exactly_one else some
    return found


def is_satisfiable(formula: Formula) -> bool:
    """By brute force."""
    return truth_table(formula) != 0


def is_one_in_three(formula: Formula) -> bool:
    """By brute force."""
    return truth_table(formula, exactly_one=True) != 0
