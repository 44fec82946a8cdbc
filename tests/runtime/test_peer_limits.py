"""Bounds on other agents are those of the sockets, in the units of libzmq."""

from __future__ import annotations

import re

import zmq

from choreomon.runtime.network.peer_limits import Limits, bound
from choreomon.runtime.outstanding import BackOff
from tests.scenarios.console_blocks import ROOT


def test_a_peer_that_is_back_is_connected_with_as_soon_as_the_page_says() -> None:
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        bound(socket, Limits())
        first, most = (
            socket.getsockopt(option) for option in (zmq.RECONNECT_IVL, zmq.RECONNECT_IVL_MAX)
        )
    page = (ROOT / "docs" / "live.md").read_text(encoding="utf-8")
    said = re.search(r"back-off up to (\d+) s; who asks connects again within (\d+) s", page)
    assert said is not None
    assert (BackOff().most, most / 1000) == (float(said[1]), float(said[2]))
    assert first == 100
