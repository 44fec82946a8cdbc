"""Pages are followed on ports that nobody else has."""

from __future__ import annotations

import re
import socket

import pytest

from tests.docs.ports import on_ports_of_its_own, ports_in

PAGE = """
listen: tcp://127.0.0.1:8812
http: 127.0.0.1:8822
ThreadingHTTPServer(("127.0.0.1", 8802), Billing)
$ curl http://127.0.0.1:8802/charge
18802 and 88022 are none of them
"""


def test_every_port_of_a_page_is_another_one_everywhere() -> None:
    assert ports_in(PAGE) == [8802, 8812, 8822]
    with on_ports_of_its_own(PAGE) as text:
        listen, http, server, called, *others = map(int, re.findall(r"\b\d{4,}\b", text))
        assert server == called
        assert {listen, http, server} == {*ports_in(text)}
        assert len({listen, http, server, 8802, 8812, 8822}) == 6
        assert others == [18802, 88022]


def test_two_runs_have_none_in_common() -> None:
    with on_ports_of_its_own(PAGE) as one, on_ports_of_its_own(PAGE) as other:
        assert not {*ports_in(one)} & {*ports_in(other)}


def test_who_follows_the_page_may_listen_there_and_until_then_nobody_answers() -> None:
    with on_ports_of_its_own(PAGE) as text:
        address = ("127.0.0.1", ports_in(text)[0])
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address)
        with socket.create_server(address), socket.create_connection(address):
            pass
