"""What peers may say about instances, and what a host of a property for each refuses."""

from __future__ import annotations

from typing import Any

import pytest

from choreomon.core.errors import InternalError
from choreomon.core.message import SEND, Label, Message
from choreomon.core.verdict import VIOLATED, Reference
from choreomon.monitor.effects import Declared, Send
from choreomon.monitor.history import Record
from choreomon.monitor.host import Host, HostState
from choreomon.monitor.messages import Inquiry, Response, Waiting
from choreomon.monitor.of_instances.messages import InstanceMessage
from choreomon.monitor.of_instances.monitor import InstanceMonitor
from choreomon.monitor.of_instances.state import InstancesState
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.pull import Monitor
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rights import Refused
from choreomon.properties.instances import Parameters
from choreomon.properties.tables import transition_tables
from tests.properties.stated import automaton_of

NAMES = ("billing", "shop")
SUSPEND = Label(SEND, Message("billing", "suspend", "shop"))
REFUND = Label(SEND, Message("billing", "refund", "shop"))
SHIP = Label(SEND, Message("shop", "ship", "billing"))
PROPERTY = automaton_of(
    *("q0", "q3"), ("q0", SUSPEND, "q1"), ("q1", REFUND, "q2"), ("q2", SHIP, "q3")
)
PARAMETERS = Parameters(
    ("order", "tenant"),
    {
        SUSPEND.message: ("tenant",),
        REFUND.message: ("order", "tenant"),
        SHIP.message: ("order", "tenant"),
    },
)
TABLES = transition_tables(PROPERTY, NAMES, "precise", PARAMETERS)
SUSPENDED, REFUNDED = Reference("q0", "billing", "q1"), Reference("q1", "billing", "q2")
SHIPPED = Reference("q2", "shop", "q3")
TENANT = (("tenant", "t"),)
ORDER = (("order", "7"), ("tenant", "t"))


def host(name: str, **given: Any) -> Host:
    return Host(InstanceMonitor(TABLES[name], NAMES, **given))


def inquiry(**changed: Any) -> Inquiry:
    return Inquiry("shop", "billing", SHIPPED, (0, 1), (REFUNDED,), (0, 1), 0)._replace(**changed)


def one_refunded() -> HostState:
    billing = host("billing")
    state, _, _ = billing.report(billing.initial(), SUSPEND, TENANT)
    state, _, _ = billing.report(state, REFUND, ORDER)
    return state


def test_an_order_is_shipped_after_its_refund_where_its_tenant_was_suspended() -> None:
    shop = host("shop")
    state, _ = shop.heard(shop.initial(), one_refunded().clock)
    state, _, (asked,) = shop.report(state, SHIP, ORDER)
    assert isinstance(asked, Send)
    assert isinstance(asked.message, InstanceMessage)
    _, (told,) = host("billing").receive(one_refunded(), asked.message)
    assert isinstance(told, Send)
    _, (declared,) = shop.receive(state, told.message)  # type: ignore[arg-type]
    assert isinstance(declared, Declared)
    assert (declared.binding, declared.label) == (ORDER, SHIP)
    assert declared.verdict is not None
    assert declared.verdict.kind == VIOLATED


def test_an_instance_is_created_once_when_it_first_has_something_to_remember() -> None:
    billing, shop = host("billing"), host("shop")
    created = []
    state = billing.initial()
    for label, binding in ((SUSPEND, TENANT), (REFUND, ORDER), (REFUND, ORDER), (SUSPEND, TENANT)):
        state, _, _ = billing.report(state, label, binding)
        assert isinstance(state.monitor, InstancesState)
        created.append(state.monitor.shared.created)
        if label == REFUND and len(created) == 2:
            state, _, _ = billing.report(state, REFUND, (("order", "8"), ("tenant", "t")))
    assert created == [1, 2, 3, 3]
    asking, _, _ = shop.report(shop.initial(), SHIP, ORDER)
    assert isinstance(asking.monitor, InstancesState)
    assert asking.monitor.shared.created == 1


