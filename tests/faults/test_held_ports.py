"""The ports of a schedule are its own, whoever else asks for ports meanwhile."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from choreomon.testing.held_ports import HeldPorts


@pytest.fixture
def held() -> Iterator[HeldPorts]:
    held = HeldPorts(20)
    yield held
    held.let_go()


def test_who_asks_for_any_port_is_given_another_one(held: HeldPorts) -> None:
    with ExitStack() as all_of_them, socket.create_server(("127.0.0.1", 0)) as server:
        for _ in range(400):
            one = all_of_them.enter_context(socket.create_server(("127.0.0.1", 0)))
            other = all_of_them.enter_context(socket.create_connection(server.getsockname()))
            all_of_them.enter_context(server.accept()[0])
            assert not {each.getsockname()[1] for each in (one, other)} & {*held.ports}


def test_nobody_answers_there(held: HeldPorts) -> None:
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", held.ports[0]))


def test_whose_it_is_listens_there_again_and_again(held: HeldPorts) -> None:
    for _ in range(3):
        with (
            socket.create_server(("127.0.0.1", held.ports[0])) as server,
            socket.create_connection(server.getsockname()) as asker,
        ):
            server.accept()[0].close()  # first, so that the port is left in TIME_WAIT
            assert not asker.recv(1)
