"""A mapping at work: records of a log -> events.

A record is what a reader found, as plain values: the fields of a line of JSON, the groups of an
expression, a span. `choreomon.logs.mappings.mapping_document` makes mappings from documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as MappingType
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, TypeAlias, cast

from choreomon.core.recorded import NO_FIELDS, Diagnostic, Place, RecordedEvent, RecordedKind
from choreomon.logs.mappings.expressions import Expression, plain
from choreomon.logs.mappings.field_path import Getter
from choreomon.logs.mappings.user_patterns import Hopeless, UserPattern, refused
from choreomon.logs.readers.clocks import ClockError, MendedClock, clock_in

Recorded: TypeAlias = RecordedEvent | Diagnostic

KINDS: Final = ("send", "handle", "local", "ignored")
"""Kinds of records; nothing is made of one that is ignored."""

_IGNORED: Final = "ignored"


@dataclass(frozen=True, slots=True)
class Values:
    """Expressions for the values of an event. None: there is no value. `shown` are, for people, the
    sources of the values that an event must have; `fields` are kept beside them;
    `parameters` give the values of those of a property."""

    process: Expression | None = None
    kind: Expression | None = None
    name: Expression | None = None
    peer: Expression | None = None
    message_id: Expression | None = None
    clock: Getter | None = None
    number: Expression | None = None
    session: Expression | None = None
    time: Expression | None = None
    fields: tuple[tuple[str, Expression], ...] = ()
    parameters: tuple[tuple[str, Expression], ...] = ()
    shown: MappingType[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: the event of records that have all that is asked for.

    - `where`: for fields the texts that they may have;
    - `present`, `absent`: what must be there, and what must not;
    - `match`: expressions that must match; the record has their groups as `match.NAME`;
    - `each`: a list: an event for each of its items, which the record has as `each`, and of which
      the rest of the rule may ask, too.
    """

    values: Values
    where: tuple[tuple[Expression, frozenset[str]], ...] = ()
    present: tuple[Getter, ...] = ()
    absent: tuple[Getter, ...] = ()
    match: tuple[tuple[Expression, UserPattern], ...] = ()
    each: Getter | None = None

    def fitting(self, record: dict[str, Any]) -> list[dict[str, Any]]:
        """The record, or one for each item of the list; nothing where the rule does not fit.
        Raises `Hopeless`."""
        if self.each is None:
            return [] if (found := self._fitting(record)) is None else [found]
        items = self.each(record)
        if not isinstance(items, list):
            return []
        each = [self._fitting({**record, "each": item}) for item in items]
        return [found for found in each if found is not None]

    def _fitting(self, record: dict[str, Any]) -> dict[str, Any] | None:
        for expression, allowed in self.where:
            text = expression(record)
            if text is None or text not in allowed:
                return None
        if any(_is_there(get(record)) for get in self.absent):
            return None
        if not all(_is_there(get(record)) for get in self.present):
            return None
        if not self.match:
            return record
        groups: dict[str, str] = {}
        for expression, pattern in self.match:
            text = expression(record)
            found = None if text is None else pattern.found(text)
            if found is None:
                return None
            groups.update(found)
        return {**record, "match": groups}


def _is_there(value: Any) -> bool:
    return value is not None and value != [] and value != {}