def test_what_tenants_share_is_remembered_once() -> None:
    monitor = one_refunded().monitor
    assert isinstance(monitor, InstancesState)
    assert {*monitor.instances} == {TENANT, ORDER}
    chains = {each: monitor.instances[each].chains for each in (TENANT, ORDER)}
    assert [[r.reference for chain in chains[each] for r in chain] for each in chains] == [
        [SUSPENDED],
        [REFUNDED],
    ]


@pytest.mark.parametrize(
    ("message", "reason", "detail"),
    [
        (inquiry(), "kind", "it is about none"),
        (InstanceMessage(inquiry(), (("size", "7"),)), "rights", "it is about size"),
        (InstanceMessage(inquiry(), (*ORDER[::-1],)), "rights", "it is about tenant, order"),
        (InstanceMessage(inquiry(), (*ORDER, ORDER[1])), "rights", "order, tenant, tenant"),
        (InstanceMessage(inquiry(), TENANT), "rights", "(q1, @billing, q2) without order"),
        (InstanceMessage(inquiry(asked=(SHIPPED,)), ORDER), "rights", "it asks about (q2, @shop"),
        (InstanceMessage(inquiry(receiver="shop"), ORDER), "receiver", "it is for shop"),
        (InstanceMessage(inquiry(event=(9, 1)), ORDER), "clock", "more than it knows of"),
        (
            InstanceMessage(Response("shop", "billing", REFUNDED, 1, (), (0, 1), 0), ORDER),
            *("answer", "it was not asked about (q1, @billing, q2)"),
        ),
        (
            InstanceMessage(Waiting("shop", "billing", REFUNDED, 1, (), (0, 1)), ORDER),
            *("answer", "it was not asked about (q1, @billing, q2)"),
        ),
        (Waiting("shop", "billing", REFUNDED, 1, (), (0, 1)), "answer", "it was not asked about"),
    ],
)
def test_what_a_peer_may_not_say_is_refused_and_changes_nothing(
    message: Any, reason: str, detail: str
) -> None:
    before = one_refunded()
    after, (refused,) = host("billing").receive(before, message)
    assert after is before
    assert isinstance(refused, Refused)
    assert (refused.reason, refused.sender) == (reason, "shop")
    assert detail in refused.detail


def test_hosts_of_other_properties_refuse_what_is_about_an_instance() -> None:
    plain = Host(Monitor(transition_tables(PROPERTY, NAMES, "precise")["billing"], NAMES, PRECISE))
    for binding in ((), ORDER):
        _, (refused,) = plain.receive(plain.initial(), InstanceMessage(inquiry(), binding))
        assert isinstance(refused, Refused)
        assert refused.reason in ("kind", "rights")


def test_an_answer_about_another_instance_is_passed_over() -> None:
    shop = host("shop")
    state, _ = shop.heard(shop.initial(), one_refunded().clock)
    state, _, _ = shop.report(state, SHIP, ORDER)
    records = (Record(REFUNDED, (2, 0), "Frm"),)
    answer = Response("billing", "shop", SHIPPED, 1, records, (2, 1), 0)
    other = InstanceMessage(answer, (("order", "8"), ("tenant", "t")))
    after, effects = shop.receive(state, other)
    assert effects == []
    assert shop.outstanding(after) == shop.outstanding(state)


def test_a_clock_that_knows_more_of_the_process_is_a_gap_of_all_instances() -> None:
    billing = host("billing")
    ahead = inquiry(event=(5, 1), clock=(5, 1))
    state, effects = billing.receive(billing.initial(), InstanceMessage(ahead, ORDER))
    assert len(state.monitor.gaps) == 1
    (answer,) = [each for each in effects if isinstance(each, Send)]
    assert isinstance(answer.message, InstanceMessage)
    assert isinstance(answer.message.message, Response)
    assert [record.result for record in answer.message.message.records] == ["Gap"]


def test_other_rules_are_a_mistake() -> None:
    with pytest.raises(InternalError, match="instances are judged by the precise rules"):
        InstanceMonitor(TABLES["shop"], NAMES, SOUND)
