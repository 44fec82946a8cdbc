"""`choreomon split`: the table of each process as a file for its agent, and its configuration."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.writing import WrittenPath, check_not_read, write_all
from choreomon.cli.simulation.monitor_options import rules_option

if TYPE_CHECKING:
    from choreomon.agent_files.succession import Lineage
    from choreomon.agent_files.table_file import SplitTable
    from choreomon.documents.read import Document
    from choreomon.properties.instances import Parameters
    from choreomon.properties.tables import RulesName

NONCE_BYTES: Final = 32


@click.command(
    "split",
    epilog=examples(
        (
            "choreomon split scenarios/fig1-violating.yaml -o tables",
            "Write a file for the agent of each process.",
        ),
        (
            "choreomon split scenarios/fig1-violating.yaml -o tables-2 --after tables",
            "Split a later version, which agents open while they run.",
        ),
    ),
)
@click.argument("files", metavar="PROPERTY...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-o",
    "--output",
    required=True,
    type=WrittenPath(directory=True),
    help="The folder for the files, one a process; made where there is none.",
)
@rules_option("The rules of the monitors, instead of those of the document.")
@click.option(
    "--deployment",
    type=click.Path(),
    help="A file with the addresses of all agents and what else they are told: write the "
    "configuration of each, too, beside its table.",
)
@click.option(
    "--after",
    "predecessor",
    type=click.Path(path_type=Path),
    help="The folder of an earlier split, of the same processes: the new system follows that one, "
    "has its clock, and takes over the history of what is alike.",
)
@click.option("--force", is_flag=True, help="Replace files of an earlier split in the folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def command(
    files: tuple[str, ...],
    output: Path,
    rules: RulesName | None,
    deployment: str | None,
    predecessor: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Split the property in PROPERTY, a property or scenario document, or the rules of several,
    into the tables of its processes, and write each into a file of its own, for the agent beside
    that process. With --deployment, write the configuration of each agent, too.

    Every split makes a new system: agents that have files of different ones refuse each other. With
    --after, running agents can open it beside the earlier one and close that when it is drained.
    """
    from choreomon.documents.several import load_documents

    document = load_documents(files).over_slots()
    split = _split(document, rules)
    lineage = None
    if predecessor is not None:
        from choreomon.agent_files.succession import after

        split, lineage = after(split, predecessor)
    written = _files(split, document.file)
    agents: dict[str, bytes] = {}
    inputs = document.inputs()
    if deployment is not None:
        from choreomon.agent_files.deployment_file import agent_files, load_deployment

        agents = agent_files(load_deployment(deployment), split)
        inputs += (deployment,)
    for name in (*written, *agents):
        check_not_read(output / name, (*inputs, *files))
    left = _left(output, written, agents, force)
    written |= agents
    write_all({output / name: content for name, content in written.items()}, durable=True)
    if as_json:
        click.echo(
            json.dumps(_as_json(document, split, output, left, [*agents], lineage), indent=2)
        )
    else:
        _show(document, split, output, left, [*agents], lineage)
    return NOTHING_FOUND


