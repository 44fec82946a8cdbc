"""An interaction as Mermaid or PlantUML text, which can be read again
(`choreomon.diagrams`): docs/diagrams.md says what stands for what.

Neither language distinguishes strict from weak sequencing, or knows co-regions and kinds of loops.
Statements below each other mean weak sequencing, as in the picture, and an operator without a
counterpart is a block whose label names it. Names are written so that neither language finds a
command in them, and reading gives them back: signs that are not plainly harmless are written by
their code.  Unlike the picture, the text can be written for any nesting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

from choreomon.interaction.diagram import (
    NOTHING,
    OUTSIDE,
    SAME,
    Arrow,
    End,
    NextOperand,
    Start,
    Statement,
    lifelines_of,
    statements_of,
)
from choreomon.interaction.lifelines import NONE
from choreomon.interaction.term import LOOPS, Interaction, Operator
from choreomon.pictures.interactions.sequence_diagram_parts import check_size

_DEEPEST_INDENT: Final = 12
"""Deeper blocks are not indented further: the text would grow with the square of the depth."""

_IN_MERMAID: Final = frozenset(".,:()-")
_IN_PLANTUML: Final = frozenset(".,:()")
"""Signs without a meaning in the texts of both languages, beside letters and digits."""

_IN_REGIONS: Final = re.compile(r"[,()]")
"""Signs with a meaning in the label of a block."""

_ORDERS: Final = re.compile(r"\bend\b|^:?(?:no)?wrap(?=:)", re.IGNORECASE)
"""Texts that Mermaid may take for the end of a block, or for a command."""

_ID: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NO_IDS: Final = frozenset(
    (
        *("accdescr", "acctitle", "activate", "actor", "also", "alt", "and", "as", "autoactivate"),
        *("autonumber", "boundary", "box", "break", "caption", "center", "collections", "control"),
        *("create", "critical", "database", "deactivate", "destroy", "details", "else", "end"),
        *("endbox", "endnote", "entity", "env", "environment", "footer", "group", "header", "hide"),
        *("hnote", "left", "legend", "link", "links", "loop", "mainframe", "newpage", "note"),
        *("nowrap", "o", "of", "opt", "option", "order", "over", "par", "par2", "par_over"),
        *("participant", "properties", "queue", "rect", "ref", "return", "right", "rnote", "scale"),
        *("sequencediagram", "show", "skinparam", "title", "wrap", "x"),
    )
)
"""Words with a meaning at the beginning of a statement, or within an arrow."""


def mermaid_sequence(interaction: Interaction, *, lifelines: Sequence[str] = ()) -> str:
    """A Mermaid `sequenceDiagram`. `lifelines` come first, then those of the interaction in order
    of appearance.

    Raises ChoreomonError for interactions of more than 20,000 symbols, and ValueError for an empty
    name.
    """
    check_size(interaction)
    statements = statements_of(interaction)
    ids = participant_ids(_lifelines(interaction, statements, lifelines))
    lines = ["sequenceDiagram"]
    if not ids or any(_with_environment(one) for one in statements):
        lines.append(f"    participant env as {OUTSIDE[1]}")
    lines += [
        f"    participant {own}" + ("" if own == name else f" as {in_mermaid(name)}")
        for name, own in ids.items()
    ]

    def arrow(one: Arrow) -> str:
        sender = "env" if one.sender is None else ids[one.sender]
        receiver = "env" if one.receiver is None else ids[one.receiver]
        text = in_mermaid(one.message)
        return (
            f"{sender}-->>{receiver}: {text}{SAME}"
            if one.again
            else (f"{sender}->>{receiver}: {text}")
        )

    def start(block: Start) -> str:
        if block.operator is Operator.ALT:
            return "opt" if block.optional else "alt"
        label = _label(block, in_mermaid, _mermaid_code)
        if label == "par":
            return "par"
        if block.operator is Operator.COREG and block.region != NONE:
            return f"par {label}"
        return f"loop {label}" if block.operator in LOOPS else f"critical {label}"

    def following(block: Start) -> str:
        if block.operator is Operator.ALT:
            return "else"
        return "and" if block.operator is Operator.COREG else "option"

    note = f"Note over {_everyone([*ids.values()])}: {NOTHING}"
    lines += _body(statements, arrow, start, following, note)
    return "\n".join(lines) + "\n"


def plantuml_sequence(interaction: Interaction, *, lifelines: Sequence[str] = ()) -> str:
    """A PlantUML sequence diagram; `lifelines` and errors as with `mermaid_sequence`."""
    check_size(interaction)
    statements = statements_of(interaction)
    ids = participant_ids(_lifelines(interaction, statements, lifelines))
    lines = ["@startuml"]
    if not ids:
        lines.append(f"participant {OUTSIDE[1]} as env")
    lines += [
        f"participant {own}" if own == name else f'participant "{in_plantuml(name)}" as {own}'
        for name, own in ids.items()
    ]

    def arrow(one: Arrow) -> str:
        text = in_plantuml(one.message)
        if one.sender is None:
            assert one.receiver is not None
            return f"[-> {ids[one.receiver]} : {text}"
        if one.receiver is None:
            return f"{ids[one.sender]} ->] : {text}"
        line, same = ("-->", SAME) if one.again else ("->", "")
        return f"{ids[one.sender]} {line} {ids[one.receiver]} : {text}{same}"

    def start(block: Start) -> str:
        if block.operator is Operator.ALT:
            return "opt" if block.optional else "alt"
        label = _label(block, in_plantuml, _plantuml_code)
        if label == "par":
            return label
        return f"loop {label}" if block.operator in LOOPS else f"group {label}"

    note = f"note over {_everyone([*ids.values()])} : {NOTHING}"
    lines += _body(statements, arrow, start, lambda block: "else", note)
    return "\n".join([*lines, "@enduml"]) + "\n"


def in_mermaid(name: str) -> str:
    """`name` for any place of a Mermaid sequence diagram where text is allowed; reading gives the
    same name. Raises ValueError for an empty one."""
    text = _encoded(name, _mermaid_code, _IN_MERMAID)
    return _ORDERS.sub(lambda word: f"{_mermaid_code(word[0][0])}{word[0][1:]}", text)


def in_plantuml(name: str) -> str:
    """`name` for PlantUML, as `in_mermaid`. Doubled signs that format text are written by their
    code, too."""
    return _encoded(name, _plantuml_code, _IN_PLANTUML)


def _mermaid_code(character: str) -> str:
    return f"#{ord(character)};"


def _plantuml_code(character: str) -> str:
    return f"<U+{ord(character):04X}>"


def _encoded(name: str, code: Callable[[str], str], harmless: Collection[str]) -> str:
    if not name:
        raise ValueError("an empty name cannot be written in a diagram")
    if name in OUTSIDE:
        return code(name[0]) + name[1:]
    if f" {name}".endswith(SAME):
        return _encoded(name[:-1], code, harmless) + code(name[-1])
    found: list[str] = []
    last = len(name) - 1
    for at, character in enumerate(name):
        inside = 0 < at < last and "  " not in name[at - 1 : at + 1]
        plain = (
            character.isalnum()
            or (character == " " and inside)
            or character in harmless
            or (character == "_" and "_" not in name[max(at - 1, 0) : at] + name[at + 1 : at + 2])
        )
        found.append(character if plain else code(character))
    return "".join(found)


def _label(block: Start, written: Callable[[str], str], code: Callable[[str], str]) -> str:
    names = [_IN_REGIONS.sub(lambda sign: code(sign[0]), written(name)) for name in block.unordered]
    return f"{block.name}({','.join(names)})" if names else block.name


def _lifelines(
    interaction: Interaction, statements: Sequence[Statement], first: Sequence[str]
) -> list[str]:
    """`first`, then those of the arrows, then those that only a region names."""
    found = dict.fromkeys(first)
    for one in statements:
        if isinstance(one, Arrow):
            found |= dict.fromkeys(name for name in (one.sender, one.receiver) if name is not None)
    return [*found, *sorted(lifelines_of(interaction) - found.keys())]


def participant_ids(lifelines: Collection[str]) -> dict[str, str]:
    """Ids of lifelines: the name if it can stand in an arrow, else an id that no lifeline has as
    its name."""
    taken = set(lifelines)
    ids: dict[str, str] = {}
    for number, name in enumerate(lifelines):
        own = name
        if not _ID.fullmatch(name) or name.lower() in _NO_IDS or "__" in name:
            own = f"p{number}"
            while own in taken:
                own += "_"
            taken.add(own)
        ids[name] = own
    return ids


def _everyone(ids: Sequence[str]) -> str:
    """The range from the first participant to the last one; without any, the environment."""
    return f"{ids[0]},{ids[-1]}" if len(ids) > 1 else "".join(ids) or "env"


def _with_environment(one: Statement) -> bool:
    return isinstance(one, Arrow) and (one.sender is None or one.receiver is None)


def _body(
    statements: Sequence[Statement],
    arrow: Callable[[Arrow], str],
    start: Callable[[Start], str],
    following: Callable[[Start], str],
    note: str,
) -> list[str]:
    """The lines of the statements, blocks indented."""
    lines: list[str] = []
    inner: list[Start] = []
    for one in statements:
        depth = len(inner)
        if isinstance(one, Arrow):
            line = arrow(one)
        elif isinstance(one, Start):
            line = start(one)
            inner.append(one)
        elif isinstance(one, NextOperand):
            depth -= 1
            line = following(inner[-1])
        elif isinstance(one, End):
            depth -= 1
            inner.pop()
            line = "end"
        else:
            line = note
        lines.append("    " * (1 + min(depth, _DEEPEST_INDENT)) + line)
    return lines
