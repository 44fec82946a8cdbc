"""A skeleton of a rule over the messages that logs hold: a document to begin with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from choreomon.core.contents import Contents, MessageCount
from choreomon.core.labels import parse_label
from choreomon.core.message import Message
from choreomon.files.scalars import in_quotes

MOST_LISTED: Final = 200


def rules_draft(found: Contents, logs: str) -> str:
    """A document with one rule, about the two most frequent messages, and with all messages as
    comments. Raises ValueError where no message has a name and two ends that labels can have."""
    labels = [(text, each) for each in found.messages if (text := _label(each)) is not None]
    if not labels:
        raise ValueError(
            "no message is known with both of its ends: say by a mapping what gives peer"
        )
    first, second = labels[0][0], labels[min(1, len(labels) - 1)][0]
    return "\n".join((*_beginning(logs, first, second), *_listed(labels))) + "\n"


def _beginning(logs: str, first: str, second: str) -> Iterator[str]:
    yield f"# A skeleton over the messages in {logs}."
    yield "# Say what must not happen, and put a name and messages of yours in place of these;"
    yield "# docs/properties.md has all that a rule can say."
    yield "name: what must not happen"
    yield "rules:"
    yield "  - id: my-rule"
    yield "    description: What must not happen, in one sentence."
    yield f"    never: {second}"
    yield f"    after: {first}"
    yield "    # What takes that back, where something does:"
    yield f"    # until: {first}"


def _listed(labels: list[tuple[str, MessageCount]]) -> Iterator[str]:
    yield ""
    yield "# The messages, most frequent first. With `handle` before it, a label is the moment in"
    yield "# which the message is handled."
    for text, each in labels[:MOST_LISTED]:
        yield f"#   {text}  # sent {each.sent:,}, handled {each.handled:,}"
    if len(labels) > MOST_LISTED:
        yield f"#   and {len(labels) - MOST_LISTED:,} more"


def _label(message: MessageCount) -> str | None:
    """The label of a message in quotes, as in documents."""
    if message.sender is None or message.receiver is None:
        return None
    text = str(Message(message.sender, message.name, message.receiver))
    return in_quotes(text) if parse_label(text) is not None else None