def _split(document: Document, rules: RulesName | None) -> dict[str, tuple[str, SplitTable]]:
    """The table of each process, with the name of its file, which all slots of a role share. Raises
    `DocumentError`."""
    from choreomon.agent_files.digests import KEY_BYTES
    from choreomon.agent_files.split_names import system_id, table_file_names
    from choreomon.agent_files.table_file import SplitTable
    from choreomon.agent_files.table_shape import MAX_PROCESSES
    from choreomon.core.errors import DocumentError, Problem
    from choreomon.properties.tables import transition_tables

    if document.property is None:
        told = "is missing, and there is nothing to split: say what must not happen"
        raise DocumentError((Problem(document.file, 0, "property", told),))
    processes = document.processes
    if len(processes) > MAX_PROCESSES:
        told = f"has {len(processes)} processes; at most {MAX_PROCESSES} are supported: use fewer"
        raise DocumentError((Problem(document.file, 0, "", told),))
    automaton = document.property.automaton
    chosen = rules or document.property.rules
    parameters = document.property.parameters
    key = b"" if parameters is None else secrets.token_bytes(KEY_BYTES)
    if document.property.automaton.rules and chosen != "precise":
        raise click.UsageError(
            f"--rules {chosen}: single rules are judged by precise ones alone: leave --rules out"
        )
    if parameters is not None:
        _check_parameters(document, parameters, chosen)
    if automaton.begun and chosen != "precise":
        told = f"has begin, of which {chosen} rules know nothing: leave `--rules` out"
        raise DocumentError((Problem(document.file, document.property_line, "property", told),))
    made = system_id(automaton, processes, chosen, secrets.token_bytes(NONCE_BYTES), parameters)
    # The name of a file, which stands for a name that is left out, may be anything.
    title = document.name if document.name.isprintable() else ascii(document.name)
    roles = document.replicas.roles
    names = table_file_names([*dict.fromkeys(map(roles.role_of, processes))])
    of_system = (made, title, chosen, processes)
    return {
        process: (
            names[roles.role_of(process)],
            SplitTable(*of_system, table, automaton.sequences, key=key, roles=roles),
        )
        for process, table in transition_tables(automaton, processes, chosen, parameters).items()
    }


def _check_parameters(document: Document, parameters: Parameters, rules: RulesName) -> None:
    """Raises `DocumentError` for a property for each instance that agents cannot judge."""
    from choreomon.agent_files.table_shape import MAX_PARAMETERS
    from choreomon.core.errors import DocumentError, Problem

    told = ""
    if rules != "precise":
        told = f"is judged by precise rules alone, and not by {rules} ones: leave `rules` out"
    elif len(parameters.names) > MAX_PARAMETERS:
        told = f"has {len(parameters.names)} parameters; agents take {MAX_PARAMETERS}: use fewer"
    if told:
        field = "property.for_each"
        raise DocumentError((Problem(document.file, document.property_line, field, told),))


def _files(split: Mapping[str, tuple[str, SplitTable]], file: str) -> dict[str, bytes]:
    """The content of each file. Raises `DocumentError` for one that no agent would read."""
    from choreomon.agent_files.table_file import MAX_TABLE_BYTES, write_table
    from choreomon.core.errors import DocumentError, Problem

    files: dict[str, bytes] = {}
    for name, table in split.values():
        if name in files:
            continue  # of another slot of the same role
        files[name] = write_table(table)
        if len(files[name]) > MAX_TABLE_BYTES:
            told = (
                f"the table of {table.named} would be larger than {MAX_TABLE_BYTES} bytes: "
                "use fewer transitions to and from one state"
            )
            raise DocumentError((Problem(file, 0, "property", told),))
    return files


def _left(
    directory: Path, files: Mapping[str, bytes], agents: Mapping[str, bytes], force: bool
) -> list[str]:
    """The tables of other systems that stay in the folder, which only `force` allows. Raises
    `ClickException` where files of another system, or anything else, would be replaced or mixed
    with the new ones."""
    from choreomon.agent_files.table_file import MAX_TABLE_BYTES, is_table
    from choreomon.core.errors import DocumentError
    from choreomon.files.input_files import beginning

    tables: list[str] = []
    others: list[str] = []
    for path in sorted(directory.glob("*.json")):
        content = b""
        with suppress(DocumentError):
            content = beginning(path, MAX_TABLE_BYTES)
        if is_table(content):
            tables.append(path.name)
        elif path.name in files:
            others.append(path.name)
    if others and not force:
        raise click.ClickException(
            f"{directory}: {_some(others)} would be replaced, and no split wrote that: name "
            "another folder, or add --force"
        )
    if (there := [name for name in agents if (directory / name).exists()]) and not force:
        raise click.ClickException(
            f"{directory}: {_some(there)} would be replaced, with what was changed there by hand: "
            "name another folder, or add --force"
        )
    if tables and not force:
        raise click.ClickException(
            f"{directory}: holds files of another system ({_some(tables)}), and those of two do "
            "not go together: name another folder, or add --force to replace them"
        )
    return [name for name in tables if name not in files]


