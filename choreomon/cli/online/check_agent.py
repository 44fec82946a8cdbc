"""`choreomon check` of what agents are given: their configuration, and the table of one process."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, Literal

import click

if TYPE_CHECKING:
    from choreomon.agent_files.agent_config import AgentConfig
    from choreomon.agent_files.table_file import SplitTable
    from choreomon.properties.tables import TransitionTable

_BEGINNING: Final = 1 << 12
"""Bytes of a file that show whether it is JSON."""


def is_table_file(file: str) -> bool:
    """Tell whether a file says that it is a table; it need not be a right one."""
    from choreomon.core.errors import DocumentError
    from choreomon.files.input_files import opened

    with suppress(DocumentError), opened(file) as stream:
        beginning = stream.read(_BEGINNING)
        if not beginning.lstrip().startswith(b"{"):  # as JSON does, and YAML seldom
            return False
        from choreomon.agent_files.table_file import MAX_TABLE_BYTES, is_table

        return is_table(beginning + stream.read(MAX_TABLE_BYTES - len(beginning)))
    return False


def is_agent_file(file: str) -> bool:
    """Tell whether a file has the fields of an agent configuration and none of a document; it may
    still be invalid."""
    from choreomon.core.errors import DocumentError
    from choreomon.files.input_files import beginning
    from choreomon.files.source_positions import MAX_BYTES, read_positioned

    with suppress(DocumentError):
        as_json = file.lower().endswith(".json")
        content = beginning(file, MAX_BYTES + 1)
        keys = read_positioned(content, file, as_json=as_json).value.keys()
        foreign = {"application", "property"} & keys
        return bool({"process", "tables", "listen", "local"} & keys) and not foreign
    return False


def check_table(file: str, *, show_tables: bool, as_json: bool) -> None:
    """Say what is in the table of one process. Raises `DocumentError`."""
    from choreomon.agent_files.table_file import load_table

    table = load_table(file)
    if as_json:
        facts = {"file": file, "kind": "table", **_table_in_json(table, show_tables)}
        if table.process != table.named:
            facts |= {"process": table.named, "slots": table.roles.slots[table.named]}
        click.echo(json.dumps(facts, indent=2))
        return
    from choreomon.cli.command_line.screen import screens
    from choreomon.sentences.wording import counted

    screen, _ = screens()
    whose = table.process
    if table.named != whose:
        whose = f"{table.named}, one for its {counted(table.roles.slots[table.named], 'slot')},"
    said = f"{file}: the table of {whose} is valid"
    screen.print(said, style="bold", markup=False, soft_wrap=True)
    _print_split([(file, table)])
    if show_tables:
        _print_rows([table])


def check_agent(file: str, *, show_tables: bool, as_json: bool) -> None:
    """Say what an agent is told, and what is in its tables. Raises `DocumentError`, also where they
    do not fit, and where keys or token could not be used."""
    from choreomon.agent_files.agent_config import load_tables
    from choreomon.agent_files.agent_document import load_agent_config
    from choreomon.agent_files.role_config import is_of_role
    from choreomon.runtime.network.credentials import check_credentials

    config = load_agent_config(file)
    tables = load_tables(config)
    check_credentials(config, tables)
    if as_json:
        click.echo(json.dumps(_agent_in_json(config, tables, show_tables), indent=2))
        return
    from rich.table import Table
    from rich.text import Text

    from choreomon.cli.command_line.screen import screens

    screen, _ = screens()
    whose = f"any slot of {config.process}" if is_of_role(config, tables) else config.process
    said = f"{file}: the configuration of the agent of {whose} is valid"
    screen.print(said, style="bold", markup=False, soft_wrap=True)
    _print_split(list(zip(map(str, config.tables), tables, strict=True)))
    facts = Table(show_header=False)
    for column in range(2):
        facts.add_column(overflow="fold", no_wrap=not column)
    for name, value in _facts(config, tables):
        facts.add_row(Text(name), Text(value))
    screen.print(facts)
    if show_tables:
        _print_rows(tables)


def _print_split(tables: Sequence[tuple[str, SplitTable]]) -> None:
    """Print which process asks which, table by table, without names of messages."""
    from rich.table import Table
    from rich.text import Text

    from choreomon.cli.command_line.screen import screens

    screen, _ = screens()
    shown = Table()
    for column in ("table", "property", "rules", "rows", "asks", "may be asked by"):
        justify: Literal["left", "right"] = "right" if column == "rows" else "left"
        shown.add_column(column, overflow="fold", justify=justify)
    for file, table in tables:
        named = (map(table.roles.role_of, names) for names in (table.asked, table.asking))
        peers = (", ".join(dict.fromkeys(names)) or "nobody" for names in named)
        cells = (file, table.title, table.rules, str(len(table.table.rows)), *peers)
        shown.add_row(*map(Text, cells))
    screen.print(shown)
    for file, table in tables:
        said = f"{file} is of the system {table.system_id}"
        if table.table.parameters:
            said += f", for each {' and '.join(table.table.parameters)}"
        screen.print(said, markup=False, soft_wrap=True)


def _print_rows(tables: Sequence[SplitTable]) -> None:
    from choreomon.cli.command_line.screen import screens
    from choreomon.terminal.text import monitor_table

    screen, _ = screens()
    for table in tables:
        screen.print(monitor_table(table.table))


def _facts(config: AgentConfig, tables: tuple[SplitTable, ...]) -> list[tuple[str, str]]:
    asked = dict.fromkeys(p for table in tables for p in table.asked_by(config.process))
    local = str(config.local.path or config.local.tcp)
    facts = [
        ("peers connect at", config.listen),
        ("asks", ", ".join(f"{peer} {_where(config, peer)}" for peer in asked) or "nobody"),
        ("between agents", "plain text" if config.keys is None else f"keys, {config.keys.secret}"),
        ("the service connects at", f"{local}, the group too" if config.local.group else local),
        _kept(config),
        ("deadline", f"{config.deadline:g} s; judged for good after {config.give_up:g} s"),
        ("lease", f"{config.lease:g} s"),
        ("verdicts to", ", ".join(map(str, config.verdicts))),
    ]
    if config.http is not None:
        facts.append(("metrics and health at", f"http://{config.http}"))
    if config.proxies is not None:
        told = f"{config.proxies.listen}, and fail {config.proxies.fail}"
        facts.append(("proxies ask at", told))
    return facts


def _where(config: AgentConfig, peer: str) -> str:
    address = config.peers.get(peer)
    return "where its lease says" if address is None else f"at {address}"


def _kept(config: AgentConfig) -> tuple[str, str]:
    from choreomon.agent_files.postgresql import PostgresqlStore

    if isinstance(config.store, PostgresqlStore):
        told = f"{config.store}; others may take the slot after {config.store.lease:g} s"
        return "kept in PostgreSQL", told
    return "durability", f"{config.durability}, {config.store}" if config.store else "off"


def rows_in_json(table: TransitionTable) -> list[dict[str, Any]]:
    """The rows of a table, as `check --json --tables` shows them. Where many processes own the same
    transition, a list of them stands in a reference in place of one."""
    from choreomon.properties.owned import Owned, owned_rows

    def shown(owned: Owned) -> list[Any]:
        source, processes, target = owned
        return [source, processes[0] if len(processes) == 1 else [*processes], target]

    return [
        {
            "transition": list(row.transition.reference),
            "on": str(row.transition.label),
            "final": row.final,
            "pre": None if row.pre is None else shown(row.pre),
            "vio": [shown(vio) for vio in row.vio],
        }
        for row in owned_rows(table.rows)
    ]


def _table_in_json(table: SplitTable, show_tables: bool) -> dict[str, Any]:
    shown = {"table": rows_in_json(table.table)} if show_tables else {}
    return {
        "process": table.process,
        "processes": list(table.processes),
        "system": table.system_id,
        "title": table.title,
        "rules": table.rules,
        "rows": len(table.table.rows),
        "asks": list(table.asked),
        "asked_by": list(table.asking),
        **_instances_in_json(table.table),
        **shown,
    }


def _instances_in_json(table: TransitionTable) -> dict[str, Any]:
    """The parameters of a property for each instance, and which of them own labels carry."""
    if not table.parameters:
        return {}
    carries = {str(label): list(names) for label, names in table.carries.items()}
    found: dict[str, Any] = {"for_each": list(table.parameters), "carries": carries}
    if table.forgetting is not None:
        found["forget_after"] = table.forgetting.after
        found["forgets"] = sorted(map(list, table.forgetting.bindings))
    return found


def _agent_in_json(
    config: AgentConfig, tables: tuple[SplitTable, ...], show_tables: bool
) -> dict[str, Any]:
    """Times are in seconds, as everywhere but in the file."""
    fields = asdict(config)
    del fields["lines"]
    for address, place in ((config.http, fields), (config.local.tcp, fields["local"])):
        place["http" if place is fields else "tcp"] = None if address is None else str(address)
    if config.proxies is not None:
        fields["proxies"]["listen"] = str(config.proxies.listen)
    fields["verdicts"] = [str(sink) for sink in config.verdicts]
    fields["tables"] = [
        {"file": str(file), **_table_in_json(table, show_tables)}
        for file, table in zip(config.tables, tables, strict=True)
    ]
    written: dict[str, Any] = json.loads(json.dumps(fields, default=str))
    return {"file": config.file, "kind": "agent", **written}
