"""Runs of tests with a monitor at each slot of a role."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from choreomon.audit.auditor import Auditor
from choreomon.core.errors import ChoreomonError
from choreomon.core.recorded import RecordedEvent
from choreomon.core.replica_names import ReplicaNames
from choreomon.documents.read import parse_document
from choreomon.logs.readers.reading import read_recorded
from choreomon.testing import Declared, MonitoredRun, monitored
from choreomon.testing.report_files import keep

ROLES = """
roles: {shop: 2, till: 2}
rules:
  - id: paid-after-order
    for_each: [order]
    never: "till -> bank : pay(order)"
    after: "handle till -> shop : order(order)"
    until: "shop -> till : done(order)"
"""
EACH = parse_document(ROLES, "each.yaml")
ALL = parse_document(
    ROLES.replace("(order)", "").replace("    for_each: [order]\n", ""), "all.yaml"
)


def pays_after_an_order(run: MonitoredRun, **values: str) -> None:
    """The order goes from till/0 over shop/1 to till/1, which pays."""
    first, other, shop = (run.blocking(name) for name in ("till/0", "till/1", "shop/1"))
    shop.handling(first.sending("shop", "order", **values), **values)
    other.handling(shop.sending("till", "ordered"))
    other.sending("bank", "pay", **values)


def test_what_replicas_form_together_is_declared_at_the_slot_that_ends_it() -> None:
    with pytest.raises(Declared) as caught, monitored(ALL) as run:
        pays_after_an_order(run)
    assert run.processes == ("till/0", "till/1", "bank", "shop/0", "shop/1")
    assert str(caught.value).startswith(
        'all.yaml: all\ntill/1 declares violated at event 4 (send "till/1" -> bank : pay)'
    )
    found = caught.value.run
    assert [(each.event_index, each.events) for each in found.formed] == [(4, (1, 4))]
    assert found.exercise is not None
    assert found.exercise.labels == (
        ("handle till -> shop : order", 1),
        ("till -> bank : pay", 1),
        ("shop -> till : done", 0),
    )


def test_what_cancels_at_another_slot_is_heard_of() -> None:
    with monitored(ALL) as run:
        first, shop = run.blocking("till/0"), run.blocking("shop/0")
        shop.handling(first.sending("shop/0", "order"))
        first.handling(shop.sending("till/0", "done"))
        first.sending("bank", "pay")
    assert run.finish().verdicts == ()


def test_each_instance_is_judged_over_roles() -> None:
    with pytest.raises(Declared) as caught, monitored(EACH) as run:
        pays_after_an_order(run, order="7")
    (verdict,) = caught.value.run.verdicts
    assert (verdict.verdict, dict(verdict.binding)) == ("violated", {"order": "7"})


def test_a_role_is_no_process() -> None:
    with monitored(ALL) as run:
        with pytest.raises(ChoreomonError, match="has no process 'shop': it is a role, so name"):
            run.process("shop")
        with pytest.raises(ChoreomonError, match="has no process 'shop/2'; did you mean 'shop/"):
            run.blocking("shop/2")


def test_the_log_that_is_kept_can_be_audited(tmp_path: Path) -> None:
    with pytest.raises(Declared) as caught, monitored(ALL) as run:
        pays_after_an_order(run)
    page = keep(tmp_path, "test", caught.value.run, ALL)
    assert "shop/1" in page.read_text(encoding="utf-8")
    log = page.with_suffix(".jsonl")
    events = [each for each in read_recorded(log) if isinstance(each, RecordedEvent)]
    lines = [json.loads(line) for line in log.read_text(encoding="ascii").splitlines()]
    assert [line["process"] for line in lines] == ["till/0", "shop/1", "shop/1", "till/1", "till/1"]
    assert ALL.property is not None
    names = ReplicaNames(("shop", "till"), ("bank",))
    processes = {event.process for event in events}
    auditor = Auditor(ALL.property.automaton, roles=names.recorded(processes))
    for event in events:
        auditor.add(event)
    assert auditor.finish().overall.kind == "violated"
