"""Formulas of self-loops (the paper, section 3): `true`, a label, `not`, `and`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, assert_never

from choreomon.core.message import Label


@dataclass(frozen=True, slots=True)
class Truth:
    """A guard that every label satisfies."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A guard that this label alone satisfies."""

    label: Label


@dataclass(frozen=True, slots=True)
class Not:
    operand: Formula


@dataclass(frozen=True, slots=True)
class And:
    """A guard that is satisfied where every operand is; by every label where there is none."""

    operands: tuple[Formula, ...]


Formula: TypeAlias = Truth | Atom | Not | And


def satisfies(label: Label, formula: Formula) -> bool:
    """The paper's `label |= formula`."""
    match formula:
        case Truth():
            return True
        case Atom(own):
            return label == own
        case Not(operand):
            return not satisfies(label, operand)
        case And(operands):
            return all(satisfies(label, operand) for operand in operands)
        case _:
            assert_never(formula)


def labels_of(formula: Formula) -> frozenset[Label]:
    """The labels that a formula names."""
    match formula:
        case Truth():
            return frozenset()
        case Atom(label):
            return frozenset({label})
        case Not(operand):
            return labels_of(operand)
        case And(operands):
            return frozenset().union(*map(labels_of, operands))
        case _:
            assert_never(formula)
