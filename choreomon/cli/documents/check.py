"""`choreomon check`: validate a document and explain its property."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.pictures import check_picture
from choreomon.cli.command_line.standard_input import read_again
from choreomon.cli.command_line.writing import (
    WrittenPath,
    check_not_read,
    check_writable,
    suffix_of,
)
from choreomon.cli.documents.check_mapping import check_mapping, is_mapping_file
from choreomon.cli.documents.check_offline import check_offline
from choreomon.cli.online.check_agent import (
    check_agent,
    check_table,
    is_agent_file,
    is_table_file,
    rows_in_json,
)
from choreomon.interaction_files.offline_kind import Kind, offline_kind

if TYPE_CHECKING:
    from rich.console import Console

    from choreomon.documents.read import Document
    from choreomon.properties.automaton import SequenceAutomaton
    from choreomon.properties.instances import Parameters
    from choreomon.properties.tables import TransitionTable

_WITH_ARTICLE: Final[dict[Kind, str]] = {
    "interaction": "an interaction",
    "signature": "a signature",
    "multi-trace": "a multi-trace",
    "configuration": "a configuration",
    "automaton": "an automaton",
    "locations": "locations of letters",
}

_PICTURES: Final = (".svg", ".png", ".mmd", ".puml")


@click.command(
    "check",
    epilog=examples(
        (
            "choreomon check scenarios/lock-violating.yaml --tables",
            "Say what the property means, and show what each monitor is given.",
        ),
        (
            "choreomon check scenarios/lock-violating.yaml --against scenarios/lock.hif",
            "Say whether a protocol allows what the property forbids.",
        ),
    ),
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option("--tables", "show_tables", is_flag=True, help="Show the table of every monitor.")
@click.option(
    "--locations",
    type=click.Path(),
    help="Of an automaton whose letters are no actions: a .json file that says where they are.",
)
@click.option(
    "--verbose", is_flag=True, help="Of sequences, name the states of their automaton, too."
)
@click.option(
    "--against",
    type=click.Path(),
    help="Say whether this interaction, automaton or application allows what FILE forbids.",
)
@click.option(
    "--states",
    type=click.IntRange(min=1),
    help="With --against: look at so many states of a sequence at most (default 20000).",
)
@click.option(
    "--picture",
    type=WrittenPath(),
    help="With --against: draw the shortest run that forms the property; .svg, .png, .mmd, .puml.",
)
@click.option("--strict", is_flag=True, help="Exit with 2 where a document has warnings.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def command(
    files: tuple[str, ...],
    show_tables: bool,
    locations: str | None,
    verbose: bool,
    against: str | None,
    states: int | None,
    picture: Path | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Validate FILE, say what its property means, and warn of what looks like a mistake. Several
    files are documents whose rules are read together.

    Of an interaction (.hif, .mmd, .puml), a signature (.hsf), a multi-trace (.htf, .jsonl), a
    configuration (.hcf), an automaton (.timbuk), or one of them as .json, say what is in it; so of
    an agent's configuration, which is checked with its tables, of the table of one process that
    `split` wrote, and of a mapping.

    With --against the exit code is 0 where all is impossible, 1 where something is possible, and 3
    where the search saw not all states and found nothing; 2 with --strict and a warning.
    """
    file = files[0]
    if against is not None:
        click.get_current_context().with_resource(read_again(file))
        more = show_tables or verbose
        return _against(files, against, locations, states, picture, more, strict, as_json)
    if states is not None or picture is not None:
        raise click.UsageError(f"--{'picture' if states is None else 'states'} is for --against")
    if len(files) > 1:
        if locations is not None:
            raise click.UsageError("--locations is for one FILE")
        return _documents(files, show_tables, strict, verbose=verbose, as_json=as_json)
    click.get_current_context().with_resource(read_again(file))
    if locations is not None and offline_kind(file) != "automaton":
        raise click.UsageError(f"--locations is about automata, and {file} is none")
    if verbose and as_json:
        raise click.UsageError("--verbose says nothing with --json, which names states always")
    if _of_other_files(file, locations, show_tables=show_tables, verbose=verbose, as_json=as_json):
        return NOTHING_FOUND
    from choreomon.core.errors import DocumentError

    try:
        return _documents(files, show_tables, strict, verbose=verbose, as_json=as_json)
    except DocumentError:
        if not is_agent_file(file):
            raise
        _refuse_verbose(file, "an agent's configuration", verbose=verbose)
        check_agent(file, show_tables=show_tables, as_json=as_json)
        return NOTHING_FOUND


