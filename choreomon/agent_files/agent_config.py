"""Configuration of one agent: the process beside which it stands, and where everything is.

The file, `agent.yaml`, is read by `choreomon.agent_files.agent_document`; its fields have the same
names. What the fields must have to do with each other
is said here, so that it also holds for values that were made in Python: `config_defects`, and with
the tables that are named `table_defects`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

from choreomon.agent_files.addresses import ANY_HOST, MAX_SOCKET_PATH, Address, parse_tcp
from choreomon.agent_files.clocks.text import KEY_BYTES, MAX_SYSTEMS
from choreomon.agent_files.delivered.sinks import Sink, StdoutSink
from choreomon.agent_files.local import MAX_LEASE
from choreomon.agent_files.postgresql import PostgresqlStore, postgresql_defects
from choreomon.agent_files.proxies import Proxies, route_defects
from choreomon.agent_files.table_file import SplitTable, load_table
from choreomon.core.errors import Defect, DocumentError, Problem
from choreomon.core.errors import Path as FieldPath
from choreomon.core.message import ENVIRONMENT
from choreomon.core.roles import NO_ROLES
from choreomon.core.suggestion import did_you_mean

Durability: TypeAlias = Literal["off", "process", "power"]
LogLevel: TypeAlias = Literal["debug", "info", "warning", "error"]
LogFormat: TypeAlias = Literal["json", "text"]


@dataclass(frozen=True, slots=True)
class LocalAccess:
    """The entrance for the service: the Unix socket `path`, or `tcp` on loopback, and then with
    what is in the file `token`. One of the two is `None`. `group`: the users of the owner's group
    may connect to `path`, too."""

    path: Path | None = None
    tcp: Address | None = None
    token: Path | None = None
    group: bool = False


@dataclass(frozen=True, slots=True)
class Keys:
    """The file of the agent's own CURVE keys, and the folder of its peers' public ones."""

    secret: Path
    peers: Path


@dataclass(frozen=True, slots=True)
class LogSettings:
    """The level and the format of log messages."""

    level: LogLevel = "info"
    format: LogFormat = "json"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for others: bytes of a peer's frame, frames of one peer in a second, sessions of
    services that are remembered, reports of one service in flight."""

    frame_bytes: int = 1_048_576
    frames_per_second: int = 20_000
    sessions: int = 1024
    window: int = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """Configuration of an agent. Times are in **seconds**; paths are usable from the current
    directory, relative ones of a file start where the file is.

    `listen` and the values of `peers` are `tcp://HOST:PORT`. `keys` is `None` if `insecure`.
    `advertise` is empty where it follows. `store` is `None` if `durability` is `off`. `http` is
    `None` if nothing is served, `proxies` if no proxy asks. `file` and `lines` say where the fields
    stand, for messages about them; both are empty for a value made in Python. `process` may be a
    role: then the agent takes any slot of it that is free, goes on as that process, and `role` says
    which role it was.
    """

    process: str
    tables: tuple[Path, ...]
    closing: tuple[Path, ...] = ()
    listen: str
    advertise: str = ""
    local: LocalAccess
    peers: Mapping[str, str] = field(default_factory=dict)
    keys: Keys | None = None
    insecure: bool = False
    store: Path | PostgresqlStore | None = None
    durability: Durability = "process"
    deadline: float = 1.0
    give_up: float = 60.0
    most_open: int = 512
    lease: float = 5.0
    http: Address | None = None
    proxies: Proxies | None = None
    verdicts: tuple[Sink, ...] = (StdoutSink(),)
    log: LogSettings = LogSettings()
    limits: Limits = Limits()
    role: str = ""
    file: str = field(default="", compare=False)
    lines: Mapping[FieldPath, int] = field(default_factory=dict, compare=False, repr=False)


# ---------------------------------------------------------------- reading


