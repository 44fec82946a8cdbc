"""An interaction as Mermaid or PlantUML text.

Neither language distinguishes strict from weak sequencing, or knows co-regions and kinds of
loops. What is below each other is read as weak sequencing, as in the picture, and whatever has no
counterpart is a block whose label names the operator of the term:

| operator | Mermaid | PlantUML |
|---|---|---|
| message to several | first arrow solid, others dotted: "the same message" | the same |
| from or to the environment | arrows from or to a participant `environment` | from `[` or to `]` |
| `seq` | no block | no block |
| `alt` | `alt`, `else` | `alt`, `else` |
| `par`, `coreg(r)` | `par`, `and`, with the operator as label | `par`, `else`; `group`, `else` |
| `strict` | `critical`, `option`, with the operator as label | `group`, `else` |
| loops | `loop` with the operator as label | `loop` with the operator as label |
| `o` | a note "nothing"; without lifelines over `environment` | the same |

The text can be written for any nesting, other than the picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from choreomon.interaction.term import LOOPS, Interaction, Operator
from choreomon.render.mermaid import escaped
from choreomon.render.sequence_diagram_parts import (
    FrameEnd,
    FrameStart,
    Message,
    NextOperand,
    Part,
    lifelines_of,
    parts_of,
)

_DEEPEST_INDENT: Final = 12
"""Blocks within so many others are not indented further: the text would grow with the square of
the depth."""

_SAME: Final = "the same message"
_NOTHING: Final = "nothing"
_PLAIN: Final = frozenset(" .,:()")


def mermaid_sequence(interaction: Interaction, *, lifelines: Sequence[str] = ()) -> str:
    """A Mermaid `sequenceDiagram`; the module says what stands for what. `lifelines` come first,
    as in `sequence_diagram`.

    Raises ChoreomonError for interactions of more than 20,000 symbols.
    """
    parts = parts_of(interaction)
    ids = _ids(lifelines_of(parts, lifelines))
    lines = ["sequenceDiagram"]
    if not ids or any(_with_environment(part) for part in parts):
        lines.append("    participant env as environment")
    lines += [f"    participant {own} as {escaped(name)}" for name, own in ids.items()]

    def message(one: Message) -> list[str]:
        sender = "env" if one.sender is None else ids[one.sender]
        receivers = [ids[name] for name in one.receivers] or ["env"]
        text = escaped(one.message)
        more = [f"{sender}-->>{receiver}: {text} ({_SAME})" for receiver in receivers[1:]]
        return [f"{sender}->>{receivers[0]}: {text}", *more]

    def start(frame: FrameStart) -> str:
        label = escaped(frame.label)
        if frame.operator is Operator.ALT:
            return "alt choice"
        if frame.operator is Operator.COREG:
            return f"par {label}"
        return f"loop {label}" if frame.operator in LOOPS else f"critical {label}"

    def following(frame: FrameStart) -> str:
        if frame.operator is Operator.ALT:
            return "else or"
        return "and" if frame.operator is Operator.COREG else "option then"

    note = f"Note over {_everyone(list(ids.values()))}: {_NOTHING}"
    lines += _body(parts, message, start, following, note)
    return "\n".join(lines) + "\n"


def plantuml_sequence(interaction: Interaction, *, lifelines: Sequence[str] = ()) -> str:
    """A PlantUML sequence diagram; the module says what stands for what. `lifelines` come first,
    as in `sequence_diagram`.

    Raises ChoreomonError for interactions of more than 20,000 symbols.
    """
    parts = parts_of(interaction)
    ids = _ids(lifelines_of(parts, lifelines))
    lines = ["@startuml"]
    if not ids:
        lines.append("participant environment as env")
    lines += [f'participant "{_in_plantuml(name)}" as {own}' for name, own in ids.items()]

    def message(one: Message) -> list[str]:
        text = _in_plantuml(one.message)
        if one.sender is None:
            return [f"[-> {ids[one.receivers[0]]} : {text}"]
        sender = ids[one.sender]
        if not one.receivers:
            return [f"{sender} ->] : {text}"]
        first, *others = (ids[name] for name in one.receivers)
        more = [f"{sender} --> {receiver} : {text} ({_SAME})" for receiver in others]
        return [f"{sender} -> {first} : {text}", *more]

    def start(frame: FrameStart) -> str:
        label = _in_plantuml(frame.label)
        if frame.operator is Operator.ALT or label == "par":
            return label
        return f"loop {label}" if frame.operator in LOOPS else f"group {label}"

    note = f"note over {_everyone(list(ids.values()))} : {_NOTHING}"
    lines += _body(parts, message, start, lambda frame: "else", note)
    return "\n".join([*lines, "@enduml"]) + "\n"


def _ids(lifelines: Sequence[str]) -> dict[str, str]:
    return {name: f"p{number}" for number, name in enumerate(lifelines)}


def _everyone(ids: Sequence[str]) -> str:
    """From the first participant to the last one; without any, the environment."""
    return f"{ids[0]},{ids[-1]}" if len(ids) > 1 else "".join(ids) or "env"


def _with_environment(part: Part) -> bool:
    return isinstance(part, Message) and (part.sender is None or not part.receivers)


def _body(
    parts: Sequence[Part],
    message: Callable[[Message], list[str]],
    start: Callable[[FrameStart], str],
    following: Callable[[FrameStart], str],
    note: str,
) -> list[str]:
    """The lines of the parts, blocks indented."""
    lines: list[str] = []
    inner: list[FrameStart] = []
    for part in parts:
        depth = len(inner)
        if isinstance(part, Message):
            found = message(part)
        elif isinstance(part, FrameStart):
            found = [start(part)]
            inner.append(part)
        elif isinstance(part, NextOperand):
            depth -= 1
            found = [following(inner[-1])]
        elif isinstance(part, FrameEnd):
            depth -= 1
            inner.pop()
            found = ["end"]
        else:
            found = [note]
        indent = "    " * (1 + min(depth, _DEEPEST_INDENT))
        lines += [f"{indent}{line}" for line in found]
    return lines


def _in_plantuml(text: str) -> str:
    """`text` where PlantUML allows text: whatever is not plainly harmless, doubled signs that
    format text included, is written by its code."""
    found: list[str] = []
    for number, character in enumerate(text):
        doubled = character == "_" and "_" in (text[number - 1 : number], text[number + 1 :][:1])
        if character.isalnum() or character in _PLAIN or (character == "_" and not doubled):
            found.append(character)
        elif character.isspace() or not character.isprintable():
            found.append(" ")
        else:
            found.append(f"<U+{ord(character):04X}>")
    return "".join(found)
