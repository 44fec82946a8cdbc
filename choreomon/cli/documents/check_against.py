"""`choreomon check --against`: whether a protocol allows what a property forbids."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND, ONLY_POSSIBLE, VIOLATION
from choreomon.interaction_files.offline_kind import offline_kind

if TYPE_CHECKING:
    from choreomon.core.message import Label
    from choreomon.core.roles import Roles
    from choreomon.documents.read import Document
    from choreomon.possible.protocol import Protocol
    from choreomon.possible.search import Possibility

    AnyProtocol: TypeAlias = Protocol[Any]

_OUTSIDE: Final = "outside"
"""The name of the environment in pictures when something is sent to it."""


def check_against(
    document: Document,
    against: str,
    *,
    states: int,
    locations: str | None,
    picture: Path | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Say of each sequence of the document's property whether the protocol in the file `against`
    allows it, and draw the shortest run that forms one; the exit code, which `strict` warnings make
    that of bad input.

    Raises `DocumentError` for what cannot be read, `UsageError` for what is no protocol.
    """
    from choreomon.possible.search import each_sequence, formed_by_every_run, possibility
    from choreomon.properties.roles import automaton_over_slots

    if document.property is None:
        raise click.UsageError(f"--against is about properties, and {document.file} has none")
    automaton = document.property.automaton
    protocol, roles = _protocol(against, document, automaton.labels, locations)
    happening = {*map(roles.of_roles, protocol.labels)}
    missing = [label for label in automaton.labels if label not in happening]
    sequences = each_sequence(automaton_over_slots(automaton, roles))
    found = [
        _Found(
            one, one.answer == "possible" and formed_by_every_run(each, protocol, max_states=states)
        )
        for each in sequences
        for one in (possibility(each, protocol, max_states=states),)
    ]
    runs = [each.possibility.run for each in found if each.possibility.answer == "possible"]
    never = [_Never(label, _meant(label, happening)) for label in missing]
    warned = [*_warnings(document, against, found, never)]
    if as_json:
        click.echo(json.dumps(_as_json(document, against, found, never), indent=2))
    else:
        for warning in (*map(str, document.warnings), *warned):
            click.echo(f"warning: {warning}", err=True)
        _show(document, against, found)
    if picture is not None:
        if runs:
            _draw(picture, min(runs, key=len), protocol, roles)
        else:
            click.echo(f"{picture}: not written, since no run was found", err=True)
    if strict and (warned or document.warnings):
        return BAD_INPUT
    if runs:
        return VIOLATION
    known = all(each.possibility.answer == "impossible" for each in found)
    return NOTHING_FOUND if known else ONLY_POSSIBLE


class _Never(NamedTuple):
    """A label that never happens, and what may have been meant by it, if anything."""

    label: Label
    meant: str


class _Found(NamedTuple):
    """Knowledge about a sequence: whether it is possible, and whether no run that comes to an end
    can avoid it."""

    possibility: Possibility
    unavoidable: bool


def _warnings(
    document: Document,
    against: str,
    found: list[_Found],
    missing: list[_Never],
) -> Iterator[str]:
    """Sentences on labels that never happen and on what every run does, each with the place of the
    first rule that is concerned."""
    from choreomon.properties.parts import restricted

    assert document.property is not None
    automaton = document.property.automaton
    places = [f"{stated.file or document.file}:{stated.line}" for stated, _ in automaton.rules]
    whole = f"{document.file}:{document.property_line}"
    for label, meant in missing:
        with_it = (
            place
            for place, (_, states) in zip(places, automaton.rules, strict=True)
            if label in restricted(automaton, states).labels
        )
        told = f"{label} never happens in {against}{meant}"
        yield f"{next(with_it, whole)}: {told}"
    for number, each in enumerate(found, 1):
        if each.unavoidable:
            place = places[number - 1] if places else whole
            yield (
                f"{place}: {_named(document, found, number)} forbids what every run of {against} "
                "does that comes to an end: who follows it cannot keep this"
            )


def _protocol(
    against: str, document: Document, labels: tuple[Label, ...], locations: str | None
) -> tuple[AnyProtocol, Roles]:
    """The protocol in a file, and its roles."""
    from choreomon.core.roles import NO_ROLES

    kind = offline_kind(against)
    if kind in ("automaton", "interaction"):
        document.without_roles("interactions and automata")
    if kind == "automaton":
        from choreomon.interaction_files.automaton_file import load_automaton, load_locations
        from choreomon.possible.automata import AutomatonProtocol

        places = None if locations is None else load_locations(locations)
        return AutomatonProtocol(load_automaton(against, places), labels), NO_ROLES
    if locations is not None:
        raise click.UsageError(f"--locations is about automata, and {against} is none")
    if kind not in (None, "interaction"):
        raise click.UsageError(
            f"--against wants an interaction, an automaton or a scenario: {against} holds a {kind}"
        )
    from choreomon.possible.interactions import InteractionProtocol

    if kind == "interaction":
        from choreomon.interaction_files.loading import load_interaction

        return InteractionProtocol(load_interaction(against), labels), NO_ROLES
    from choreomon.documents.read import load_document

    stated = load_document(against)
    if stated.application is not None:
        from choreomon.actors.compilation import compile_application
        from choreomon.documents.actors import application_from_document
        from choreomon.possible.applications import ApplicationProtocol

        _check_roles(stated, document)
        application = application_from_document(stated.application)
        compiled = compile_application(application, stated.replicas)
        return ApplicationProtocol(compiled), stated.replicas.roles
    if stated.interaction is not None:
        return InteractionProtocol(stated.interaction.interaction, labels), NO_ROLES
    raise click.UsageError(f"--against wants a protocol: {against} has no application")


