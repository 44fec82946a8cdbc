"""`choreomon check --against`: whether a protocol allows what a property forbids."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND, ONLY_POSSIBLE, VIOLATION
from choreomon.interaction_files.offline_kind import offline_kind

if TYPE_CHECKING:
    from choreomon.core.message import Label
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

    if document.property is None:
        raise click.UsageError(f"--against is about properties, and {document.file} has none")
    automaton = document.property.automaton
    protocol = _protocol(against, automaton.labels, locations)
    missing = [label for label in automaton.labels if label not in protocol.labels]
    sequences = each_sequence(automaton)
    found = [
        _Found(
            one, one.answer == "possible" and formed_by_every_run(each, protocol, max_states=states)
        )
        for each in sequences
        for one in (possibility(each, protocol, max_states=states),)
    ]
    runs = [each.possibility.run for each in found if each.possibility.answer == "possible"]
    warned = [*_warnings(document, against, found, missing, protocol)]
    if as_json:
        click.echo(json.dumps(_as_json(document, against, found, missing, protocol), indent=2))
    else:
        for warning in (*map(str, document.warnings), *warned):
            click.echo(f"warning: {warning}", err=True)
        _show(document, against, found)
    if picture is not None:
        if runs:
            _draw(picture, min(runs, key=len), protocol)
        else:
            click.echo(f"{picture}: not written, since no run was found", err=True)
    if strict and (warned or document.warnings):
        return BAD_INPUT
    if runs:
        return VIOLATION
    known = all(each.possibility.answer == "impossible" for each in found)
    return NOTHING_FOUND if known else ONLY_POSSIBLE


class _Found(NamedTuple):
    """Knowledge about a sequence: whether it is possible, and whether no run that comes to an end
    can avoid it."""

    possibility: Possibility
    unavoidable: bool


def _warnings(
    document: Document,
    against: str,
    found: list[_Found],
    missing: list[Label],
    protocol: AnyProtocol,
) -> Iterator[str]:
    """Sentences on labels that never happen and on what every run does, each with the place of the
    first rule that is concerned."""
    from choreomon.properties.parts import restricted

    assert document.property is not None
    automaton = document.property.automaton
    places = [f"{stated.file or document.file}:{stated.line}" for stated, _ in automaton.rules]
    whole = f"{document.file}:{document.property_line}"
    for label in missing:
        with_it = (
            place
            for place, (_, states) in zip(places, automaton.rules, strict=True)
            if label in restricted(automaton, states).labels
        )
        told = f"{label} never happens in {against}{_meant(label, protocol)}"
        yield f"{next(with_it, whole)}: {told}"
    for number, each in enumerate(found, 1):
        if each.unavoidable:
            place = places[number - 1] if places else whole
            yield (
                f"{place}: {_named(document, found, number)} forbids what every run of {against} "
                "does that comes to an end: who follows it cannot keep this"
            )


def _protocol(against: str, labels: tuple[Label, ...], locations: str | None) -> AnyProtocol:
    kind = offline_kind(against)
    if kind == "automaton":
        from choreomon.interaction_files.automaton_file import load_automaton, load_locations
        from choreomon.possible.automata import AutomatonProtocol

        places = None if locations is None else load_locations(locations)
        return AutomatonProtocol(load_automaton(against, places), labels)
    if locations is not None:
        raise click.UsageError(f"--locations is about automata, and {against} is none")
    if kind not in (None, "interaction"):
        raise click.UsageError(
            f"--against wants an interaction, an automaton or a scenario: {against} holds a {kind}"
        )
    from choreomon.possible.interactions import InteractionProtocol

    if kind == "interaction":
        from choreomon.interaction_files.loading import load_interaction

        return InteractionProtocol(load_interaction(against), labels)
    from choreomon.documents.read import load_document

    stated = load_document(against).without_roles("protocols")
    if stated.application is not None:
        from choreomon.actors.compilation import compile_application
        from choreomon.documents.actors import application_from_document
        from choreomon.possible.applications import ApplicationProtocol

        return ApplicationProtocol(
            compile_application(application_from_document(stated.application))
        )
    if stated.interaction is not None:
        return InteractionProtocol(stated.interaction.interaction, labels)
    raise click.UsageError(f"--against wants a protocol: {against} has no application")


def _named(document: Document, found: list[_Found], number: int) -> str:
    assert document.property is not None
    if rules := document.property.automaton.rules:
        return rules[number - 1].stated.name
    return "the property" if len(found) == 1 else f"sequence {number}"


def _meant(label: Label, protocol: AnyProtocol) -> str:
    from choreomon.core.suggestion import did_you_mean

    return did_you_mean(str(label), sorted(map(str, protocol.labels)))


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
    missing: list[Label],
    protocol: AnyProtocol,
) -> dict[str, Any]:
    assert document.property is not None
    named = bool(document.property.automaton.rules)
    return {
        "file": document.file,
        "against": against,
        "one_instance": document.property.parameters is not None,
        "never_happening": [
            {"label": str(label), "meant": _meant(label, protocol)} for label in missing
        ],
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


def _draw(output: Path, run: tuple[Label, ...], protocol: AnyProtocol) -> None:
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
    strangers = sorted(ends.difference(protocol.processes))
    processes = [*(one for one in protocol.processes if one in ends), *strangers]
    events = run_events(drawn, processes)
    suffix = output.suffix.lower()
    in_text = {".mmd": mermaid_run, ".puml": plantuml_run}.get(suffix)
    text = None if in_text is None else in_text(events, processes)
    picture = space_time_picture(
        events, protocol.processes, timed=False, view=View(everything=True)
    )
    put_picture(output, picture, text, as_json=False)
