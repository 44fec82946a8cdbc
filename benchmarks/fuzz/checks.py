"""What must be true of any bytes: of the decoders, of pages, and of a sidecar that is stepped."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from benchmarks.fuzz.premises import AUTOMATON, MANY, NAMES, conversation
from choreomon.agent_files import local
from choreomon.agent_files.clocks.text import (
    decode_carried_untrusted,
    decode_clocks_untrusted,
    encode_carried,
    encode_clocks,
)
from choreomon.agent_files.table_file import SplitTable
from choreomon.agent_files.wire import decode_untrusted, encode, open_untrusted, unlinked
from choreomon.core.errors import MalformedMessage
from choreomon.core.vector_clock import VectorClock
from choreomon.monitor.history import MAX_CHAIN
from choreomon.monitor.host import Host
from choreomon.monitor.pull import WAITING_PER_OPEN, Monitor
from choreomon.properties.tables import transition_tables
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.inputs import Abandoned, Expired, FromPeer, GivenUp, Goodbye, Hello, Report
from choreomon.runtime.operations.exposition import Exposition
from choreomon.runtime.operations.http import HttpServer, _parsed, _written, operations_pages
from choreomon.runtime.operations.metrics import Metrics
from choreomon.runtime.operations.status import readings
from choreomon.runtime.outputs import Dropped, Output
from choreomon.runtime.said_of_events import MOST_OWN
from choreomon.runtime.sidecar import Sidecar

SYSTEM: Final = bytes(range(16))
MOST_OPEN: Final = 16
MOST_SESSIONS: Final = 4
WINDOW: Final = 8
MOST_GAPS: Final = 5
PARTIES: Final = ("rogue", "good")


class Broken(Exception):
    """What must be true is not. The message says what."""


def make_sidecar(process: str = "target") -> Sidecar:
    """One with small bounds, that soon come to bear."""
    table = transition_tables(AUTOMATON, NAMES)[process]
    host = Host(Monitor(table, NAMES, has_deadline=True, most_open=MOST_OPEN))
    return Sidecar(process, (SYSTEM,), (host,), window=WINDOW, most_sessions=MOST_SESSIONS)


def must(true: bool, what: str) -> None:
    if not true:
        raise Broken(what)


def check_wire(data: bytes) -> None:
    try:
        message = decode_untrusted(data, NAMES, SYSTEM)
    except MalformedMessage:
        return
    again = decode_untrusted(encode(message, SYSTEM), NAMES, SYSTEM)
    must(again == message, "what is read is written as something else")


def make_check_linked() -> Callable[[bytes], None]:
    _, link = conversation(Random(0), SYSTEM)

    def check(data: bytes) -> None:
        try:
            frame = open_untrusted(data)
            whole, after = unlinked(frame, len(MANY), link)
            message = decode_untrusted(whole, MANY, frame.system)
        except MalformedMessage:
            return
        must(after.offered == link.offered, "what is heard changes what was offered")
        again = decode_untrusted(encode(message, frame.system), MANY, frame.system)
        must(again == message, "what is read is written as something else")

    return check


def check_local(data: bytes) -> None:
    for decode in (local.decode_client_untrusted, local.decode_agent_untrusted):
        try:
            message = decode(data)
        except MalformedMessage:
            continue
        if not isinstance(message, local.Renewed | local.Welcome):  # floats may be written shorter
            must(decode(local.encode(message)[4:]) == message, "written as something else")
    whole, pieces = local.FrameSplitter(), local.FrameSplitter()
    try:
        frames = whole.feed(data)
    except MalformedMessage:
        return
    one_by_one = [
        frame for place in range(0, len(data), 3) for frame in pieces.feed(data[place : place + 3])
    ]
    must(frames == one_by_one, "a stream means something else in pieces")


def check_carried(data: bytes) -> None:
    text = data.decode("latin-1")
    try:
        carried = decode_carried_untrusted(text)
        must(encode_carried(carried) == text, "a header is written as something else")
        text = carried.clock
    except MalformedMessage:
        pass
    try:
        clocks = decode_clocks_untrusted(text)
    except MalformedMessage:
        return
    must(encode_clocks(clocks) == text, "clocks are written as something else")


def make_check_page() -> Callable[[bytes], None]:
    sidecar = make_sidecar()
    state = sidecar.initial()
    table = SplitTable(
        SYSTEM.hex(), "two", "sound", NAMES, transition_tables(AUTOMATON, NAMES)["target"]
    )
    exposition = Exposition(
        Metrics("target", [table], now=lambda: 0.0), read=lambda: readings(sidecar, state)
    )

    def failed(path: str, error: Exception) -> None:
        raise Broken(f"{path} failed: {error!r}") from error

    pages = operations_pages(
        metrics=exposition.text, not_ready=lambda: ["no"], status=lambda: b"{}"
    )
    server = HttpServer(pages, failed=failed)

    def check(data: bytes) -> None:
        request = data.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
        method, target, headers = _parsed(request)
        answer = _written(server._answer(method, target, headers), head_only=method == "HEAD")
        must(answer.startswith(b"HTTP/1.1 "), "this is no answer")

    return check


class Stepped:
    """A sidecar that goes on and on, and what is true of it after every step."""

    def __init__(self, sidecar: Sidecar) -> None:
        self.sidecar = sidecar
        self.state: SidecarState = sidecar.initial()

    def step(self, given: object) -> list[Output]:
        before = self.state
        self.state, outputs = self.sidecar.step(before, given)  # type: ignore[arg-type]
        clock, now = before.hosts[0].clock, self.state.hosts[0].clock
        must(_reached(now, clock), f"a clock ran backwards: {clock} to {now}")
        must(is_bounded(self.state), "it remembers too much")
        if isinstance(given, FromPeer):
            dropped = [each.reason for each in outputs if isinstance(each, Dropped)]
            must(len(dropped) < 2, "one frame is refused twice")
            if dropped and dropped != ["clock"]:
                must(self.state is before and len(outputs) == 1, "what is refused has an effect")
        return outputs


def _reached(now: VectorClock, before: VectorClock) -> bool:
    return all(a >= b for a, b in zip(now, before, strict=True))


def is_bounded(state: SidecarState) -> bool:
    """Whether nothing is above what it may be. One event may open as many inspections as it labels
    transitions, above the bound; and each open one has a record."""
    monitor = state.hosts[0].monitor
    undecided = {(0, each.event[NAMES.index("target")]) for each in monitor.decisions}
    return (
        len(monitor.inspections) <= MOST_OPEN + 2
        and len(monitor.postponed) <= WAITING_PER_OPEN * MOST_OPEN + 2
        and len(monitor.decisions) <= MOST_OPEN + 2
        and len(monitor.gaps) <= MOST_GAPS
        and all(len(chain) <= MAX_CHAIN + MOST_OPEN + 3 for chain in monitor.history)
        and len(state.sessions) <= MOST_SESSIONS
        and all(len(session.replies) <= WINDOW + 1 for session in state.sessions.values())
        and len(state.said.own) <= MOST_OWN
        and {*state.said.values, *state.said.heard} <= undecided
    )


def make_check_sidecar() -> Callable[[bytes], None]:
    """Its state stays from input to input. Between the frames its own service reports events, so
    that it has to ask; the words that it said are delivered at once."""
    it = Stepped(make_sidecar())
    number, connection, session = 0, 1, "s"
    it.step(Hello(connection, "block", "", session, 0))

    def check(data: bytes) -> None:
        nonlocal number, connection, session
        way = len(data) % 8
        it.step(FromPeer(PARTIES[way == 1], data))
        if way < 3:
            number += 1
            name = ("b", "d", "e", "g")[number % 4]
            peer = "rogue" if name in "dg" else "good"
            it.step(Report(connection, session, number, number - 1, "send", peer, name, "", 0))
        host, state = it.sidecar.hosts[0], it.state.hosts[0]
        if way == 3:
            for count in host.undecided(state)[:1]:
                it.step(Expired(0, count))
        if way == 4:
            for count in host.inspected(state)[:2]:
                it.step(GivenUp(0, count))
        if number % 1000 == 999:
            it.step(Goodbye(connection, session))
            it.step(Abandoned(session))
            number, connection, session = 0, connection + 1, f"s{connection}"
            it.step(Hello(connection, "block", "", session, 0))
            gc.collect()
        it.state = it.state._replace(undelivered=it.sidecar.initial().undelivered)

    return check


CHECKS: Final[Mapping[str, Callable[[], Callable[[bytes], None]]]] = {
    "wire": lambda: check_wire,
    "linked": make_check_linked,
    "local": lambda: check_local,
    "carried": lambda: check_carried,
    "page": make_check_page,
    "sidecar": make_check_sidecar,
}
