"""What becomes of the values that services say: monitors and other agents get digests, verdicts
what was said, and nothing is kept of what was judged and told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from choreomon.agent_files import local
from choreomon.agent_files.digests import digest
from choreomon.agent_files.values import Values
from choreomon.agent_files.wire import open_untrusted
from choreomon.core.labels import CarryingLabel
from choreomon.core.message import SEND, Label, Message
from choreomon.documents.read import parse_document
from choreomon.monitor.host import Host
from choreomon.monitor.of_instances.monitor import InstanceMonitor
from choreomon.monitor.precise import PRECISE
from choreomon.properties.tables import transition_tables
from choreomon.runtime.driver import Driver
from choreomon.runtime.inputs import (
    Delivered,
    GivenUp,
    Happened,
    HappenedWithValues,
    Hello,
    Input,
    Report,
    ReportWithValues,
    decode_batch,
    encode_batch,
)
from choreomon.runtime.openings import Openings
from choreomon.runtime.outputs import Ask, Decided, Dropped, Output, Reply
from choreomon.runtime.reloading import reloaded
from choreomon.runtime.sidecar import Sidecar, SidecarState
from choreomon.runtime.snapshot import decode_snapshot, encode_snapshot
from choreomon.runtime.stores.sqlite import SqliteStore
from tests.runtime.driven import Ports
from tests.runtime.world.disk import Disk

ORDERS = """
property:
  for_each: [order]
  sequences:
    - steps: ["billing -> bank : refund(order)", "shop -> carrier : ship(order)"]
"""
TENANTS = """
property:
  for_each: [tenant, order]
  sequences:
    - steps: ["billing -> bank : close(tenant)", "shop -> carrier : ship(tenant, order)"]
