"""Bound on the length of messages that others may send to a monitor: a longer one is refused
unread."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from choreomon.agent_files.digests import DIGEST_BYTES
from choreomon.agent_files.wire import MAX_BYTES
from choreomon.core.names import MAX_NAME_BYTES
from choreomon.core.verdict import Reference
from choreomon.monitor.messages import MOST_EVIDENCE_TOLD
from choreomon.monitor.rights import Rights

_LONGEST_NUMBER: Final = 9
"""Bytes of a number; the lengths of what follows take fewer."""


def longest_body(rights: Rights) -> int:
    """Bytes that the body of a message has at most that others may send to a monitor with these
    rights: what is longer need not be read to be refused. `MAX_BYTES` where answers may have any
    number of records."""
    if rights.most_records is None:
        return MAX_BYTES
    clock = _LONGEST_NUMBER * (1 + len(rights.index_of))
    name = _LONGEST_NUMBER + MAX_NAME_BYTES
    names = name * (
        6 + len(rights.index_of)
    )  # the clocks of a message, and of those that it waits for

    def references(asked: Collection[Reference]) -> int:
        return sum(_LONGEST_NUMBER + sum(map(_text_bytes, each)) for each in asked)

    record = 2 * clock + _LONGEST_NUMBER * 2
    asking = max(map(references, rights.may_ask.values()), default=0)
    naming = max(map(references, rights.may_name.values()), default=0)
    if naming:
        asking = max(asking, MOST_EVIDENCE_TOLD * (naming + _LONGEST_NUMBER))
    evidence = max(map(references, rights.named_of.values()), default=0)
    if evidence:
        evidence = MOST_EVIDENCE_TOLD * (2 * evidence + record + _LONGEST_NUMBER)
    answering = max(
        (
            rights.most_records * (references(asked) + record * len(asked))
            for asked in (*rights.asked_of.values(), *rights.named_of.values())
        ),
        default=0,
    )
    longest = max(asking, answering + evidence)
    if rights.parameters:
        longest += 3 * _LONGEST_NUMBER + DIGEST_BYTES * len(rights.parameters)
    return min(MAX_BYTES, names + 2 * clock + 6 * _LONGEST_NUMBER + longest)


def _text_bytes(text: str) -> int:
    return _LONGEST_NUMBER + len(text.encode())