def _check_roles(protocol: Document, document: Document) -> None:
    """Raises `DocumentError` for replicas that come and go, and where a role of the property is one
    process of the protocol: more replicas may do more."""
    from choreomon.core.errors import DocumentError, Problem

    line = protocol.roles_line
    if protocol.replicas.memberships:
        role = next(iter(protocol.replicas.memberships))
        told = "replicas that come and go are not looked at: leave replicas and changes out"
        raise DocumentError((Problem(protocol.file, line, f"roles.{role}", told),))
    for role in document.replicas.roles.slots:
        if role not in protocol.replicas.roles.slots:
            told = f"has no role {role}, which {document.file} has: more replicas may do more"
            raise DocumentError((Problem(protocol.file, line, "roles", told),))


def _named(document: Document, found: list[_Found], number: int) -> str:
    assert document.property is not None
    if rules := document.property.automaton.rules:
        return rules[number - 1].stated.name
    return "the property" if len(found) == 1 else f"sequence {number}"


def _meant(label: Label, happening: Collection[Label]) -> str:
    from choreomon.core.suggestion import did_you_mean

    return did_you_mean(str(label), sorted(map(str, happening)))


def _show(document: Document, against: str, found: list[_Found]) -> None:
    from choreomon.sentences.wording import counted

    assert document.property is not None
    click.echo(f"{document.file} against {against}:")
    if document.property.parameters is not None:
        click.echo("  for_each is left out: all messages are taken to be of one instance")
    for number, (one, _) in enumerate(found, 1):
        what = _named(document, found, number)
        looked_at = f"{counted(one.states, 'state')} looked at"
        if one.answer == "impossible":
            click.echo(f"  {what}: impossible ({looked_at})")
        elif one.answer == "unknown":
            click.echo(
                f"  {what}: unknown ({looked_at}, and there are more; --states N looks at more)"
            )
        else:
            click.echo(f"  {what}: possible ({looked_at}), by")
            for place, label in enumerate(one.run, 1):
                click.echo(f"    {place}. {label}")


def _as_json(
    document: Document,
    against: str,
    found: list[_Found],
    missing: list[_Never],
) -> dict[str, Any]:
    assert document.property is not None
    named = bool(document.property.automaton.rules)
    return {
        "file": document.file,
        "against": against,
        "one_instance": document.property.parameters is not None,
        "never_happening": [{"label": str(label), "meant": meant} for label, meant in missing],
        "sequences": [
            {
                **({"rule": _named(document, found, number)} if named else {}),
                "answer": one.answer,
                "states": one.states,
                "run": list(map(str, one.run)),
                **({"unavoidable": True} if unavoidable else {}),
            }
            for number, (one, unavoidable) in enumerate(found, 1)
        ],
    }


def _draw(output: Path, run: tuple[Label, ...], protocol: AnyProtocol, roles: Roles) -> None:
    from choreomon.cli.command_line.pictures import put_picture
    from choreomon.core.message import ENVIRONMENT
    from choreomon.pictures.as_text.run_text import mermaid_run, plantuml_run
    from choreomon.pictures.space_time.diagram import space_time_picture
    from choreomon.pictures.space_time.window import View
    from choreomon.possible.run import run_events

    # Pictures know the environment as a sender only.
    drawn = [
        label._replace(message=label.message._replace(receiver=_OUTSIDE))
        if label.message.receiver == ENVIRONMENT
        else label
        for label in run
    ]
    ends = {end for label in drawn for end in (label.message.sender, label.message.receiver)}
    ends.discard(ENVIRONMENT)
    strangers = sorted(ends.difference(protocol.processes, roles.slots))
    processes = [*(one for one in protocol.processes if one in ends), *strangers]
    events = run_events(drawn, processes, roles)
    suffix = output.suffix.lower()
    in_text = {".mmd": mermaid_run, ".puml": plantuml_run}.get(suffix)
    text = None if in_text is None else in_text(events, processes)
    picture = space_time_picture(
        events, protocol.processes, timed=False, view=View(everything=True)
    )
    put_picture(output, picture, text, as_json=False)
