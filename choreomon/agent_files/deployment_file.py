"""Deployment file for all agents of a split property: where each is reached, what all of them are
told, and what one is told beside that. The configuration of each agent is made from it.

    addresses: {shop: tcp://shop.internal:7600, bank: tcp://bank.internal:7600}
    agent:
      keys: {secret: /etc/choreomon/<process>.key, peers: /etc/choreomon/peers}
      local: {path: /run/choreomon/agent.sock}
      store: /var/lib/choreomon/agent.db
    agents:
      bank: {durability: power}

In every text of `agent` and `agents`, `<process>` stands for the name of the agent's process. Whom
an agent asks follows from its table; `listen` from its address by default.

What stands under a role is meant for each of its slots, and in an address `<slot>` for its number,
as pods of a StatefulSet are called:

    addresses: {shop: "tcp://shop-<slot>.shop:7600", bank: tcp://bank.internal:7600}

Where the address of a role is `tcp://*:PORT`, its agents take any slot: they have one
configuration, and are found beside their leases.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from choreomon.agent_files.addresses import ANY_HOST, parse_tcp
from choreomon.agent_files.agent_config import table_defects
from choreomon.agent_files.agent_document import parse_agent_config
from choreomon.agent_files.agent_fields import peer_address
from choreomon.agent_files.table_file import SplitTable
from choreomon.core.errors import DocumentError, Problem
from choreomon.core.errors import Path as FieldPath
from choreomon.core.names import short
from choreomon.core.roles import NO_ROLES
from choreomon.core.suggestion import did_you_mean
from choreomon.files.fields import SCHEMA, Name
from choreomon.files.input_files import beginning
from choreomon.files.scalars import json_in_yaml
from choreomon.files.shape_reading import in_shape
from choreomon.files.shapes import After, Part, field
from choreomon.files.source_positions import MAX_BYTES, Positioned, read_positioned

PLACEHOLDER: Final = "<process>"
SLOT: Final = "<slot>"
SUFFIX: Final = ".agent.yaml"

_DERIVED: Final = {
    "process": "is the name under which it stands",
    "peers": "follows from the table and from `addresses`",
}
_STEP: Final = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def _address(text: str) -> str:
    if not _is_anywhere(text):
        peer_address(text.replace(SLOT, "0"))
    return text


def _is_anywhere(text: str) -> bool:
    """Tell whether it stands for agents that may be anywhere."""
    address = parse_tcp(text)
    return address is not None and address.host == ANY_HOST and address.port > 0


AnyAddress: TypeAlias = Annotated[str, After(_address)]


class DeploymentDocument(Part):
    """The agents of one split property."""

    addresses: dict[Name, AnyAddress] = field(
        description="where each agent is reached by others, by process, or by role, with <slot> "
        "for the number of the slot, or tcp://*:PORT where its agents take any slot"
    )
    agent: dict[str, Any] = field(
        default={}, description="fields of every agent's configuration; <process> is its process"
    )
    agents: dict[Name, dict[str, Any]] = field(
        default={}, description="fields of one agent's configuration, in the place of those of all"
    )
    schema_for_editors: str | None = SCHEMA


def load_deployment(path: str | os.PathLike[str]) -> Positioned:
    """The file, with its lines; a name that ends in `.json` is JSON, any other YAML. Its shape is
    right, and its content is checked when it is used. Raises `DocumentError`."""
    file = os.fspath(path)
    located = read_positioned(
        beginning(file, MAX_BYTES + 1),
        file,
        as_json=Path(file).suffix.lower() == ".json",
        wanted="a deployment",
        keys="addresses: and agent:",
    )
    document = in_shape(DeploymentDocument, located)
    problems = [
        located.problem((*path, field), f"{told}: take it out")
        for path in (("agent",), *(("agents", process) for process in document.agents))
        for field, told in _DERIVED.items()
        if field in _at(located.value, path)
    ]
    if problems:
        raise DocumentError(tuple(problems))
    return located


def agent_files(
    located: Positioned, split: Mapping[str, tuple[str, SplitTable]]
) -> dict[str, bytes]:
    """The configuration of each process that has an address, by the name of its file. `split` has
    of each process the name of its table's file, beside which the configuration is to be, and the
    table.

    Each is one that `load_agent_config` reads, and fits its table. Raises `DocumentError` with all
    that is wrong, at the lines of the deployment: also where a process that watches something has
    no address.
    """
    document = in_shape(DeploymentDocument, located)
    split = _by_agent(document, split)
    document = _over_slots(document, split)
    if problems := _misnamed(document, located, split):
        raise DocumentError(tuple(sorted(problems, key=lambda problem: problem.line)))
    files: dict[str, bytes] = {}
    for process, (table_file, table) in split.items():
        if process in document.addresses:
            fields = _fields(document, process, table_file, table)
            name = _file_name(table_file, process, table)
            files[name] = _written(fields, Path(located.file).name)
            problems += _problems(files[name], name, process, table, document, located)
    if problems:
        raise DocumentError(tuple(sorted({*problems}, key=lambda problem: problem.line)))
    return files


def _by_agent(
    document: DeploymentDocument, split: Mapping[str, tuple[str, SplitTable]]
) -> dict[str, tuple[str, SplitTable]]:
    """The split by configuration: a role is in place of its slots where its agents take any."""
    found: dict[str, tuple[str, SplitTable]] = {}
    for process, (file, table) in split.items():
        anywhere = _is_anywhere(document.addresses.get(table.named, ""))
        name = table.named if anywhere and table.named in table.roles.slots else process
        found.setdefault(name, (file, table))
    return found


def _over_slots(
    document: DeploymentDocument, split: Mapping[str, tuple[str, SplitTable]]
) -> DeploymentDocument:
    """The deployment by process: what stands under a slot itself comes first."""
    roles = next((table.roles for _, table in split.values()), NO_ROLES)
    addresses: dict[str, str] = {}
    agents: dict[str, dict[str, Any]] = {}
    named = sorted({*document.addresses, *document.agents})
    for name in sorted(named, key=lambda each: each in roles.slots):
        for number, slot in enumerate([name] if name in split else roles.slots_of(name)):
            if name in document.addresses:
                addresses.setdefault(slot, document.addresses[name].replace(SLOT, str(number)))
            if name in document.agents:
                agents[slot] = {**document.agents[name], **agents.get(slot, {})}
    return document.but(addresses=addresses, agents=agents)


def _file_name(table_file: str, process: str, table: SplitTable) -> str:
    """A name for the configuration of an agent, beside its table: that of a slot has its number,
    behind a character which no plain name has."""
    stem = table_file.removesuffix(".json")
    if table.named != process:
        stem += f"~slot{table.roles.slots_of(table.named).index(process)}"
    return f"{stem}{SUFFIX}"


def _misnamed(
    document: DeploymentDocument,
    located: Positioned,
    split: Mapping[str, tuple[str, SplitTable]],
) -> list[Problem]:
    problems = [
        located.problem((part, process), f"is no process of the property{close}")
        for part, named in (("addresses", document.addresses), ("agents", document.agents))
        for process in named
        if process not in split
        for close in [did_you_mean(process, split) or ": take it out"]
    ]
    problems += [
        located.problem(("agents", process), "has no address: add one to `addresses`")
        for process in document.agents
        if process in split and process not in document.addresses
    ]
    problems += [
        located.problem(
            ("addresses", process),
            f"should be tcp://HOST:PORT, where others reach it, not {document.addresses[process]}: "
            "only agents of a role are found beside their leases",
        )
        for process, (_, table) in split.items()
        if _is_anywhere(document.addresses.get(process, "")) and process not in table.roles.slots
    ]
    return problems + [
        located.problem(
            ("addresses",),
            f"have none of {process}, which watches something: add {process}: tcp://HOST:PORT",
        )
        for process, (_, table) in split.items()
        if table.table.rows and process not in document.addresses
    ]


def _fields(
    document: DeploymentDocument, process: str, table_file: str, table: SplitTable
) -> dict[str, Any]:
    address = parse_tcp(document.addresses[process])
    assert address is not None  # of its shape
    host = "127.0.0.1" if address.host == "localhost" else address.host
    shown = f"[{host}]" if ":" in host else host
    stem = short(process)  # what is filled in is part of a path
    return {
        "process": process,
        "tables": [table_file],
        # A name may belong to a proxy, or to an address that this machine does not know.
        "listen": f"tcp://{shown if address.loopback else '*'}:{address.port}",
        "peers": {
            peer: document.addresses[peer]
            for peer in table.asked_by(process)
            if peer in document.addresses
        },
        **_filled({**document.agent, **document.agents.get(process, {})}, stem),
    }


def _filled(value: Any, stem: str) -> Any:
    match value:
        case str():
            return value.replace(PLACEHOLDER, stem)
        case list():
            return [_filled(each, stem) for each in value]
        case dict():
            return {key: _filled(each, stem) for key, each in value.items()}
        case _:
            return value


def _written(fields: Mapping[str, Any], origin: str) -> bytes:
    """YAML, a field a line; the values are JSON, which is YAML, too."""
    head = (
        f"# The agent beside {fields['process']}, as {origin} has it. Written by choreomon split.\n"
    )
    lines = [f"{name}: {json_in_yaml(value)}\n" for name, value in fields.items()]
    return "".join([head, *lines]).encode()


def _problems(
    content: bytes,
    name: str,
    process: str,
    table: SplitTable,
    document: DeploymentDocument,
    located: Positioned,
) -> list[Problem]:
    """Problems with the configuration of one agent, told where the deployment says it."""
    try:
        config = parse_agent_config(content, name)
    except DocumentError as error:
        return [
            located.problem(_origin(_steps(problem.field), process, document), problem.message)
            for problem in error.problems
        ]
    if len(config.tables) != 1:  # others than those of this split cannot be judged here
        return []
    return [
        located.problem(_origin(defect.path, process, document), defect.message)
        for defect in table_defects(config, [table])
    ]


def _steps(field: str) -> FieldPath:
    """The path of a field as problems name it: `verdicts[0].file`."""
    return tuple(int(place) if place else name for name, place in _STEP.findall(field))


def _origin(path: FieldPath, process: str, document: DeploymentDocument) -> FieldPath:
    """The place in the deployment that a field of an agent's configuration comes from."""
    if path and path[0] in document.agents.get(process, {}):
        return ("agents", process, *path)
    if path and path[0] in document.agent:
        return ("agent", *path)
    if path and path[0] in ("listen", "peers"):
        return ("addresses", *path[1:])
    return ("agent", *path)


def _at(value: Mapping[str, Any], path: tuple[str, ...]) -> Mapping[str, Any]:
    for step in path:
        value = value.get(step, {})
    return value