def load_tables(config: AgentConfig) -> tuple[SplitTable, ...]:
    """The tables that a configuration names, in its order, those under `closing` at the end.

    Raises `DocumentError` for files that are none, and for tables that do not fit the
    configuration or each other.
    """
    tables: list[SplitTable] = []
    problems: list[Problem] = []
    named = [(("tables", place), path) for place, path in enumerate(config.tables)]
    named += [(("closing", place), path) for place, path in enumerate(config.closing)]
    for field_path, path in named:
        try:
            with told_at(config, field_path):
                tables.append(load_table(path).at(config.process))
        except DocumentError as error:
            problems += error.problems
            if not os.path.exists(path):
                told = f"{problems[-1].message}: name the file of {config.process} that"
                problems[-1] = replace(problems[-1], message=f"{told} `choreomon split` wrote")
    if problems:
        raise DocumentError(tuple(problems))
    refuse(config, table_defects(config, tables))
    return tuple(tables)


def refuse(config: AgentConfig, defects: Iterable[Defect]) -> None:
    """Raises `DocumentError` where there are defects, with the lines of the configuration."""
    problems = [_problem(config, defect) for defect in defects]
    if problems:
        raise DocumentError(tuple(sorted(problems, key=lambda problem: problem.line)))


@contextmanager
def told_at(config: AgentConfig, path: FieldPath) -> Iterator[None]:
    """Report what is wrong with a file, or a place, as a whole at the field that names it; what is
    wrong at a line or a field of the file stays there."""
    try:
        yield
    except DocumentError as error:
        raise DocumentError(
            tuple(
                problem
                if problem.line or problem.field
                else _problem(config, Defect(path, f"{problem.file}: {problem.message}"))
                for problem in error.problems
            )
        ) from None


def _problem(config: AgentConfig, defect: Defect) -> Problem:
    known = defect.path
    while known and known not in config.lines:
        known = known[:-1]
    return Problem(config.file, config.lines.get(known, 0), _named(defect.path), defect.message)


def _named(path: FieldPath) -> str:
    named = ""
    for key in path:
        named += f"[{key}]" if isinstance(key, int) else f".{key}" if named else key
    return named


# ---------------------------------------------------------------- fields together


def config_defects(config: AgentConfig) -> Iterator[Defect]:
    """Defects of a configuration whose fields are right one by one."""
    if config.process == ENVIRONMENT:
        yield Defect(("process",), f"{ENVIRONMENT!r} has no monitor: name a process")
    yield from _repeated(("tables",), config.tables)
    yield from _repeated(("closing",), config.closing)
    for place, path in enumerate(config.closing):
        if path in config.tables:
            yield Defect(("closing", place), "is among the tables, too: keep one of the two")
    systems = len(config.tables) + len(config.closing)
    if systems > MAX_SYSTEMS:
        told = f"are {systems} with those that are closing; messages carry the clocks of at most"
        yield Defect(("tables",), f"{told} {MAX_SYSTEMS}: use fewer")
    if config.lease > MAX_LEASE:
        told = f"should be at most {MAX_LEASE:g}s, not {config.lease:g}s"
        yield Defect(("lease",), f"{told}: so long a service may wait for a dead agent")
    yield from _repeated(("verdicts",), config.verdicts)
    yield from _security_defects(config)
    yield from _peer_defects(config)
    yield from _local_defects(config.local)
    yield from _proxy_defects(config)
    yield from _place_defects(config)
    if config.give_up <= config.deadline:
        yield Defect(
            ("give_up",),
            f"should be longer than the deadline, {config.deadline:g}s: at the deadline a "
            "provisional word is given, and after it the silent ones are given up",
        )
    if isinstance(config.store, PostgresqlStore):
        for defect in postgresql_defects(config.store, config.lease):
            yield Defect(("store", *defect.path), defect.message)
    elif config.advertise:
        told = "is told beside the leases of slots, and there are none: take it out, or give"
        yield Defect(("advertise",), f"{told} store: {{postgresql: URL}}")
    if config.durability == "off" and config.store is not None:
        yield Defect(
            ("store",),
            "is never written with durability: off: take it out, or choose durability: process",
        )
    if config.durability != "off" and config.store is None:
        yield Defect(
            ("store",),
            f"is missing, and durability is {config.durability}: give a file for what must "
            "survive, or choose durability: off",
        )


