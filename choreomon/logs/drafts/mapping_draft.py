"""Drafts of mapping documents, as YAML with comments, from what logs hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Final, NamedTuple

from choreomon.core.templates import VARIABLE
from choreomon.logs.drafts.fields_seen import FieldSeen, FieldsSeen
from choreomon.logs.drafts.roles import Roles, kinds_in, roles_of, telling_apart
from choreomon.logs.drafts.words import HANDLE_TEXTS, SEND_TEXTS
from choreomon.logs.formats import FORMATS, MappedFormat
from choreomon.logs.mappings.user_patterns import UserPattern

MOST_TEXTS: Final = 30
"""Templates for which a rule is shown, as a comment."""

_SHOWN: Final = 60


class Text(NamedTuple):
    """The template of a text of local events, how often it comes, and an example."""

    template: str
    events: int
    example: str


def draft_of_records(seen: FieldsSeen, texts: Sequence[Text], logs: str) -> str:
    """The draft for lines of JSON. `texts` are those of its field for texts, most frequent first;
    `logs` is what the draft says it was made from."""
    roles = roles_of(seen)
    lines = [*_head(logs), "format: jsonl", *_values(roles)]
    rules = [*_end_rules(roles)]
    if roles.kind is None and roles.text is not None:
        rules += _text_rules(roles.text.path, texts)
    if rules:
        lines += ["events:", *rules]
    if roles.kind is None and roles.text is not None:
        lines += _commented_rules(roles.text.path, texts)
    apart = [each for each in telling_apart(seen, roles) if each is not roles.session][:5]
    if apart:
        lines.append("# Each of these fields could tell instances apart, to be judged one by one:")
        lines += [
            f"# session: {_path(each)}  # {len(each.values):,} values, such as {_values_of(each)}"
            for each in apart
        ]
        field = apart[0]
        lines += [
            "# Sessions know nothing of each other. A property for_each: [...] has its values from",
            f"# parameters: {{{field.name or 'value'}: {_path(field)}}}",
        ]
    return "\n".join(lines) + "\n"


def draft_of_texts(
    format: MappedFormat, given: Mapping[str, str | None], texts: Sequence[Text], logs: str
) -> str:
    """The draft for texts with vector clocks; `given` are expressions that say how they are
    read."""
    rules = [*_text_rules("event", texts)]
    lines = [*_head(logs), f"format: {format}"]
    lines += [f"{key}: {_quoted(text)}" for key, text in given.items() if text is not None]
    lines += ["events:", *rules] if rules else []
    return "\n".join([*lines, *_commented_rules("event", texts)]) + "\n"


def draft_of_spans(logs: str) -> str:
    """The mapping of spans that is built in, to be changed."""
    name = FORMATS["otlp"].mapping
    text = (files("choreomon.logs.mappings") / f"{name}.yaml").read_text("utf-8")
    changed = "# It is the mapping that is built in, but names stay what they are, such as"
    example = "# POST /orders/{id}; with plain_names: true this one becomes POST_orders_id."
    text = text.replace("plain_names: true", "plain_names: false")
    return "\n".join([*_head(logs), changed, example, text])


def _head(logs: str) -> list[str]:
    return [
        f"# A draft, made from {logs}: look at what it makes of them, and mend it.",
        "# docs/logs.md says what a mapping can say.",
    ]


def _values(roles: Roles) -> Iterator[str]:
    kind = roles.kind
    if roles.process is not None:
        yield f"process: {_path(roles.process)}  # {_values_of(roles.process)}"
    elif roles.sender is None:
        yield "process: process  # no field is like it: name the one that says whose event it is"
    if kind is not None:
        words = kinds_in(kind)
        yield "kind:"
        yield f"  of: {_path(kind)}  # {_values_of(kind)}"
        yield "  table:"
        yield from (f"    {json.dumps(value)}: {meant}" for value, meant in words.items())
        yield "  otherwise: local"
    else:
        yield "kind: {constant: local}"
    if roles.name is not None:
        yield f"name: {_path(roles.name)}  # {_values_of(roles.name)}"
    elif roles.text is not None:
        yield f"name: {_path(roles.text)}"
    else:
        yield "name: name  # no field is like it: name the one that says which message it is"
    if roles.peer is not None:
        yield f"peer: {_path(roles.peer)}  # {_values_of(roles.peer)}"
    for key in ("message_id", "clock", "number", "session", "time"):
        if (found := getattr(roles, key)) is not None:
            yield f"{key}: {_path(found)}"


def _end_rules(roles: Roles) -> Iterator[str]:
    """Yields rules for messages with fields for both ends: the kind says which is the other one."""
    kind, sender, receiver = roles.kind, roles.sender, roles.receiver
    if kind is None or sender is None or receiver is None:
        return
    words = kinds_in(kind)
    for meant, own, other in (("send", sender, receiver), ("handle", receiver, sender)):
        values = [value for value, each in words.items() if each == meant]
        if values:
            yield f"  - where: {{{_path(kind)}: {json.dumps(values)}}}"
            if roles.process is None:
                yield f"    process: {_path(own)}"
            yield f"    peer: {_path(other)}"


def _text_rules(path: str, texts: Iterable[Text]) -> Iterator[str]:
    """Rules for texts that tell of messages in one of the usual ways."""
    examples = [text.example for text in texts]
    for kind, expressions in (("send", SEND_TEXTS), ("handle", HANDLE_TEXTS)):
        for expression in expressions:
            pattern = UserPattern(expression)
            found = next((each for each in examples if pattern.found(each)), None)
            if found is not None:
                yield f"  # such as: {_short(found)}"
                yield f"  - match: {{{path}: {_quoted(expression)}}}"
                yield f"    kind: {{constant: {kind}}}"


def _commented_rules(path: str, texts: Iterable[Text]) -> Iterator[str]:
    """Yields commented rules that would make messages of the other texts."""
    known = [UserPattern(each) for each in (*SEND_TEXTS, *HANDLE_TEXTS)]
    others = [text for text in texts if not any(each.found(text.example) for each in known)]
    if not others:
        return
    yield "# Texts that are no messages yet. A rule below `events:` makes one of them, for example:"
    for text in others[:MOST_TEXTS]:
        yield f"# {text.events:,} times: {_short(text.example)}"
        yield f"#   - match: {{{path}: {_quoted(expression_of(text.template))}}}"
        yield "#     kind: {constant: send}"
        yield "#     name: {constant: NAME}"


def expression_of(template: str) -> str:
    """The expression of texts with this template; a word after `to` or `from` is the other end."""
    words = template.split(" ")
    parts = []
    named = False
    for place, word in enumerate(words):
        if word != VARIABLE:
            parts.append(re.sub(r"([^\w\s])", r"\\\1", word))
        elif not named and place and words[place - 1].casefold() in ("to", "from"):
            named = True
            parts.append(r"(?<peer>\S+)")
        else:
            parts.append(r"\S+")
    return "^" + r"\s+".join(parts)


def _quoted(text: str) -> str:
    """A YAML text in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def _path(field: FieldSeen) -> str:
    plain = re.fullmatch(r"[A-Za-z_][\w.-]*", field.path)
    word = field.path.casefold() in ("null", "true", "false", "yes", "no", "on", "off", "y", "n")
    return field.path if plain and not word else _quoted(field.path)


def _values_of(field: FieldSeen) -> str:
    """The most frequent values, on one line."""
    return _short(", ".join(value for value, _ in field.values.most_common(4)))


def _short(text: str) -> str:
    plain = text if text.isprintable() else ascii(text)
    return plain if len(plain) <= _SHOWN else f"{plain[: _SHOWN - 3]}..."
