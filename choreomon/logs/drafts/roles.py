"""Roles of fields, guessed: which one has the process, send or handle, the message, and so on. The
guess is for people to check. Names of fields come first (`choreomon.logs.drafts.words`), and their
values have to fit: a kind has words for sending or handling, an id occurs hardly more than twice, a
process is among the entries of its own clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from choreomon.logs.drafts.fields_seen import FieldSeen, FieldsSeen
from choreomon.logs.drafts.words import (
    FROM,
    HANDLES,
    KIND,
    MESSAGE_ID,
    NAME,
    NUMBER,
    PEER,
    PROCESS,
    SENDS,
    SESSION,
    TEXT,
    TIME,
    TO,
)

MESSAGE_ENDS: Final = 2
"""Records of a message: what tells instances apart is in more."""

FEW: Final = 200
"""Different processes, or kinds, at most."""


@dataclass(frozen=True)
class Roles:
    """The fields, None where none fits. Where there are both a `sender` and a `receiver`, in the
    same records or not, there is no `peer`."""

    process: FieldSeen | None
    kind: FieldSeen | None
    name: FieldSeen | None
    peer: FieldSeen | None
    sender: FieldSeen | None
    receiver: FieldSeen | None
    message_id: FieldSeen | None
    clock: FieldSeen | None
    number: FieldSeen | None
    session: FieldSeen | None
    time: FieldSeen | None
    text: FieldSeen | None


def roles_of(seen: FieldsSeen) -> Roles:
    """Guess the roles of the fields."""
    usual = seen.usual()
    texts = [each for each in usual if each.values]
    clock = max(
        (each for each in seen.fields.values() if each.clocks > each.records / 2),
        key=lambda each: each.clocks,
        default=None,
    )
    kind = _first(texts, KIND, lambda each: bool(kinds_in(each)))
    kind = kind or next((each for each in texts if {*kinds_in(each).values()} >= {*BOTH}), None)
    left = [each for each in texts if each is not kind]
    process = _first(left, PROCESS, lambda each: each.complete and len(each.values) <= FEW)
    left = [each for each in left if each is not process]
    others = [each for each in seen.fields.values() if each not in (kind, process)]
    sender = _first(others, FROM, lambda each: 0 < len(each.values) <= FEW)
    receiver = _first(others, TO, lambda each: 0 < len(each.values) <= FEW)
    if kind is None or sender is None or receiver is None:
        sender = receiver = None
    ends = [each for each in (sender, receiver) if each is not None]
    left = [each for each in left if each not in ends]
    peer = None if ends else _first(others, PEER, lambda each: 0 < len(each.values) <= FEW)
    left = [each for each in left if each is not peer]
    name = _first(left, NAME, _is_name) or next(iter(filter(_is_text, left)), None)
    left = [each for each in left if each is not name]
    some = [each for each in seen.fields.values() if each not in (kind, process, peer, name, *ends)]
    return Roles(
        process=process,
        kind=kind,
        name=name,
        peer=peer,
        sender=sender,
        receiver=receiver,
        message_id=_first(some, MESSAGE_ID, _is_id),
        clock=clock,
        number=_first(left, NUMBER, lambda each: each.numbers == each.records),
        session=_first(left, SESSION, lambda each: True),
        time=_first(usual, TIME, lambda each: each is not name),
        text=_first(texts, TEXT, lambda each: any(" " in value for value in each.values)),
    )


BOTH: Final = ("send", "handle")


def kinds_in(field: FieldSeen) -> dict[str, str]:
    """The values that are words for sending or handling, and for which."""
    if not field.complete or len(field.values) > FEW:
        return {}
    return {
        value: "send" if value.casefold() in SENDS else "handle"
        for value in field.values
        if value.casefold() in SENDS or value.casefold() in HANDLES
    }


def telling_apart(seen: FieldsSeen, roles: Roles) -> list[FieldSeen]:
    """Fields that could tell instances apart: several events have each of their values, which are
    many, and no other role is theirs. Those whose values come most often are last."""
    roles_taken = {id(each) for each in vars(roles).values() if each is not roles.session}
    found = [
        each
        for each in seen.fields.values()
        if id(each) not in roles_taken
        and len(each.values) > 1
        and each.records_a_value > MESSAGE_ENDS
        and not each.others
        and not each.clocks
        and each.records >= seen.records / 2
        and not any(" " in value for value in each.values)
    ]
    return sorted(found, key=lambda each: (-len(each.values), each.path))


def _first(
    fields: Sequence[FieldSeen], names: Iterable[str], fits: Callable[[FieldSeen], bool]
) -> FieldSeen | None:
    """The first field that is called so, by the order of names, and fits."""
    for name in names:
        for each in fields:
            if each.name == name and fits(each):
                return each
    return None


def _is_name(field: FieldSeen) -> bool:
    """Names of messages are no sentences, most of them: local events may be some."""
    sentences = sum(times for value, times in field.values.items() if " " in value)
    return not field.others and not field.clocks and 2 * sentences <= sum(field.values.values())


def _is_text(field: FieldSeen) -> bool:
    """Tell whether a field may serve as the name if no field looks like one."""
    return field.complete and not field.numbers and field.name not in (*TIME, *MESSAGE_ID)


def _is_id(field: FieldSeen) -> bool:
    """An id comes twice, or a few times more; a log may lack one end of most messages."""
    return 0 < field.records_a_value <= 4
