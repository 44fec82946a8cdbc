"""The shape of an agent's configuration, field by field, and reading it.

The classes are for errors that an author understands, and for the JSON Schema; what leaves this
module is `choreomon.agent_files.agent_config.AgentConfig`. Times are `250ms`, `2s`, `1m`, or a
number of milliseconds, and seconds from there on.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, TypeAlias

from choreomon.agent_files.addresses import parse_address
from choreomon.agent_files.agent_config import (
    AgentConfig,
    Durability,
    Keys,
    Limits,
    LocalAccess,
    LogFormat,
    LogLevel,
    LogSettings,
    config_defects,
    refuse,
)
from choreomon.agent_files.agent_fields import (
    URL,
    Affirmed,
    FilePath,
    HostPort,
    ListeningAddress,
    PeerAddress,
    Time,
)
from choreomon.agent_files.delivered.sinks import (
    FileSink,
    Sink,
    StdoutSink,
    WebhookFormat,
    WebhookSink,
)
from choreomon.agent_files.postgresql import SCHEMA as POSTGRESQL_SCHEMA
from choreomon.agent_files.postgresql import PostgresqlStore
from choreomon.agent_files.proxy_document import ProxiesDocument, proxies_of
from choreomon.files.fields import SCHEMA, Items, Name, OneOrMore, one_key
from choreomon.files.input_files import beginning, folder_of
from choreomon.files.shape_reading import in_shape
from choreomon.files.shapes import Bounds, Choice, NotEmpty, Part, field
from choreomon.files.source_positions import MAX_BYTES, Positioned, read_positioned

# ---------------------------------------------------------------- the parts


class LocalPathDocument(Part):
    """A Unix socket, for services of the same user."""

    path: FilePath = field(description="the socket, in a folder that the agent makes and keeps")
    group: bool = field(
        default=False,
        description="whether users of the owner's group may connect: folder of mode 0750 and "
        "socket of 0660 instead of 0700 and 0600",
    )


class LocalTcpDocument(Part):
    """A port on loopback, for services that have no Unix sockets."""

    tcp: HostPort = field(description="an address on loopback, as 127.0.0.1:7601")
    token: FilePath = field(
        description="a file of mode 0600, with a secret that services must tell"
    )


Text: TypeAlias = Annotated[str, NotEmpty()]

Local: TypeAlias = Annotated[
    LocalPathDocument | LocalTcpDocument,
    Choice(one_key(("path", "tcp"), "{path: SOCKET} or {tcp: HOST:PORT, token: FILE}")),
]


class KeysDocument(Part):
    """The files of CURVE keys that `choreomon keygen` makes."""

    secret: FilePath = field(
        description="the file of the agent's own secret key, or a folder that it is in; a folder "
        "with those of all slots for an agent that takes any slot"
    )
    peers: FilePath = field(
        description="the folder with the public key of each process that may connect"
    )


class StdoutDocument(Part):
    """Verdicts on the standard output."""

    stdout: Affirmed = field(description="true")


class FileDocument(Part):
    """Verdicts at the end of a file."""

    file: FilePath = field(description="the file, a verdict a line")


class WebhookTargetDocument(Part):
    """The target that verdicts are posted to."""

    url: URL = field(description="an http or https URL")
    timeout: Time = field(
        default=2.0,
        shown_default="2s",
        description="how long an answer may take before it is tried again",
    )
    format: WebhookFormat = field(
        default="verdict",
        description="what is posted: the verdict, or a CloudEvent with the verdict in it",
    )
    headers_file: FilePath | None = field(
        default=None, description="a file of mode 0600, with headers of each request, one a line"
    )
    secret_file: FilePath | None = field(
        default=None,
        description="a file of mode 0600, with secrets by which requests are signed, one a line",
    )
    dead_letter_file: FilePath | None = field(
        default=None,
        description="a file for verdicts that are refused for good; null: one beside the store",
    )


class WebhookDocument(Part):
    """Verdicts posted to a URL."""

    webhook: WebhookTargetDocument = field(description="the target: {url, ...}")


SinkDocument: TypeAlias = Annotated[
    StdoutDocument | FileDocument | WebhookDocument,
    Choice(
        one_key(
            ("stdout", "file", "webhook"),
            "one sink: {stdout: true}, {file: FILE} or {webhook: {url, ...}}",
        )
    ),
]


class PostgresqlDocument(Part):
    """A journal in PostgreSQL, for slots that move."""

    postgresql: Text = field(
        description="a URL as libpq has it, postgresql://USER@HOST/DATABASE, without a password"
    )
    table_schema: Text = field(
        default=POSTGRESQL_SCHEMA,
        key="schema",
        description="the schema, one for each monitored system",
    )
    timeout: Time = field(
        default=2.0,
        shown_default="2s",
        description="how long an answer of the server is waited for",
    )
    lease: Time = field(
        default=10.0,
        shown_default="10s",
        description="after which others may take the slot of an agent that is silent",
    )
    holder: Text | None = field(
        default=None,
        description="the name of the pod, which is no other agent's; null: the machine's, with "
        "where the service connects",
    )


StoreDocument: TypeAlias = Annotated[
    FilePath | PostgresqlDocument, Choice(lambda value: int(not isinstance(value, str)))
]


class LogDocument(Part):
    """Logging, to the standard error."""

    level: LogLevel = field(default="info", description="the least that is logged")
    format: LogFormat = field(default="json", description="a JSON object a line, or text")


class LimitsDocument(Part):
    """Limits for others."""

    frame_bytes: Annotated[int, Bounds(least=1024, most=1_048_576)] = field(
        default=1_048_576, description="bytes of a peer's frame"
    )
    frames_per_second: Annotated[int, Bounds(least=1, most=10_000_000)] = field(
        default=20_000, description="frames of one peer in a second"
    )
    sessions: Annotated[int, Bounds(least=1, most=1_000_000)] = field(
        default=1024, description="sessions of services that are remembered"
    )
    window: Annotated[int, Bounds(least=1, most=65_536)] = field(
        default=1024, description="reports of a service that wait for an answer"
    )


class AgentDocument(Part):
    """The configuration of one agent."""

    process: Name = field(
        description="the process beside which the agent stands; or a role, of which it takes any "
        "slot that is free"
    )
    tables: OneOrMore[FilePath] = field(
        description="a list of files that `choreomon split` wrote for the process, one a property"
    )
    closing: Items[FilePath] = field(
        default=(),
        description="tables of systems that are being closed: they answer others and say what is "
        "left to be said, but nothing of new events",
    )
    listen: ListeningAddress = field(
        description="where peers that ask connect: tcp://ADDRESS:PORT, port 0 for any, and for a "
        "role for that of its slot in peers"
    )
    advertise: PeerAddress | None = field(
        default=None,
        description="where others reach this agent, told beside its lease in PostgreSQL: "
        "tcp://HOST:PORT; null: at listen, and for * at the address that the server sees it at",
    )
    peers: dict[Name, PeerAddress] = field(
        default={},
        description="the addresses of the agents that are asked, by process; slots of roles may be "
        "left out where the store is in PostgreSQL: they are found beside their leases",
    )
    local: Local = field(
        description="where the service connects: {path: SOCKET} or {tcp: HOST:PORT, token: FILE}"
    )
    keys: KeysDocument | None = field(
        default=None, description="the keys for traffic with peers: {secret, peers}"
    )
    insecure: bool = field(
        default=False, description="true: no keys, plain text, addresses on loopback alone"
    )
    store: StoreDocument | None = field(
        default=None,
        description="what must survive: its file, or {postgresql: URL, ...} for a slot that moves; "
        "for any slot of a role a folder with a file for each; none with durability: off",
    )
    durability: Durability = field(
        default="process",
        description="what nothing is lost by: process, the end of the agent; power, of the machine",
    )
    deadline: Time = field(
        default=1.0,
        shown_default="1s",
        description="after which a provisional verdict is given when answers are missing",
    )
    give_up: Time = field(
        default=60.0,
        shown_default="1m",
        description="after which it is judged for good without those that are silent",
    )
    most_open: Annotated[int, Bounds(least=1, most=1_000_000)] = field(
        default=512,
        description="open inspections, above which the oldest are judged for good",
    )
    lease: Time = field(
        default=5.0,
        shown_default="5s",
        description="how long a service may count on its agent before it lets messages go "
        "without it",
    )
    http: HostPort | None = field(
        default=None, description="where /metrics, /healthz and /readyz are served; null: nowhere"
    )
    proxies: ProxiesDocument | None = field(
        default=None, description="the proxies that ask before they let requests pass; null: none"
    )
    verdicts: OneOrMore[SinkDocument] = field(
        default=(StdoutDocument(stdout=True),), description="a list of where verdicts go"
    )
    log: LogDocument = field(default=LogDocument(), description="what is logged")
    limits: LimitsDocument = field(
        default=LimitsDocument(), description="what others may ask of the agent at most"
    )
    schema_for_editors: str | None = SCHEMA


# ---------------------------------------------------------------- reading


def load_agent_config(path: str | os.PathLike[str]) -> AgentConfig:
    """The configuration in a file; a name that ends in `.json` is JSON, any other YAML. Its tables
    are not read: see `choreomon.agent_files.agent_config.load_tables`.

    Raises `DocumentError` with all problems found, also for a file that cannot be read.
    """
    file = os.fspath(path)
    content = beginning(file, MAX_BYTES + 1)
    return parse_agent_config(content, file)


def parse_agent_config(text: str | bytes, file: str) -> AgentConfig:
    """The configuration that `text` holds; `file` is what problems call it, and relative paths
    start in its folder. Raises `DocumentError` with all problems found."""
    located = read_positioned(
        text,
        file,
        as_json=Path(file).suffix.lower() == ".json",
        wanted="the configuration of an agent",
        keys="process: and tables:",
    )
    document = in_shape(AgentDocument, located)
    config = _config(document, located)
    refuse(config, config_defects(config))
    return config


def _config(document: AgentDocument, located: Positioned) -> AgentConfig:
    folder = folder_of(located.file)

    def at(path: str) -> Path:
        return folder / path

    keys, http = document.keys, document.http
    return AgentConfig(
        process=document.process,
        tables=tuple(map(at, document.tables)),
        closing=tuple(map(at, document.closing)),
        listen=document.listen,
        advertise=document.advertise or "",
        local=_local(document.local, folder),
        peers=document.peers,
        keys=None if keys is None else Keys(at(keys.secret), at(keys.peers)),
        insecure=document.insecure,
        store=_store(document.store, folder),
        durability=document.durability,
        deadline=document.deadline,
        give_up=document.give_up,
        most_open=document.most_open,
        lease=document.lease,
        http=None if http is None else parse_address(http),
        proxies=proxies_of(document.proxies),
        verdicts=tuple(_sink(sink, folder) for sink in document.verdicts),
        log=LogSettings(document.log.level, document.log.format),
        limits=_limits(document.limits),
        file=located.file,
        lines=located.lines,
    )


def _limits(limits: LimitsDocument) -> Limits:
    return Limits(limits.frame_bytes, limits.frames_per_second, limits.sessions, limits.window)


def _store(store: str | PostgresqlDocument | None, folder: Path) -> Path | PostgresqlStore | None:
    if isinstance(store, PostgresqlDocument):
        limits = (store.timeout, store.lease)
        return PostgresqlStore(store.postgresql, store.table_schema, *limits, store.holder or "")
    return None if store is None else folder / store


def _local(local: LocalPathDocument | LocalTcpDocument, folder: Path) -> LocalAccess:
    if isinstance(local, LocalPathDocument):
        return LocalAccess(path=folder / local.path, group=local.group)
    return LocalAccess(tcp=parse_address(local.tcp), token=folder / local.token)


def _sink(sink: StdoutDocument | FileDocument | WebhookDocument, folder: Path) -> Sink:
    match sink:
        case StdoutDocument():
            return StdoutSink()
        case FileDocument():
            return FileSink(folder / sink.file)
        case WebhookDocument():
            return _webhook(sink.webhook, folder)


def _webhook(target: WebhookTargetDocument, folder: Path) -> WebhookSink:
    headers, secret, letters = (
        None if path is None else folder / path
        for path in (target.headers_file, target.secret_file, target.dead_letter_file)
    )
    return WebhookSink(target.url, target.timeout, target.format, headers, secret, letters)