def _repeated(field_path: FieldPath, items: Sequence[object]) -> Iterator[Defect]:
    for place, item in enumerate(items):
        if item in items[:place]:
            yield Defect((*field_path, place), "comes twice: keep one of the two")


def _security_defects(config: AgentConfig) -> Iterator[Defect]:
    if config.insecure and config.keys is not None:
        yield Defect(("insecure",), "is true, and keys are given: keep one of the two")
    if not config.insecure and config.keys is None:
        yield Defect(
            ("keys",),
            "are missing: make some with `choreomon keygen`, or say insecure: true, which is "
            "plain text on loopback alone",
        )
    if not config.insecure or config.keys is not None:
        return
    named: list[tuple[FieldPath, str]] = [(("listen",), config.listen)]
    named += [(("advertise",), config.advertise)] if config.advertise else []
    named += [(("peers", peer), address) for peer, address in config.peers.items()]
    for path, text in named:
        address = parse_tcp(text)
        if address is None or not address.loopback:
            yield Defect(
                path,
                f"should be a loopback address such as tcp://127.0.0.1:7600, not {text}, where "
                "insecure is true: messages are plain text; or give keys",
            )


def _peer_defects(config: AgentConfig) -> Iterator[Defect]:
    first: dict[str, str] = {}
    for peer, address in config.peers.items():
        if peer == config.process:
            yield Defect(("peers", peer), "is the process of this agent itself: take it out")
        elif peer == ENVIRONMENT:
            yield Defect(("peers", peer), "has no monitor that could be asked: take it out")
        elif first.setdefault(address, peer) != peer:
            told = f"has the address of {first[address]}, {address}: every agent has its own"
            yield Defect(("peers", peer), told)


def _local_defects(local: LocalAccess) -> Iterator[Defect]:
    path: FieldPath = ("local",)
    if (local.path is None) is (local.tcp is None):
        yield Defect(path, "should have either path or tcp")
    if local.tcp is not None and local.token is None:
        yield Defect((*path, "token"), "is missing: others on this machine reach tcp, too")
    if local.tcp is not None and not local.tcp.loopback:
        told = f"should be a loopback address such as 127.0.0.1:7601, not {local.tcp}"
        yield Defect((*path, "tcp"), told)
    if local.path is not None and len(os.fsencode(local.path)) > MAX_SOCKET_PATH:
        told = f"is longer than a socket's path may be ({MAX_SOCKET_PATH} bytes): {local.path}"
        yield Defect((*path, "path"), f"{told}: choose a shorter one")


def _proxy_defects(config: AgentConfig) -> Iterator[Defect]:
    if config.proxies is None:
        return
    listen, path = config.proxies.listen, ("proxies",)
    if not listen.loopback:
        told = f"should be a loopback address such as 127.0.0.1:7602, not {listen}: who reaches it"
        yield Defect((*path, "listen"), f"{told} speaks for the service")
    for defect in route_defects(config.proxies.routes):
        yield Defect((*path, *defect.path), defect.message)


def _place_defects(config: AgentConfig) -> Iterator[Defect]:
    """Places at which the agent would listen twice."""
    taken: list[tuple[str, Address]] = []
    for path, address in (
        (("listen",), parse_tcp(config.listen)),
        (("http",), config.http),
        (("local", "tcp"), config.local.tcp),
        (("proxies", "listen"), None if config.proxies is None else config.proxies.listen),
    ):
        if address is None or not address.port:
            continue
        for name, other in taken:
            if _overlap(address, other):
                told = f"is {address}, and {name} is {other}: choose another port"
                yield Defect(path, told)
                break
        taken.append((".".join(path), address))


def _overlap(one: Address, other: Address) -> bool:
    hosts = [
        {ANY_HOST: "0.0.0.0", "localhost": "127.0.0.1"}.get(each.host.lower(), each.host.lower())
        for each in (one, other)
    ]
    if one.port != other.port:
        return False
    alike = (":" in hosts[0]) is (":" in hosts[1])
    return hosts[0] == hosts[1] or (alike and not {"0.0.0.0", "::"}.isdisjoint(hosts))


