"""The shape of an agent's configuration, field by field, and reading it.

The models are for errors that an author understands, and for the JSON Schema; what leaves this
module is `choreomon.agent_files.agent_config.AgentConfig`. Times are `250ms`, `2s`, `1m`, or a
number of milliseconds, and seconds from there on.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Tag

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
from choreomon.agent_files.proxy_document import ProxiesDocument, proxies_of
from choreomon.files.fields import (
    BRANCH,
    SCHEMA,
    Items,
    Name,
    OneOrMore,
    Part,
    branch_by_key,
    in_shape,
    one_key,
)
from choreomon.files.input_files import beginning, folder_of
from choreomon.files.source_positions import MAX_BYTES, Positioned, read_positioned

# ---------------------------------------------------------------- the parts


class LocalPathDocument(Part):
    """A Unix socket, for services of the same user."""

    path: FilePath = Field(description="the socket, in a folder that the agent makes and keeps")
    group: bool = Field(
        default=False,
        description="whether users of the owner's group may connect: folder of mode 0750 and "
        "socket of 0660 instead of 0700 and 0600",
    )


class LocalTcpDocument(Part):
    """A port on loopback, for services that have no Unix sockets."""

    tcp: HostPort = Field(description="an address on loopback, as 127.0.0.1:7601")
    token: FilePath = Field(
        description="a file of mode 0600, with a secret that services must tell"
    )


Local: TypeAlias = Annotated[
    Annotated[LocalPathDocument, Tag(f"{BRANCH}path")]
    | Annotated[LocalTcpDocument, Tag(f"{BRANCH}tcp")],
    Discriminator(branch_by_key),
    BeforeValidator(one_key(("path", "tcp"), "{path: SOCKET} or {tcp: HOST:PORT, token: FILE}")),
]


class KeysDocument(Part):
    """The files of CURVE keys that `choreomon keygen` makes."""

    secret: FilePath = Field(description="the file of the agent's own secret key")
    peers: FilePath = Field(
        description="the folder with the public key of each process that may connect"
    )


class StdoutDocument(Part):
    """Verdicts on the standard output."""

    stdout: Affirmed = Field(description="true")


class FileDocument(Part):
    """Verdicts at the end of a file."""

    file: FilePath = Field(description="the file, a verdict a line")


class WebhookTargetDocument(Part):
    """The target that verdicts are posted to."""

    url: URL = Field(description="an http or https URL")
    timeout: Time = Field(
        default=2.0,
        json_schema_extra={"default": "2s"},
        description="how long an answer may take before it is tried again",
    )
    format: WebhookFormat = Field(
        default="verdict",
        description="what is posted: the verdict, or a CloudEvent with the verdict in it",
    )
    headers_file: FilePath | None = Field(
        default=None, description="a file of mode 0600, with headers of each request, one a line"
    )
    secret_file: FilePath | None = Field(
        default=None,
        description="a file of mode 0600, with secrets by which requests are signed, one a line",
    )
    dead_letter_file: FilePath | None = Field(
        default=None,
        description="a file for verdicts that are refused for good; null: one beside the store",
    )


class WebhookDocument(Part):
    """Verdicts posted to a URL."""

    webhook: WebhookTargetDocument = Field(description="the target: {url, ...}")


SinkDocument: TypeAlias = Annotated[
    Annotated[StdoutDocument, Tag(f"{BRANCH}stdout")]
    | Annotated[FileDocument, Tag(f"{BRANCH}file")]
    | Annotated[WebhookDocument, Tag(f"{BRANCH}webhook")],
    Discriminator(branch_by_key),
    BeforeValidator(
        one_key(
            ("stdout", "file", "webhook"),
            "one sink: {stdout: true}, {file: FILE} or {webhook: {url, ...}}",
        )
    ),
]


class LogDocument(Part):
    """Logging, to the standard error."""

    level: LogLevel = Field(default="info", description="the least that is logged")
    format: LogFormat = Field(default="json", description="a JSON object a line, or text")


class LimitsDocument(Part):
    """Limits for others."""

    frame_bytes: int = Field(
        default=1_048_576, ge=1024, le=1_048_576, description="bytes of a peer's frame"
    )
    frames_per_second: int = Field(
        default=20_000, ge=1, le=10_000_000, description="frames of one peer in a second"
    )
    sessions: int = Field(
        default=1024, ge=1, le=1_000_000, description="sessions of services that are remembered"
    )
    window: int = Field(
        default=1024, ge=1, le=65_536, description="reports of a service that wait for an answer"
    )


class AgentDocument(Part):
    """The configuration of one agent."""

    process: Name = Field(description="the process beside which the agent stands")
    tables: OneOrMore[FilePath] = Field(
        description="a list of files that `choreomon split` wrote for the process, one a property"
    )
    closing: Items[FilePath] = Field(
        default=(),
        description="tables of systems that are being closed: they answer others and say what is "
        "left to be said, but nothing of new events",
    )
    listen: ListeningAddress = Field(
        description="where peers that ask connect: tcp://ADDRESS:PORT, port 0 for any"
    )
    peers: dict[Name, PeerAddress] = Field(
        default={}, description="the addresses of the agents that are asked, by process"
    )
    local: Local = Field(
        description="where the service connects: {path: SOCKET} or {tcp: HOST:PORT, token: FILE}"
    )
    keys: KeysDocument | None = Field(
        default=None, description="the keys for traffic with peers: {secret, peers}"
    )
    insecure: bool = Field(
        default=False, description="true: no keys, plain text, addresses on loopback alone"
    )
    store: FilePath | None = Field(
        default=None, description="the file for what must survive; none with durability: off"
    )
    durability: Durability = Field(
        default="process",
        description="what nothing is lost by: process, the end of the agent; power, of the machine",
    )
    deadline: Time = Field(
        default=1.0,
        json_schema_extra={"default": "1s"},
        description="after which a provisional verdict is given when answers are missing",
    )
    give_up: Time = Field(
        default=60.0,
        json_schema_extra={"default": "1m"},
        description="after which it is judged for good without those that are silent",
    )
    most_open: int = Field(
        default=512,
        ge=1,
        le=1_000_000,
        description="open inspections, above which the oldest are judged for good",
    )
    lease: Time = Field(
        default=5.0,
        json_schema_extra={"default": "5s"},
        description="how long a service may count on its agent before it lets messages go "
        "without it",
    )
    http: HostPort | None = Field(
        default=None, description="where /metrics, /healthz and /readyz are served; null: nowhere"
    )
    proxies: ProxiesDocument | None = Field(
        default=None, description="the proxies that ask before they let requests pass; null: none"
    )
    verdicts: OneOrMore[SinkDocument] = Field(
        default=(StdoutDocument(stdout=True),), description="a list of where verdicts go"
    )
    log: LogDocument = Field(default=LogDocument(), description="what is logged")
    limits: LimitsDocument = Field(
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
        local=_local(document.local, folder),
        peers=document.peers,
        keys=None if keys is None else Keys(at(keys.secret), at(keys.peers)),
        insecure=document.insecure,
        store=None if document.store is None else at(document.store),
        durability=document.durability,
        deadline=document.deadline,
        give_up=document.give_up,
        most_open=document.most_open,
        lease=document.lease,
        http=None if http is None else parse_address(http),
        proxies=proxies_of(document.proxies),
        verdicts=tuple(_sink(sink, folder) for sink in document.verdicts),
        log=LogSettings(document.log.level, document.log.format),
        limits=Limits(**document.limits.model_dump()),
        file=located.file,
        lines=located.lines,
    )


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
