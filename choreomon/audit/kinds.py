"""Kinds of verdicts: those of many sessions that one explanation explains.

Two verdicts are of one kind where they say the same (and are both decided, or both not) and where

- the forbidden sequence that the order for it shows is one of the same labels, in the same order,
  and the same of its events are in gaps;
- the order against it rests on the same: on unseen events of the same labels, or on order alone.

Which messages, which lines, how many other events there are, and where the gaps are does not
matter. Where a verdict has no order for it, the label of its event stands for the sequence. Labels
are those of roles: which replicas did it does not matter either.
"""

from __future__ import annotations

from typing import NamedTuple

from choreomon.audit.items import Item
from choreomon.audit.outcome import AuditVerdict, Order, Overall
from choreomon.audit.search import Unseen
from choreomon.core.roles import NO_ROLES, Roles
from choreomon.core.verdict import VerdictKind


class Step(NamedTuple):
    """An event of a forbidden sequence; `unseen`: nobody wrote it down."""

    label: str
    unseen: bool = False


class Kind(NamedTuple):
    """A kind of verdicts. `instead` are the labels of unseen events in the order against it, each
    once; empty if that is only another order of the same events. `at_end`: it concerns a session as
    a whole, not one event. `rule`: the name of the one that it is about, if of any."""

    verdict: VerdictKind
    undecided: bool
    steps: tuple[Step, ...]
    instead: tuple[str, ...] = ()
    at_end: bool = False
    rule: str = ""


def kind_of(verdict: AuditVerdict | Overall, roles: Roles = NO_ROLES) -> Kind:
    """The kind of a verdict. Raises ValueError for one about all that finds nothing."""
    if verdict.kind is None:
        raise ValueError("nothing was formed")
    steps = _steps(verdict.formed, roles)
    at_end = isinstance(verdict, Overall)
    if not steps and isinstance(verdict, AuditVerdict):
        steps = (Step(_written(verdict.item, roles)),)
    instead = _instead(verdict.not_formed, roles)
    rule = "" if verdict.rule is None else verdict.rule.name
    return Kind(verdict.kind, verdict.undecided, steps, instead, at_end, rule)


def _written(event: Item | Unseen, roles: Roles) -> str:
    return str(roles.of_roles(event.label) if roles and event.label else event.label)


def _steps(order: Order | None, roles: Roles) -> tuple[Step, ...]:
    if order is None:
        return ()
    events = (order.events[position] for position in order.formed)
    return tuple(Step(_written(event, roles), isinstance(event, Unseen)) for event in events)


def _instead(order: Order | None, roles: Roles) -> tuple[str, ...]:
    if order is None:
        return ()
    unseen = {_written(each, roles) for each in order.events if isinstance(each, Unseen)}
    return tuple(sorted(unseen))