def _of_other_files(
    file: str, locations: str | None, *, show_tables: bool, verbose: bool, as_json: bool
) -> bool:
    """Check a file that is no document and no configuration of an agent; False for those."""
    if is_table_file(file):
        _refuse_verbose(file, "a table, which names states always", verbose=verbose)
        check_table(file, show_tables=show_tables, as_json=as_json)
        return True
    kind = offline_kind(file)
    if kind is None and not is_mapping_file(file):
        return False
    what = "a mapping" if kind is None else _WITH_ARTICLE[kind]
    if show_tables:
        is_ = "is" if kind is None else "holds"
        raise click.UsageError(f"--tables is about properties: {file} {is_} {what}")
    _refuse_verbose(file, what, verbose=verbose)
    if kind is None:
        check_mapping(file, as_json=as_json)
    else:
        check_offline(file, kind, locations=locations, as_json=as_json)
    return True


def _documents(
    files: tuple[str, ...], show_tables: bool, strict: bool, *, verbose: bool, as_json: bool
) -> int:
    """A document, or several read as one. Raises `DocumentError`."""
    from choreomon.documents.several import load_documents
    from choreomon.properties.tables import transition_tables

    document = load_documents(files)
    tables: dict[str, TransitionTable] = {}
    if document.property is not None:
        told = document.property
        tables = transition_tables(told.automaton, document.processes, told.rules, told.parameters)
    if as_json:
        shown = _as_json(document, tables, show_tables=show_tables)
        click.echo(json.dumps(shown, indent=2))
    else:
        _show(document, tables, show_tables, verbose=verbose)
    return BAD_INPUT if strict and document.warnings else NOTHING_FOUND


def _against(
    files: tuple[str, ...],
    against: str,
    locations: str | None,
    states: int | None,
    picture: Path | None,
    says_more: bool,
    strict: bool,
    as_json: bool,
) -> int:
    if says_more:
        raise click.UsageError("--tables and --verbose say nothing with --against")
    for file in files:
        if (kind := offline_kind(file)) is not None:
            raise click.UsageError(
                f"--against is about properties: {file} holds {_WITH_ARTICLE[kind]}; the property "
                "comes first"
            )
    from choreomon.cli.documents.check_against import check_against
    from choreomon.documents.several import load_documents
    from choreomon.possible.search import MAX_STATES

    if picture is not None:
        if suffix_of(picture, "--picture") not in _PICTURES:
            raise click.UsageError(f"--picture wants one of {', '.join(_PICTURES)}: {picture}")
        check_picture(picture)
        check_writable(picture)
        check_not_read(picture, (*files, against, locations))
    return check_against(
        load_documents(files),
        against,
        states=MAX_STATES if states is None else states,
        locations=locations,
        picture=picture,
        strict=strict,
        as_json=as_json,
    )


def _refuse_verbose(file: str, what: str, *, verbose: bool) -> None:
    if verbose:
        raise click.UsageError(f"--verbose is about properties: {file} holds {what}")


