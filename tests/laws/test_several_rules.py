"""Each rule of a property is judged as if it were alone, though an event asks for all at once."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.core.message import BEGINNING
from choreomon.monitor import precise
from choreomon.monitor.history import Record
from choreomon.monitor.precise import Precise
from choreomon.monitor.rules import Findings
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import Inspection, MonitorState
from choreomon.properties.tables import TransitionTable
from tests.laws.drawn import Dense
from tests.laws.several_rules import Drawing, first_wrong, played_rules

ORDINARY = Drawing()
DEADLINES = Drawing(deadline=True)
BEGINNINGS = Drawing(begin=1.0, dense=Dense(states=(3, 5), labels=(2, 3)))
MANY = Drawing(rules=(4, 5), begin=0.3, events=(3, 8))


@pytest.mark.parametrize("drawing", [ORDINARY, DEADLINES, BEGINNINGS, MANY])
def test_every_rule_is_judged_as_if_it_were_alone(drawing: Drawing) -> None:
    assert first_wrong(250, drawing, "alone") is None


def test_the_runs_are_of_all_kinds() -> None:
    played = [played_rules(Random(f"kinds {number}"), ORDINARY) for number in range(150)]
    assert sum(each.violated for each in played) > 300
    assert sum(each.possibly for each in played) > 100


class SharesWhatIsCertain(Precise):
    """What one rule is sure of is sure of all."""

    def findings(
        self, monitor: MonitorSetup, state: MonitorState, inspection: Inspection
    ) -> Findings:
        found = super().findings(monitor, state, inspection)
        if found.surely:
            return found._replace(surely=frozenset(monitor.final_rules(inspection.plan)))
        return found


class AsksForOneRule(Precise):
    """What is asked by name is what the first rule wants to know."""

    def findings(
        self, monitor: MonitorSetup, state: MonitorState, inspection: Inspection
    ) -> Findings:
        found = super().findings(monitor, state, inspection)
        first = min(monitor.final_rules(inspection.plan), default=0)
        sources = [each.reference.source for each in inspection.plan.inspected]
        named = tuple(
            each for each in found.named if each.reference.source[:2] == f"r{first}" or not sources
        )
        return found._replace(named=named)


def test_the_law_notices_certainty_that_is_shared() -> None:
    assert first_wrong(200, ORDINARY, "alone", SharesWhatIsCertain()) is not None


def test_the_law_notices_that_only_one_rule_asks_again() -> None:
    assert first_wrong(200, MANY, "alone", AsksForOneRule()) is not None


def test_the_law_notices_verdicts_about_all_rules_together(monkeypatch: pytest.MonkeyPatch) -> None:
    together = property(lambda table: dict.fromkeys(table.readers, 0))
    monkeypatch.setattr(TransitionTable, "rule_of", together)
    with pytest.raises(AssertionError):  # a verdict has transitions of two rules
        first_wrong(200, ORDINARY, "alone")


def test_the_law_notices_monitors_that_know_no_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    known = precise.known_records

    def without(monitor: MonitorSetup, state: MonitorState, inspection: Inspection) -> list[Record]:
        told = known(monitor, state, inspection)
        return [each for each in told if each.reference.process != BEGINNING]

    monkeypatch.setattr(precise, "known_records", without)
    assert first_wrong(100, BEGINNINGS, "alone") is not None
