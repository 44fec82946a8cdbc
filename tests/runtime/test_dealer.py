"""What silence and refusals of a peer's connection mean, by a clock."""

from __future__ import annotations

from typing import cast

import pytest
import zmq

from choreomon.runtime.network.dealer import Dealer
from choreomon.runtime.network.peer_limits import Limits


def dealer(*keys: str) -> Dealer:
    return Dealer("bank", cast("zmq.Socket[bytes]", None), keys)


def test_who_is_silent_since_it_was_asked_first_may_have_another_key() -> None:
    patience = Limits().other_key
    asked = dealer("old", "new")
    assert not asked.may_have_another_key(1e9, patience)
    asked.sent(10.0)
    asked.sent(11.5)
    assert not asked.may_have_another_key(10.0 + patience - 0.01, patience)
    assert asked.may_have_another_key(10.0 + patience, patience)
    asked.answered()
    assert not asked.may_have_another_key(1e9, patience)


def test_who_has_one_key_has_no_other_one() -> None:
    asked = dealer("old")
    asked.sent(10.0)
    assert not asked.may_have_another_key(1e9, Limits().other_key)


@pytest.mark.parametrize("sent", [False, True])
def test_what_refuses_everything_is_given_up_and_what_takes_something_is_not(sent: bool) -> None:
    patience = Limits().revive
    asked = dealer("old")
    assert not asked.may_be_given_up(1e9, patience)
    asked.refused(10.0)
    if sent:
        asked.sent(11.0)
        asked.refused(12.0)
    else:
        asked.refused(12.0)
    since = 12.0 if sent else 10.0
    assert not asked.may_be_given_up(since + patience - 0.01, patience)
    assert asked.may_be_given_up(since + patience, patience)