def _some(names: list[str]) -> str:
    from choreomon.core.suggestion import listed

    return listed(names)


_TOGETHER: Final = (
    "Every split makes a new system, so all agents must get the new files together: agents of "
    "different systems refuse each other."
)


def _show(
    document: Document,
    split: Mapping[str, tuple[str, SplitTable]],
    directory: Path,
    left: list[str],
    agents: list[str],
    lineage: Lineage | None,
) -> None:
    from rich.table import Table
    from rich.text import Text

    from choreomon.cli.command_line.screen import screens

    screen, errors = screens()
    for warning in document.warnings:
        errors.print(f"warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    for name in left:
        told = f"warning: {directory / name}: is still that of another system: take it away"
        errors.print(told, style="yellow", markup=False, soft_wrap=True)
    files = dict(split.values())
    some = next(iter(files.values()))
    screen.print(
        f"{document.file}: {some.title} is split into {len(files)} files in {directory}, "
        f"rules {some.rules}",
        style="bold",
        markup=False,
        soft_wrap=True,
    )
    screen.print(f"system {some.system_id}", markup=False, soft_wrap=True)
    if some.table.parameters:
        told = f"for each {' and '.join(some.table.parameters)}: services say the values"
        screen.print(told, markup=False, soft_wrap=True)
    shown = Table()
    for column in ("process", "file", "rows", "asks", "may be asked by"):
        shown.add_column(column, overflow="fold", justify="right" if column == "rows" else "left")
    for name, table in files.items():
        asks, asking = _names(table, table.asked), _names(table, table.asking)
        cells = (_process(table), name, str(len(table.table.rows)), asks, asking)
        shown.add_row(*map(Text, cells))
    screen.print(shown)
    if idle := [table.named for table in files.values() if not table.table.rows]:
        told = "watches nothing: its agent only carries clocks"
        if len(idle) > 1:
            told = "watch nothing: their agents only carry clocks"
        screen.print(f"{', '.join(idle)} {told}", markup=False, soft_wrap=True)
    if agents:
        told = f"the configurations of their agents: {', '.join(agents)}"
        screen.print(told, markup=False, soft_wrap=True)
    told = _TOGETHER if lineage is None else lineage.told()
    screen.print(told, markup=False, soft_wrap=True)


def _process(table: SplitTable) -> str:
    slots = table.roles.slots.get(table.named)
    return table.named if slots is None else f"{table.named} ({slots} slots)"


def _names(table: SplitTable, processes: tuple[str, ...]) -> str:
    """The processes, slots by the name of their role."""
    return ", ".join(dict.fromkeys(map(table.roles.role_of, processes))) or "nobody"


def _as_json(
    document: Document,
    split: Mapping[str, tuple[str, SplitTable]],
    directory: Path,
    left: list[str],
    agents: list[str],
    lineage: Lineage | None,
) -> dict[str, Any]:
    followed = {} if lineage is None else {"after": lineage._asdict()}
    some = next(table for _, table in split.values())
    return {
        "file": document.file,
        "system": some.system_id,
        "title": some.title,
        "rules": some.rules,
        **({"for_each": list(some.table.parameters)} if some.table.parameters else {}),
        **({"roles": dict(some.roles.slots)} if some.roles else {}),
        "directory": str(directory),
        "processes": [
            {
                "process": process,
                "file": name,
                "rows": len(table.table.rows),
                "asks": list(table.asked),
                "asked_by": list(table.asking),
            }
            for process, (name, table) in split.items()
        ],
        **followed,
        "agents": agents,
        "left_of_other_systems": left,
        "warnings": [
            {"line": warning.line, "field": warning.field, "message": warning.message}
            for warning in document.warnings
        ],
    }
