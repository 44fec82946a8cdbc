"""Roles, their slots, and labels at both."""

from __future__ import annotations

from choreomon.core.message import BEGIN, HANDLE, SEND, Label, Message
from choreomon.core.roles import NO_ROLES, Roles

ROLES = Roles({"shop": 3, "billing": 1})


def test_slots_are_processes_in_the_place_of_their_role() -> None:
    assert ROLES.processes(["bank", "shop", "billing"]) == (
        *("bank", "shop/0", "shop/1", "shop/2", "billing/0"),
    )
    assert NO_ROLES.processes(["bank", "shop"]) == ("bank", "shop")
    assert [ROLES.role_of(each) for each in ("shop/2", "shop/3", "bank", "billing/0")] == (
        ["shop", "shop/3", "bank", "billing"]
    )


def test_the_slots_of_the_owner_take_the_place_of_its_role() -> None:
    pay = Message("shop", "pay", "billing")
    assert ROLES.labels(Label(SEND, pay)) == tuple(
        Label(SEND, Message(f"shop/{number}", "pay", "billing")) for number in range(3)
    )
    assert ROLES.labels(Label(HANDLE, pay)) == (Label(HANDLE, Message("shop", "pay", "billing/0")),)
    elsewhere = Label(SEND, Message("bank", "refund", "shop"))
    assert ROLES.labels(elsewhere) == (elsewhere,)
    assert ROLES.labels(BEGIN) == (BEGIN,)


def test_an_event_between_slots_has_the_label_of_its_owner() -> None:
    message = Message("shop/1", "pay", "billing/0")
    assert ROLES.label(Label(SEND, message)) == (SEND, ("shop/1", "pay", "billing"))
    assert ROLES.label(Label(HANDLE, message)) == (HANDLE, ("shop", "pay", "billing/0"))
    assert ROLES.of_roles(Label(HANDLE, message)) == (HANDLE, ("shop", "pay", "billing"))
    assert ROLES.label(Label(HANDLE, message)) in ROLES.labels(
        ROLES.of_roles(Label(HANDLE, message))
    )