def _show(
    document: Document,
    tables: dict[str, TransitionTable],
    show_tables: bool,
    *,
    verbose: bool,
) -> None:
    from choreomon.cli.command_line.screen import screens
    from choreomon.properties.costs import label_costs
    from choreomon.sentences.costs import cost_sentences, forgetting_sentence
    from choreomon.terminal.sentences import property_sentences
    from choreomon.terminal.text import (
        monitor_table,
        rules_table,
        steps_table,
        transitions_table,
    )

    screen, errors = screens()
    for warning in document.warnings:
        errors.print(f"warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    screen.print(
        f"{document.file}: {document.name} is valid", style="bold", markup=False, soft_wrap=True
    )
    _show_application(screen, document)
    if slots := document.replicas.roles.slots:
        told = ", ".join(f"{role} ({count} slots)" for role, count in slots.items())
        screen.print(f"roles: {told}", markup=False, soft_wrap=True)
    if document.property is None:
        screen.print("no property: nothing would be monitored")
        return
    automaton = document.property.automaton
    if automaton.rules:
        screen.print(rules_table(automaton))
    elif automaton.sequences:
        screen.print(steps_table(automaton))
    if verbose or not (automaton.sequences or automaton.rules):
        screen.print(transitions_table(automaton))
    said = document.property.patterns
    for sentence in property_sentences(automaton, verbose=verbose, said=said):
        screen.print(sentence, markup=False, soft_wrap=True)
    parameters = document.property.parameters
    if parameters is not None and (verbose or not automaton.rules):
        costs = label_costs(automaton, parameters, tables)
        for sentence in cost_sentences(parameters.names, costs):
            screen.print(sentence, markup=False, soft_wrap=True)
        if parameters.forgetting is not None:
            told = forgetting_sentence(parameters.forgetting)
            screen.print(told, markup=False, soft_wrap=True)
    if show_tables:
        for process, table in tables.items():
            if table.rows:
                screen.print(monitor_table(table))
            else:
                screen.print(f"{process} watches nothing: its table is empty", markup=False)


def _show_application(screen: Console, document: Document) -> None:
    from choreomon.sentences.wording import counted

    if document.application is not None:
        handlers = sum(len(process.handlers) for process in document.application.processes)
        screen.print(
            f"application: {counted(len(document.processes), 'process', 'processes')}, "
            f"{counted(handlers, 'handler')}, "
            f"{counted(sum(each.messages for each in document.application.start), 'start message')}"
        )
    if document.interaction is not None:
        term = document.interaction.interaction
        screen.print(
            f"interaction: {counted(term.size, 'symbol')}"
            f" from {document.interaction.file or 'the document itself'}",
            markup=False,
            soft_wrap=True,
        )


def _as_json(
    document: Document, tables: dict[str, TransitionTable], *, show_tables: bool
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "file": document.file,
        "name": document.name,
        "processes": list(document.processes),
        **({"roles": dict(roles.slots)} if (roles := document.replicas.roles) else {}),
        "warnings": [
            {"line": warning.line, "field": warning.field, "message": warning.message}
            for warning in document.warnings
        ],
    }
    if document.property is None:
        return result
    from choreomon.core.message import BEGIN

    automaton = document.property.automaton
    result["property"] = {
        "rules": document.property.rules,
        "states": list(automaton.states),
        "initial": list(automaton.initial),
        "final": list(automaton.final),
        "transitions": [
            {
                "from": t.source,
                "to": t.target,
                "on": str(t.label),
                "backward": backward,
                "monitor": None if t.label == BEGIN else t.label.process,
            }
            for backward, group in ((False, automaton.forward), (True, automaton.backward))
            for t in group
        ],
    }
    if automaton.rules:
        result["property"]["named_rules"] = [
            {**stated.plain(), "line": stated.line, "states": sorted(states)}
            for stated, states in automaton.rules
        ]
    if (parameters := document.property.parameters) is not None:
        result["property"]["for_each"] = list(parameters.names)
        result["property"]["carries"] = {
            str(message): list(names) for message, names in parameters.carried.items()
        }
        result["property"]["labels"] = _costs(automaton, parameters, tables)
        if (forgetting := parameters.forgetting) is not None:
            result["property"]["forget_after"] = forgetting.after
            result["property"]["forgets"] = sorted(map(list, forgetting.bindings))
    if show_tables:
        result["tables"] = {process: rows_in_json(table) for process, table in tables.items()}
    return result


def _costs(
    automaton: SequenceAutomaton, parameters: Parameters, tables: dict[str, TransitionTable]
) -> list[dict[str, Any]]:
    """The parameters and costs of each label."""
    from choreomon.properties.costs import label_costs

    return [
        {
            "label": str(cost.label),
            "carries": list(cost.carries),
            "watched_by": cost.label.process,
            "recorded": cost.recorded,
            "cancels": cost.cancels,
            "certain": cost.certain,
            "asks": list(cost.asks),
        }
        for cost in label_costs(automaton, parameters, tables)
    ]
