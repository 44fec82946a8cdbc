"""Rubbish, thrown from within a container at what its neighbours listen at.

    python -m cluster.trial.rubbish peer HOST:PORT PROCESS FOLDER OWN
    python -m cluster.trial.rubbish socket PATH

`peer`: at the agent of PROCESS bytes that are no ZeroMQ, ZeroMQ without keys and with keys that
nobody knows, and, with the key of OWN, who is known but may ask nothing, frames of all kinds;
FOLDER is what the agent of OWN was given. `socket`: bytes that are no frames, frames that are no
messages, and messages that come out of turn. Prints how many pieces were thrown. The same ones
each time.
"""

from __future__ import annotations

import random
import socket
import sys
from contextlib import suppress
from pathlib import Path

import msgspec
import zmq

from choreomon.agent_files.key_files import load_key_pair, load_public_key
from choreomon.agent_files.local import Hello, Report, encode
from choreomon.agent_files.table_file import load_table

PIECES = 40
"""Of each kind."""


def throw_at_peer(host: str, port: int, process: str, folder: Path, own: str) -> int:
    """How many pieces were thrown at the port of another agent."""
    chance = random.Random(0)
    system = bytes.fromhex(load_table(folder / f"{own}.json").system_id)
    thrown = 0
    for _ in range(PIECES):
        with suppress(OSError), socket.create_connection((host, port), timeout=5) as connection:
            connection.sendall(chance.randbytes(chance.randrange(1, 5000)))
            thrown += 1
    context = zmq.Context()
    server = load_public_key(folder / "peers" / f"{process}.pub").public.encode("ascii")
    pair = load_key_pair(folder / f"{own}.key")
    unknown = zmq.curve_keypair()
    known = (pair.public.encode("ascii"), pair.secret.encode("ascii"))
    for keys in (None, unknown, known):
        dealer = context.socket(zmq.DEALER)
        dealer.linger = 500
        dealer.sndtimeo = 500
        if keys is not None:
            dealer.curve_publickey, dealer.curve_secretkey = keys
            dealer.curve_serverkey = server
        dealer.connect(f"tcp://{host}:{port}")
        for _ in range(PIECES):
            with suppress(zmq.Again):
                dealer.send_multipart([chance.randbytes(9)] * chance.randrange(1, 4))
                about = chance.choice([system, chance.randbytes(16)])
                body: list[object] = [chance.choice([1, -1, "x", None, [], own]) for _ in range(6)]
                dealer.send(msgspec.msgpack.encode([2, about, chance.randrange(-2, 8), body]))
                thrown += 2
        dealer.close()
    context.destroy(linger=500)
    return thrown


def throw_at_socket(path: str) -> int:
    """How many pieces were thrown at the socket of an agent."""
    chance = random.Random(0)
    report = encode(Report(1, 0, "send", "orders", "refunded"))
    pieces = [chance.randbytes(chance.randrange(1, 5000)) for _ in range(PIECES)]
    pieces += [
        b"\xff\xff\xff\xff",  # longer than any frame may be
        b"\x00\x00\x00\x02{}",
        b"\x00\x00\x00\x04null",
        b"\x00\x00\xea\x60" + b"[" * 60_000,
        report,  # before a hello
        encode(Hello("block", version=99)),
        encode(Hello("block", session="f" * 32)),
        encode(Hello("block")) + encode(Report(7, 0, "send", "orders", "refunded")),
        encode(Hello("block")) + encode(Report(1, 0, "send", "nobody", "nothing", "no clock")),
        encode(Hello("block"))[:7],  # and then the connection ends
    ]
    for piece in pieces:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(1)
            with suppress(OSError):
                connection.connect(path)
                connection.sendall(piece)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65_536):
                    pass
    return len(pieces)


def main() -> None:
    """See the module."""
    match sys.argv[1:]:
        case ["peer", address, process, folder, own]:
            host, _, port = address.partition(":")
            print(throw_at_peer(host, int(port), process, Path(folder), own))
        case ["socket", path]:
            print(throw_at_socket(path))
        case _:
            sys.exit(f"usage: {__doc__}")


if __name__ == "__main__":
    main()