def table_defects(config: AgentConfig, tables: Sequence[SplitTable]) -> Iterator[Defect]:
    """Yields defects of tables, those of `config.tables` and `config.closing` in order, that do not
    fit the configuration or each other. Whether peers have the files of the same split cannot be
    seen here; if not, they refuse each other's frames."""
    paths: list[FieldPath] = [("tables", place) for place in range(len(config.tables))]
    paths += [("closing", place) for place in range(len(config.closing))]
    paths += [("tables", place) for place in range(len(paths), len(tables))]  # none was named
    of_system: dict[str, int] = {}
    of_key: dict[str, int] = {}
    for place, table in enumerate(tables):
        path = paths[place]
        if not table.is_for(config.process):
            slots = table.roles.slots_of(table.named)
            of = f"{table.named}, which has the slots {slots[0]} to {slots[-1]}"
            if slots == (table.process,):
                of = table.process
            told = f"is the table of {of}, and this is the agent of {config.process}"
            yield Defect(path, f"{told}: name the file of {config.process}")
        if table.named != tables[0].named:
            told = f"calls this process {table.named}, and {_named(paths[0])} {tables[0].named}"
            yield Defect(path, f"{told}: services know it by one name; split it again")
        same = of_system.setdefault(table.system_id, place)
        # So much of an id is carried by the messages of the application.
        alike = of_key.setdefault(table.clock_id[: 2 * KEY_BYTES], place)
        if same != place:
            told = f"is of the same system as {_named(paths[same])}: keep one of the two"
            yield Defect(path, told)
        elif tables[alike].clock_id != table.clock_id:
            told = f"its system cannot be told from that of {_named(paths[alike])}"
            yield Defect(path, f"{told}: split it again")
        elif tables[alike].processes != table.processes:
            told = f"has the clock of {_named(paths[alike])}, and other processes"
            yield Defect(path, f"{told}: split it again")
    roles = next((table.roles for table in tables if table.roles), NO_ROLES)
    any_of = roles.slots_of(config.process) if config.process in roles.slots else ()
    yield from _role_defects(config, any_of)
    asked = dict.fromkeys(peer for table in tables for peer in table.asked_by(config.process))
    found = found_beside_leases(config, tables)
    for peer in asked:
        if peer not in config.peers and peer not in found and peer not in any_of:
            close = did_you_mean(peer, [name for name in config.peers if name not in asked])
            told = f"have no address of {peer}, whom this agent asks: add {peer}: tcp://HOST:PORT"
            yield Defect(("peers",), told + close)
    known = dict.fromkeys(process for table in tables for process in table.processes)
    for peer in config.peers:
        if peer not in known:
            close = did_you_mean(peer, known) or ": take it out"
            yield Defect(("peers", peer), f"is no process of any of the tables{close}")
    for host, peer in ({} if config.proxies is None else config.proxies.peers).items():
        if peer not in known:
            close = did_you_mean(peer, known) or ": take it out"
            told = f"is {peer}, which is no process of any of the tables{close}"
            yield Defect(("proxies", "peers", host), told)


def found_beside_leases(config: AgentConfig, tables: Sequence[SplitTable]) -> frozenset[str]:
    """The processes whose agents are found without an address: slots, where their leases are in
    the tables that the agent has its own in."""
    if not isinstance(config.store, PostgresqlStore):
        return frozenset()
    roles = [table.roles for table in tables]
    return frozenset(slot for each in roles for slot in each.processes(each.slots))


def _role_defects(config: AgentConfig, slots: Sequence[str]) -> Iterator[Defect]:
    """Yields what an agent lacks that takes any of these slots."""
    if slots and config.store is None:
        told = (
            "should be a folder with a file for each slot, or {postgresql: URL}; or name one slot"
        )
        yield Defect(("store",), f"{told}, as in process: {slots[0]}")
    for slot in slots if isinstance(config.store, Path) else ():
        if slot not in config.peers:
            told = f"have no address of {slot}, where this agent listens when it has that slot"
            yield Defect(("peers",), f"{told}: add {slot}: tcp://HOST:PORT")
