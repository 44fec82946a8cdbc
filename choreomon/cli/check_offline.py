"""`choreomon check` of interactions, signatures and multi-traces: that they can be read, and what
is in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from choreomon.cli.offline_files import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from choreomon.interaction.term import Interaction


def check_offline(file: str, kind: Kind, *, as_json: bool) -> None:
    """Say what the file holds. Raises `DocumentError` where it cannot be read."""
    from choreomon.formats.hibou.files import load_interaction, load_multi_trace, load_signature
    from choreomon.render.wording import counted

    found: dict[str, Any] = {"file": file, "kind": kind}
    columns: Sequence[str]
    rows: list[tuple[str, ...]]
    if kind == "interaction":
        term = load_interaction(file)
        found |= _interaction(term)
        said = (
            f"{counted(found['symbols'], 'symbol')}, {counted(found['loops'], 'loop')}, "
            f"{counted(len(found['messages']), 'message')}"
        )
        columns = ("lifeline", "sends", "receives")
        rows = [
            (name, ", ".join(part["sends"]), ", ".join(part["receives"]))
            for name, part in found["lifelines"].items()
        ]
    elif kind == "signature":
        signature = load_signature(file)
        found |= {"lifelines": [*signature.lifelines], "messages": [*signature.messages]}
        said = (
            f"{counted(len(signature.lifelines), 'lifeline')}, "
            f"{counted(len(signature.messages), 'message')}"
        )
        columns = ("lifelines", "messages")
        rows = [(", ".join(signature.lifelines), ", ".join(signature.messages))]
    else:
        multitrace = load_multi_trace(file)
        parts = [(part.lifelines, len(part.actions)) for part in multitrace.components]
        found["components"] = [{"lifelines": [*names], "actions": count} for names, count in parts]
        said = f"{counted(multitrace.length, 'action')} on {counted(len(parts), 'clock')}"
        columns = ("lifelines with a clock", "actions")
        rows = [(", ".join(names), f"{count:,}") for names, count in parts]
    if as_json:
        click.echo(json.dumps(found, indent=2))
    else:
        _show(f"{file}: the {kind} is valid: {said}", columns, rows)


def _interaction(term: Interaction) -> dict[str, Any]:
    from choreomon.core.action import EMISSION
    from choreomon.interaction.measures import metrics
    from choreomon.interaction.term import subterms

    measured = metrics(term)
    lifelines: dict[str, dict[str, set[str]]] = {
        name: {"sends": set(), "receives": set()} for name in measured.lifelines
    }
    for part in subterms(term):
        if part.action is not None:
            end = "sends" if part.action.kind == EMISSION else "receives"
            lifelines[part.action.lifeline][end].add(part.action.message)
    return {
        **measured._asdict(),
        "lifelines": {
            name: {end: sorted(messages) for end, messages in ends.items()}
            for name, ends in lifelines.items()
        },
    }


def _show(said: str, columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from choreomon.cli.screen import screens

    screen, _ = screens()
    screen.print(said, style="bold", markup=False, soft_wrap=True)
    table = Table()
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    screen.print(table)
