"""Beginnings that `choreomon init` writes, by what there is: logs, a diagram, services, or nothing
yet."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import click

from choreomon.cli.command_line.log_options import LogChoices


class Beginning(NamedTuple):
    """Files to write, and commands that work on them, the first one first."""

    texts: dict[Path, str]
    commands: tuple[str, ...]


def from_nothing(rules: Path) -> Beginning:
    """The commented rules that come with choreomon."""
    text = (files("choreomon.cli.documents") / "property_to_begin_with.yaml").read_text("utf-8")
    return Beginning({rules: text}, (_typed("check", rules),))


def from_logs(
    rules: Path, mapping: Path, logs: Sequence[str], session_key: str | None
) -> Beginning:
    """A skeleton over the messages of the logs, and a draft of a mapping where their format needs
    one. Raises DocumentError for logs that cannot be read."""
    from choreomon.core.contents import Looking
    from choreomon.documents.rules_draft import rules_draft
    from choreomon.logs.drafts.drafting import drafted, needs_mapping
    from choreomon.logs.mappings.mapping_document import parse_mapping

    reading = LogChoices(session_key=session_key).loaded()
    found = reading.with_folders(logs)
    texts: dict[Path, str] = {}
    options: list[object] = []
    if needs_mapping(found):
        texts[mapping] = drafted(found)
        reading = reading._replace(mapping=parse_mapping(texts[mapping], str(mapping)))
        options += ["--mapping", mapping]
    if session_key is not None:
        options += ["--session-key", session_key]
    looking = Looking()
    for path in found:
        for each in reading.read(path):
            looking.add(each)
    try:
        texts[rules] = f"{_SCHEMA}{rules_draft(looking.found(), ', '.join(logs))}"
    except ValueError as wrong:
        click.echo(f"{rules}: is about no messages of these logs: {wrong}", err=True)
        texts |= from_nothing(rules).texts
    return Beginning(
        texts,
        (_typed("look", *logs, *options), _typed("audit", rules, *logs, *options)),
    )


def from_diagram(diagram: str) -> Beginning:
    """The beginning for a diagram, with nothing to write: it says by itself what should happen.
    Raises DocumentError for a file that is no diagram."""
    from choreomon.documents.interactions import load_interaction

    load_interaction(diagram)
    return Beginning(
        {},
        (_typed("draw", diagram, "-o", "diagram.svg"), f"{_typed('verify', '-i', diagram)} LOGS"),
    )


def from_services(rules: Path, services: Sequence[str]) -> Beginning:
    """A rule about these services, with a message from each to the next one. Raises `UsageError`
    for fewer than two, and for what is no name."""
    from choreomon.core.message import Message
    from choreomon.core.names import NAME_RULE, name_defect
    from choreomon.files.scalars import in_quotes

    for name in services:
        if name_defect(name):
            raise click.UsageError(f"a service cannot be called {name!r}: expected {NAME_RULE}")
    if len(set(services)) < 2:
        raise click.UsageError("name two services or more, as in shop,bank")
    ways = [*zip(services, [*services[1:], services[0]], strict=True)]
    labels = [in_quotes(str(Message(one, "message", other))) for one, other in ways[:2]]
    text = (
        f"{_SCHEMA}# What must not happen. Put your messages in place of `message`.\n"
        "name: what must not happen\nrules:\n  - id: my-rule\n"
        "    description: What must not happen, in one sentence.\n"
        f"    never: {labels[-1]}\n    after: {labels[0]}\n"
    )
    agents = _typed("split", rules, "--output", "agents")
    return Beginning({rules: text}, (_typed("check", rules), agents))


_SCHEMA = "# yaml-language-server: $schema=SCHEMA\n"


def _typed(*words: object) -> str:
    return shlex.join(["choreomon", *map(str, words)])