class RecordMapping:
    """A mapping: `rules`, of which each that fits makes an event, and `otherwise` for records that
    none fits."""

    def __init__(
        self,
        otherwise: Values,
        rules: tuple[Rule, ...] = (),
        *,
        plain_names: bool = False,
        file: str = "mapping",
    ) -> None:
        self.otherwise = otherwise
        self.rules = rules
        self.plain_names = plain_names
        self.file = file

    def events(self, record: dict[str, Any], place: Place) -> Iterator[Recorded]:
        """Make the events of a record. Raises DocumentError for an expression that was stopped."""
        try:
            fitted = False
            for rule in self.rules:
                for each in rule.fitting(record):
                    fitted = True
                    yield from self._one(rule.values, each, place)
            if not fitted:
                yield from self._one(self.otherwise, record, place)
        except Hopeless as error:
            refuse_hopeless(self.file, place, error)

    def _one(self, values: Values, record: dict[str, Any], place: Place) -> Iterator[Recorded]:
        made = self.event(values, record, place)
        if made is not None:
            yield made

    def event(self, values: Values, record: dict[str, Any], place: Place) -> Recorded | None:
        """The event of one rule; None where the record is to be ignored. Raises `Hopeless`."""
        kind = None if values.kind is None else values.kind(record)
        if kind is None:
            kind = "local"
        elif kind not in KINDS:
            told = f"its kind is {kind!r}: expected {', '.join(KINDS[:-1])} or {KINDS[-1]}"
            return Diagnostic("not-understood", f"{told}; a table can say which it is", place)
        if kind == _IGNORED:
            return None
        process = None if values.process is None else values.process(record)
        if not process:
            return _missing("process", values, place)
        name = None if values.name is None else values.name(record)
        if name is None or (not name and kind != "local"):
            return _missing("name", values, place)
        peer = None if values.peer is None else values.peer(record)
        if self.plain_names:
            process = plain(process)
            if kind != "local":
                name = plain(name)
                peer = peer and plain(peer)
        clock = None
        if values.clock is not None and (given := values.clock(record)) is not None:
            try:
                clock = self._clock(given, values, record, process)
            except ClockError as error:
                return Diagnostic("not-understood", str(error), place)
        number = None if values.number is None else values.number(record)
        if number is not None and not _counts(number):
            told = f"its number is {number[:40]!r}: expected a whole number from 1 on"
            return Diagnostic("not-understood", told, place)
        message_id = None
        if kind != "local" and values.message_id is not None:
            message_id = values.message_id(record)
        fields: MappingType[str, str] = NO_FIELDS
        if values.fields:
            found = ((key, expression(record)) for key, expression in values.fields)
            fields = {key: text for key, text in found if text is not None}
        carried: MappingType[str, str] = NO_FIELDS
        if values.parameters:
            found = ((key, expression(record)) for key, expression in values.parameters)
            carried = {key: text for key, text in found if text}
        return RecordedEvent(
            process,
            cast(RecordedKind, kind),
            name,
            place,
            peer=None if kind == "local" else peer or None,
            message_id=message_id,
            clock=clock,
            number=None if number is None else int(number),
            session="" if values.session is None else values.session(record) or "",
            time="" if values.time is None else values.time(record) or "",
            fields=fields,
            values=carried,
        )

    def _clock(
        self, given: Any, values: Values, record: dict[str, Any], process: str
    ) -> dict[str, int]:
        """Return a clock that a record gives, with the names of processes that events have.
        Raises `ClockError`."""
        clock = clock_in(given, None)
        if self.plain_names:
            clock = {plain(key): count for key, count in clock.items()}
        if clock.get(process, 0) < 1:
            clock = clock_in(self.renamed_clock(values, record, process, clock), process)
        return clock

    def renamed_clock(
        self, values: Values, record: dict[str, Any], process: str, clock: dict[str, int]
    ) -> dict[str, int]:
        """The clock with the names that the mapping gives to processes, where it has those of
        before: some field has an entry of it, and the mapping makes the process of what stands
        there. The same clock where there is no such field."""
        if values.process is None:
            return clock
        for field_, value in record.items():
            if type(value) is str and value in clock:
                names = {key: values.process({**record, field_: key}) or key for key in clock}
                if names[value] == process and len({*names.values()}) == len(names):
                    renamed = {names[key]: count for key, count in clock.items()}
                    return MendedClock(renamed, "its clock has names from before the mapping")
        return clock


def refuse_hopeless(file: str, place: Place, error: Hopeless) -> NoReturn:
    """Raises DocumentError for an expression that was stopped at a place of a log."""
    raise refused(file, 0, "", f"at {place}: {error}") from None


def _counts(text: str) -> bool:
    """Tell whether a text is a whole number from 1 on, which is not too long."""
    return text.isascii() and text.isdigit() and len(text) < 19 and int(text) > 0


def _missing(what: str, values: Values, place: Place) -> Diagnostic:
    looked = values.shown.get(what)
    told = f"it has no {what}: expected it at {looked}" if looked else f"it has no {what}"
    return Diagnostic("not-understood", told, place)
