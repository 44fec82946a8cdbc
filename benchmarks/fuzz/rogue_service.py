"""Frames to the socket that is for services, and requests for pages."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from random import Random
from typing import Any, Final

import msgspec

from benchmarks.fuzz.mutants import damaged, mutated_json
from benchmarks.fuzz.premises import http_requests, local_messages
from benchmarks.fuzz.told import Told
from choreomon.agent_files import local
from choreomon.agent_files.table_file import load_table

PATIENCE: Final = 30.0
VALID: Final = 0.6
"""The share of frames of a service that are right, so that some come behind the first."""
MOST_FRAMES: Final = 12
"""Of one connection."""


def streams(random: Random, frames: int, where: Mapping[str, Any], told: Told) -> None:
    """Connections of a service, of which each ends in a mutant, or is cut off."""
    system = load_table(where["table"]).system_id
    while told.sent < frames:
        number = random.randrange(1, MOST_FRAMES)
        data = bytearray()
        if random.random() < 0.8:
            data += local.encode(local.Hello(random.choice(("block", "block", "let-go"))))
            told.sent += 1
        complete = True
        for count in range(1, number):
            valid = local_messages(system, count)
            told.sent += 1
            if random.random() < VALID:
                data += local.encode(random.choice(valid[:5]))
                continue
            frame, whole = _mutant(random, valid)
            data += frame
            complete = complete and whole
            if random.random() < 0.5:
                break
        told.sizes += len(data)
        _say(random, where["local"], bytes(data), complete, told)


def _mutant(random: Random, valid: list[local.ClientMessage]) -> tuple[bytes, bool]:
    """The frame, and whether it has the length that it says."""
    bodies = [local.encode(each)[local.LENGTH_BYTES :] for each in valid]
    if random.random() < 0.4:
        body = damaged(random, bodies)
    else:
        body = mutated_json(random, bodies, local.MAX_FRAME + 100)
    length = len(body)
    if random.random() < 0.15:
        length = random.choice((0, length - 1, length + 1, local.MAX_FRAME, 1 << 31, (1 << 32) - 1))
    length = max(0, length)
    return length.to_bytes(local.LENGTH_BYTES, "big") + body, length == len(body)


def _say(random: Random, path: str, data: bytes, complete: bool, told: Told) -> None:
    began = time.perf_counter()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
        stream.settimeout(PATIENCE)
        stream.connect(path)
        try:
            if random.random() < 0.1:
                stream.sendall(data[: random.randrange(len(data) + 1)])
                told.sees("cut off")
                return
            if random.random() < 0.1:
                for place in range(0, min(len(data), 2000), 7):
                    stream.send(data[place : place + 7])
                data = data[2002:] if len(data) > 2000 else b""
            stream.sendall(data)
            if not complete:
                told.sees("cut off")
                return
            told.asked += 1
            stream.shutdown(socket.SHUT_WR)
            splitter = local.FrameSplitter(local.MAX_AGENT_FRAME)
            while came := stream.recv(1 << 16):
                for frame in splitter.feed(came):
                    answer = msgspec.json.decode(frame)
                    told.sees(answer.get("reason", answer["type"]))
            told.took(time.perf_counter() - began)
        except (BrokenPipeError, ConnectionResetError):
            told.sees("closed while it spoke")
            told.took(time.perf_counter() - began)
        except TimeoutError:
            told.sees("no answer")


def pages(random: Random, frames: int, where: Mapping[str, Any], told: Told) -> None:
    """One request a connection."""
    valid = http_requests()
    while told.sent < frames:
        told.sent += 1
        told.asked += 1
        request = _request(random, valid)
        told.sizes += len(request)
        began = time.perf_counter()
        with socket.create_connection(("127.0.0.1", where["page"]), PATIENCE) as stream:
            try:
                stream.sendall(request)
                if random.random() < 0.02:
                    told.sees("cut off")
                    told.took(time.perf_counter() - began)
                    continue
                stream.shutdown(socket.SHUT_WR)
                answer = b""
                while came := stream.recv(1 << 16):
                    answer = answer or came
                told.sees(answer[9:12].decode("latin-1") or "no word")
            except (BrokenPipeError, ConnectionResetError):
                told.sees("closed while it spoke")
            except TimeoutError:
                told.sees("no answer")
                continue
            told.took(time.perf_counter() - began)


def _request(random: Random, valid: list[bytes]) -> bytes:
    match random.randrange(6):
        case 0:
            return random.choice(valid)
        case 1:
            line = b"X-%d: %s\r\n" % (random.randrange(10), b"x" * random.randrange(200))
            head, _, rest = random.choice(valid).partition(b"\r\n")
            return head + b"\r\n" + line * random.choice((1, 10, 100, 1000)) + rest
        case 2:
            method = random.choice((b"HEAD", b"POST", b"PUT", b"get", b"\xff", b"GET" * 1000))
            return random.choice(valid).replace(b"GET", method, 1)
        case _:
            return damaged(random, valid)
