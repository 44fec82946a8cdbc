"""Frames to the sockets that are for agents."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import zmq

from benchmarks.fuzz.mutants import damaged, mutated_pack
from benchmarks.fuzz.premises import SYNC, PeerFrames
from benchmarks.fuzz.told import Told
from choreomon.agent_files.key_files import load_key_pair, load_public_keys
from choreomon.agent_files.table_file import load_table
from choreomon.agent_files.wire import decode_untrusted
from choreomon.core.errors import MalformedMessage
from choreomon.monitor.host import Host
from choreomon.monitor.messages import Inquiry, Response
from choreomon.monitor.pull import Monitor
from choreomon.runtime.inputs import FromPeer
from choreomon.runtime.network.security import (
    Curve,
    Insecure,
    Security,
    ZapHandler,
    secure_asker,
    secure_listener,
)
from choreomon.runtime.outputs import Dropped
from choreomon.runtime.sidecar import Sidecar

CHUNK: Final = 200
"""Frames after which it asks whether it is still answered."""
IN_ANY_STATE: Final = ("malformed", "system", "sender", "oversized")
PARTS: Final = 0.01
POOL: Final = 500
"""Frames after which others are mutated."""


class Judge:
    """What the target must refuse, as its pure sidecar says."""

    def __init__(self, table_file: str) -> None:
        table = load_table(table_file)
        host = Host(Monitor(table.table, table.processes, most_open=512))
        self.system = table.system_id
        self.processes = table.processes
        self._sidecar = Sidecar("target", (bytes.fromhex(table.system_id),), (host,))
        self._initial = self._sidecar.initial()
        self.bearable = self._sidecar.bearable_frame

    def refusal(self, frame: bytes) -> str:
        """The reason; empty where that depends on the state, or there is none."""
        if not frame:
            return "empty"
        _, outputs = self._sidecar.step(self._initial, FromPeer("rogue", frame))
        for output in outputs:
            if isinstance(output, Dropped) and output.reason in IN_ANY_STATE:
                return output.reason
        return ""


class Source:
    """Frames without end: random ones, and mutants of those that the rogue may send."""

    def __init__(self, random: Random, judge: Judge, told: Told) -> None:
        self.frames = PeerFrames(random, judge.system)
        self._random, self._judge, self._told = random, judge, told
        self.pool = self.frames.valid()

    def next(self) -> list[bytes]:
        """The parts of one message."""
        random, told = self._random, self._told
        told.sent += 1
        if told.sent % POOL == 0:
            self.pool = self.frames.valid()
        (make,) = random.choices((damaged, self._mutated, _as_it_is), (3, 6, 1))
        parts = [make(random, self.pool)]
        if random.random() < PARTS:
            parts += [b"more"] * random.randrange(1, 20)
        told.sizes += sum(map(len, parts))
        reason = "parts" if len(parts) > 1 else self._judge.refusal(parts[0])
        if reason:
            told.refuses(reason)
        return parts

    def _mutated(self, random: Random, valid: Sequence[bytes]) -> bytes:
        # A longer one would end the connection, and what was sent before it might be lost.
        return mutated_pack(random, valid, self._judge.bearable)


def _as_it_is(random: Random, valid: Sequence[bytes]) -> bytes:
    return random.choice(valid)


def security_of(where: Mapping[str, Any]) -> Security:
    if where["keys"] is None:
        return Insecure("rogue", ("target", "good"))
    keys = load_public_keys(Path(where["keys"]))
    own = load_key_pair(Path(where["keys"]) / "rogue.key")
    return Curve(own, {name: keys[name] for name in ("target", "good")})


def asks(random: Random, frames: int, where: Mapping[str, Any], told: Told) -> None:
    """To the ROUTER of the target."""
    judge = Judge(where["table"])
    source = Source(random, judge, told)
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    dealer = context.socket(zmq.DEALER)
    for option, value in ((zmq.LINGER, 0), (zmq.SNDTIMEO, 60_000), (zmq.RCVTIMEO, 60_000)):
        dealer.setsockopt(option, value)
    secure_asker(dealer, security_of(where), "target")
    dealer.connect(where["target"])
    _ask(dealer, source, judge, told)
    while told.sent < frames:
        for _ in range(min(CHUNK, frames - told.sent)):
            dealer.send_multipart(source.next())
        _ask(dealer, source, judge, told)
    dealer.close()
    context.term()


def _ask(dealer: Any, source: Source, judge: Judge, told: Told) -> None:
    told.asked += 1
    began = time.perf_counter()
    dealer.send(source.frames.sync(told.asked))
    while True:
        try:
            answer = decode_untrusted(dealer.recv(), judge.processes, bytes.fromhex(judge.system))
        except zmq.Again:
            return
        except MalformedMessage:
            told.sees("malformed answer")
            continue
        told.sees(type(answer).__name__)
        if isinstance(answer, Response) and answer.event_count == SYNC + told.asked:
            told.took(time.perf_counter() - began)
            return


def answers(random: Random, frames: int, where: Mapping[str, Any], told: Told) -> None:
    """To the DEALER by which the target asks the rogue."""
    asyncio.run(_answers(random, frames, where, told))


async def _answers(random: Random, frames: int, where: Mapping[str, Any], told: Told) -> None:
    judge = Judge(where["table"])
    source = Source(random, judge, told)
    security = security_of(where)
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    router = context.socket(zmq.ROUTER)
    router.setsockopt(zmq.LINGER, 60_000)
    router.setsockopt(zmq.ROUTER_MANDATORY, 1)
    router.setsockopt(zmq.SNDHWM, CHUNK)
    keeper = ZapHandler(context, asyncio.get_running_loop(), security, told.sees)
    secure_listener(router, security)
    router.bind(where["rogue"])
    route = b""
    while told.sent < frames:
        while router.poll(0):
            route, data = router.recv_multipart()
            inquiry = decode_untrusted(data, judge.processes, bytes.fromhex(judge.system))
            told.sees(type(inquiry).__name__)
            if isinstance(inquiry, Inquiry):
                count = inquiry.event[judge.processes.index("target")]
                right = source.frames.responses(inquiry.inspected, count)
                source.pool = [*source.pool[-20:], *right]
                if random.random() < 0.5:
                    await _send(router, [route, right[0]])
                    told.sees("answered rightly")
        if route:
            for _ in range(min(CHUNK, frames - told.sent)):
                await _send(router, [route, *source.next()])
        await asyncio.sleep(0.001)
    while router.poll(0):
        router.recv_multipart()
    await asyncio.sleep(1.0)
    keeper.close()
    router.close()
    context.term()


async def _send(router: Any, parts: list[bytes]) -> None:
    while True:
        try:
            router.send_multipart(parts, zmq.NOBLOCK)
            return
        except zmq.Again:
            await asyncio.sleep(0.001)
