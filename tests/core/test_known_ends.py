"""Both ends of messages of a run, and roles that names show."""

from __future__ import annotations

from choreomon.core.message import HANDLE, SEND, Message
from choreomon.core.roles import roles_behind, slot_parts
from choreomon.core.run import RunEvent, with_known_ends, with_lost_ends

SENT = RunEvent(0, 0, SEND, "shop/1", Message("shop/1", "ship", "carrier"), (1, 0))
HANDLED = RunEvent(1, 5, HANDLE, "carrier/0", Message("shop", "ship", "carrier/0"), (1, 1), 0)
PLAIN = RunEvent(2, 6, SEND, "a", Message("a", "m", "b"), (1, 1))
LOST = RunEvent(3, 7, SEND, "shop/1", Message("shop/1", "ship", "carrier"), (2, 0))


def test_where_a_message_is_handled_both_ends_are_slots() -> None:
    known = with_known_ends([SENT, HANDLED, PLAIN, LOST])
    both = Message("shop/1", "ship", "carrier/0")
    assert [event.message for event in known] == [both, both, PLAIN.message, LOST.message]
    assert known[2] is PLAIN


def test_an_event_whose_other_end_was_not_kept_stays_as_it_is() -> None:
    assert with_known_ends([HANDLED]) == [HANDLED]


def test_roles_that_were_sent_what_nobody_handled_stand_behind_the_processes() -> None:
    known = with_known_ends([SENT, HANDLED, LOST])
    assert with_lost_ends(("shop/1", "carrier/0"), known) == ("shop/1", "carrier/0", "carrier")
    assert with_lost_ends(("shop/1", "carrier/0"), known[:2]) == ("shop/1", "carrier/0")


def test_names_show_a_role_where_it_stands_beside_a_slot() -> None:
    names = ["shop", "shop/2", "shop/10", "a/0", "b", "b/", "b/x", "c", "c/01", "c/²"]
    assert dict(roles_behind(names).slots) == {"shop": 11}
    assert not roles_behind(["a", "b"])


def test_a_slot_has_the_number_of_its_role() -> None:
    assert slot_parts("shop/12") == ("shop", 12)
    assert slot_parts("a/b/0") == ("a/b", 0)
    assert not any(map(slot_parts, ("shop", "shop/", "/1", "shop/01", "shop/-1")))