"""
SYSTEM, OTHER = bytes(range(16)), bytes(range(16, 32))
KEY, OTHER_KEY = b"k" * 16, b"l" * 16
SHIP = Label(SEND, Message("shop", "ship", "carrier"))


def host_of(text: str, process: str = "shop") -> Host:
    document = parse_document(text, "property.yaml")
    loaded = document.property
    assert loaded is not None
    names, given = ("billing", "bank", "shop", "carrier"), loaded.parameters
    tables = transition_tables(loaded.automaton, names, "precise", given)
    return Host(InstanceMonitor(tables[process], names, PRECISE))


def quiet() -> Ports:
    return Ports(Disk(lambda moment: None))


def sidecar_of(*texts: str, foretold: frozenset[CarryingLabel] = frozenset()) -> Sidecar:
    systems = (SYSTEM, OTHER)[: len(texts)]
    return Sidecar(
        "shop",
        systems,
        tuple(map(host_of, texts)),
        value_keys=dict(zip(systems, (KEY, OTHER_KEY), strict=False)),
        foretold=foretold,
    )


ONE = sidecar_of(ORDERS)
BOTH = sidecar_of(ORDERS, TENANTS)
HELLO = Hello(1, "block", "", "s", 0)


def ship(number: int, values: Values, name: str = "ship") -> Report:
    return ReportWithValues(1, "s", number, 0, "send", "carrier", name, "", 0, {**values})


def after(sidecar: Sidecar, *inputs: Input) -> tuple[SidecarState, list[Output]]:
    state, outputs = sidecar.initial(), list[Output]()
    for given in inputs:
        state, outputs = sidecar.step(state, given)
    return state, outputs


def refusals(outputs: list[Output]) -> list[str]:
    return [
        each.message.message
        for each in outputs
        if isinstance(each, Reply) and isinstance(each.message, local.Refused)
    ]


def welcome(sidecar: Sidecar) -> local.Welcome:
    _, outputs = after(sidecar, HELLO)
    (reply,) = outputs
    assert isinstance(reply, Reply)
    assert isinstance(reply.message, local.Welcome)
    return reply.message


# --- what services are told, and what of theirs is taken ----------------------------


def test_services_are_told_what_all_properties_together_want() -> None:
    assert welcome(ONE).labels == ("shop -> carrier : ship(order)",)
    assert welcome(BOTH).labels == ("shop -> carrier : ship(order, tenant)",)
    assert welcome(BOTH).version == local.VERSION_WITH_VALUES
    foretold = sidecar_of(ORDERS, foretold=BOTH.values.labels)
    assert welcome(foretold).labels == welcome(BOTH).labels


@pytest.mark.parametrize(
    ("sidecar", "given", "said"),
    [
        (ONE, ship(1, {}), "carries order: give it order=..."),
        (ONE, Report(1, "s", 1, 0, "send", "carrier", "ship", "", 0), "carries order"),
        (ONE, ship(1, {"order": ""}), "1 to 256 bytes"),
        (ONE, ship(1, {"order": "x" * 257}), "1 to 256 bytes"),
        (BOTH, ship(1, {"order": "7"}), "give it tenant=..."),
    ],
)
def test_a_report_without_the_right_values_is_refused_and_changes_nothing(
    sidecar: Sidecar, given: Report, said: str
) -> None:
    state, _ = after(sidecar, HELLO)
    stepped, outputs = sidecar.step(state, given)
    assert stepped is state
    (refused,) = refusals(outputs)
    assert said in refused
    assert any(isinstance(each, Dropped) and each.reason == "malformed" for each in outputs)


def test_until_a_property_is_open_its_values_are_taken_and_not_needed() -> None:
    foretold = sidecar_of(ORDERS, foretold=BOTH.values.labels)
    for values in ({"order": "7"}, {"order": "7", "tenant": "t"}):
        _, outputs = after(foretold, HELLO, ship(1, values))
        assert refusals(outputs) == []


def test_what_was_taken_while_something_was_foretold_is_taken_again_when_nothing_is(
    tmp_path: Path,
) -> None:
    """As when an agent is killed before it has opened what it was given."""
    store = SqliteStore(tmp_path / "store", "process", "boot")
    driver = Driver(ONE, store, quiet(), lambda: 0.0)
    driver.recover(forgetful=False)
    driver.foretell(BOTH.values.labels)
    for given in (HELLO, ship(1, {"order": "7", "tenant": "t"}), ship(2, {"order": "8"})):
        driver.take(given)
    assert driver.flush()
    store.close()
    store = SqliteStore(tmp_path / "store", "process", "boot")
    again = Driver(ONE, store, quiet(), lambda: 0.0)
    again.recover(forgetful=False)
    assert again.state.hosts == driver.state.hosts
    assert again.state.said.values == driver.state.said.values
    assert len(again.state.said.values) == 2
    store.close()


def test_inputs_without_values_are_written_as_before() -> None:
    plain = Report(1, "s", 1, 0, "send", "carrier", "ship", "", 0)
    assert msgspec.msgpack.decode(encode_batch([plain])) == [
        ["r", 1, "s", 1, 0, "send", "carrier", "ship", "", 0]
    ]
    happened = Happened("send", "carrier", "ship", [], 0)
    assert msgspec.msgpack.decode(encode_batch([happened])) == [
        ["o", "send", "carrier", "ship", [], 0]
    ]
    valued: list[Input] = [
        ship(1, {"order": "7"}),
        HappenedWithValues("send", "carrier", "ship", [], 0, {"order": "7"}),
    ]
    assert decode_batch(encode_batch(valued)) == valued


# --- what monitors and verdicts get -------------------------------------------------


def test_each_property_gets_digests_of_its_own_values_with_its_own_key() -> None:
    state, outputs = after(BOTH, HELLO, ship(1, {"order": "7", "tenant": "t"}))
    asked = [each.inquiry for each in outputs if isinstance(each, Ask)]
    assert [each.binding for each in asked] == [  # type: ignore[union-attr]
        (("order", digest(KEY, "order", "7")),),
        (
            ("order", digest(OTHER_KEY, "order", "7")),
            ("tenant", digest(OTHER_KEY, "tenant", "t")),
        ),
    ]
    assert dict(state.said.values) == {
        (0, 1): (("order", "7"),),
        (1, 1): (("order", "7"), ("tenant", "t")),
    }


def declared(outputs: list[Output]) -> list[Any]:
    return [each.declared for each in outputs if isinstance(each, Decided)]


def test_a_verdict_says_the_values_and_then_nothing_of_them_is_kept() -> None:
    state, _ = after(ONE, HELLO, ship(1, {"order": "A-17"}), ship(2, {"order": "B-1"}))
    assert len(state.said.values) == 2
    state, outputs = ONE.step(state, GivenUp(0, 1))
    (verdict,) = declared(outputs)
    assert verdict.said == (("order", "A-17"),)
    assert "A-17" not in verdict.id
    assert [*state.said.values] == [(0, 2)]
    assert [each.said for each in state.undelivered.values()] == [(("order", "A-17"),)]
    state, _ = ONE.step(state, Delivered([verdict.id]))
    assert b"A-17" not in encode_snapshot(state, ONE)
    assert b"B-1" in encode_snapshot(state, ONE)


def test_of_a_property_that_is_being_closed_nothing_new_is_kept_when_it_is_judged() -> None:
    state, _ = after(ONE, HELLO, ship(1, {"order": "A-17"}))
    state = state._replace(closed=(0,))
    state, outputs = ONE.step(state, GivenUp(0, 1))
    assert declared(outputs) == [None]
    assert not state.said.values


def test_values_are_kept_of_those_events_of_which_a_verdict_is_to_come_and_no_others() -> None:
    state, _ = after(ONE, HELLO)
    for number in range(1, 30):
        state, _ = ONE.step(state, ship(number, {"order": str(number % 5)}))
        if number % 3 == 0:
            state, _ = ONE.step(state, GivenUp(0, number - 1))
        undecided = ONE.hosts[0].undecided(state.hosts[0])
        assert [*sorted(state.said.values)] == [(0, count) for count in undecided]
    assert len(state.said.values) > 10


def test_of_steps_that_complete_nothing_no_values_are_kept() -> None:
    billing = Sidecar("billing", (SYSTEM,), (host_of(ORDERS, "billing"),), value_keys={SYSTEM: KEY})
    state, _ = after(
        billing,
        HELLO,
        ReportWithValues(1, "s", 1, 0, "send", "bank", "refund", "", 0, {"order": "A-17"}),
    )
    assert state.hosts[0].clock == (1, 0, 0, 0)
    assert b"A-17" not in encode_snapshot(state, billing)


# --- what is stored, and what leaves ------------------------------------------------


def test_a_snapshot_has_what_was_said_of_events_and_verdicts() -> None:
    state, _ = after(
        BOTH,
        HELLO,
        ship(1, {"order": "A-17", "tenant": "t"}),
        ship(2, {"order": "B-1", "tenant": "t"}),
        GivenUp(0, 1),
    )
    assert state.said.values
    assert len(state.undelivered)
    assert decode_snapshot(encode_snapshot(state, BOTH), BOTH) == state


def test_what_was_said_goes_on_with_its_property_in_another_place() -> None:
    swapped = Sidecar(
        "shop", (OTHER, SYSTEM), (BOTH.hosts[1], BOTH.hosts[0]), value_keys=BOTH.value_keys
    )
    state, _ = after(BOTH, HELLO, ship(1, {"order": "A-17", "tenant": "t"}), GivenUp(0, 1))
    changed = reloaded(BOTH, state, swapped)
    assert dict(changed.said.values) == {(0, 1): (("order", "A-17"), ("tenant", "t"))}
    assert [(each.system, each.said) for each in changed.undelivered.values()] == [
        (1, (("order", "A-17"),))
    ]


@pytest.mark.parametrize("rows", [1, 1000])
def test_what_leaves_has_digests_and_after_a_crash_the_verdict_has_its_values(
    tmp_path: Path, rows: int
) -> None:
    """With a snapshot after each row, and with none."""
    store = SqliteStore(tmp_path / "store", "process", "boot")
    ports = quiet()
    driver = Driver(ONE, store, ports, lambda: 0.0, rows_per_snapshot=rows)
    driver.recover(forgetful=False)
    for given in (HELLO, ship(1, {"order": "A-17"})):
        driver.take(given)
        assert driver.flush()
    assert ports.asked
    assert all(b"A-17" not in frame for _, frame in ports.asked)
    key = bytes.fromhex(digest(KEY, "order", "A-17"))
    assert all(key in frame and open_untrusted(frame) for _, frame in ports.asked)
    store.close()

    store = SqliteStore(tmp_path / "store", "process", "boot")
    again = Driver(ONE, store, quiet(), lambda: 0.0)
    assert again.recover(forgetful=False)
    assert again.state.said.values == driver.state.said.values
    again.take(GivenUp(0, 1))
    assert again.flush()
    (kept,) = again.state.undelivered.values()
    assert kept.said == (("order", "A-17"),)
    store.close()


# --- when tables change -------------------------------------------------------------


class Side:
    """A service that knows at once what to tell."""

    def __init__(self) -> None:
        self.greeted = 0

    def greet_again(self) -> None:
        self.greeted += 1

    def uninformed(self) -> list[str]:
        return []


def test_services_are_told_before_of_a_message_more_values_are_wanted() -> None:
    driver = Driver(ONE, None, quiet(), lambda: 0.0)
    openings, side = Openings(driver, now=lambda: 0.0, opened=lambda tables: None), Side()
    openings.plan(BOTH, (), side)
    assert driver.sidecar.systems == ONE.systems
    assert driver.sidecar.values.carried == {SHIP: ("order", "tenant")}
    assert side.greeted == 1
    openings.open(side)
    assert driver.sidecar.systems == BOTH.systems
