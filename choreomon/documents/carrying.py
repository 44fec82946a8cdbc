"""Values that messages carry as documents write them, and the messages of the environment, of which
one entry may stand for many, each with a value of its own."""

from __future__ import annotations

import re
from typing import Annotated, Final, TypeAlias

from choreomon.core.binding import MAX_VALUE, checked_value
from choreomon.core.names import PLAIN_PATTERN, is_plain
from choreomon.files.fields import Milliseconds, Name, PlainName
from choreomon.files.shape_words import shown
from choreomon.files.shapes import Parsed, Part, Refused, field

MOST_REPEATED: Final = 100_000
"""Messages that one entry of `start` may stand for."""

_RANGE_PATTERN: Final = r"[0-9]{1,15}\.\.[0-9]{1,15}"
_RANGE: Final = re.compile(_RANGE_PATTERN)


def _value(value: object) -> str:
    try:
        return checked_value(value, "it")
    except ValueError:
        told = f"should be text of 1 to {MAX_VALUE} bytes or an integer, not {shown(value)}"
        hint = " (put it in quotes)" if isinstance(value, bool | float) else ""
        raise Refused(told + hint) from None


def _constant(value: object) -> str:
    text = _value(value)
    if text.startswith("$"):
        raise Refused(
            f"should be a value, not {shown(text)}: the environment handles no messages of which "
            "it could be one"
        )
    return text


def _given(value: object) -> str:
    text = _value(value)
    if not text.startswith("$"):
        return text
    if not is_plain(text[1:]):
        raise Refused(
            f"should be $ and a name, as in $order, for the value of that name which the handled "
            f"message carries, not {shown(text)}"
        )
    return text


def passed_on(value: str) -> str | None:
    """The name of the value of the handled message that this one of a send stands for; None where
    it is a value itself."""
    return value[1:] if value.startswith("$") else None


def _range(value: object) -> range:
    found = _RANGE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise Refused(f'should be a range of integers, as in "1..1000", not {shown(value)}')
    first, last = map(int, found[0].split(".."))
    if not first <= last:
        raise Refused(f"should be FIRST..LAST with FIRST <= LAST, not {shown(value)}")
    if last - first >= MOST_REPEATED:
        raise Refused(
            f"comes to {last - first + 1} messages; at most {MOST_REPEATED} are supported: write "
            "several entries"
        )
    return range(first, last + 1)


_SCHEMA: Final = {"type": ["string", "integer"], "minLength": 1, "maxLength": MAX_VALUE}
Value: TypeAlias = Annotated[str, Parsed(_constant, _SCHEMA)]
GivenValue: TypeAlias = Annotated[str, Parsed(_given, _SCHEMA)]
Range: TypeAlias = Annotated[
    range,
    Parsed(_range, {"type": "string", "pattern": f"^{_RANGE_PATTERN}$"}),
]


class RepeatDocument(
    Part,
    others=Range,
    schema={
        "minProperties": 2,
        "maxProperties": 2,
        "additionalProperties": {"type": "string", "pattern": f"^{_RANGE_PATTERN}$"},
        "propertyNames": {"pattern": f"^{PLAIN_PATTERN}$"},
    },
):
    """The message once for each value of a range: {order: "1..1000", every: 10}."""

    every: Milliseconds = field(description="milliseconds from one of the messages to the next")

    def check(self) -> None:
        names = [*self._ranges]
        if len(names) != 1:
            given = f"{len(names)} of them" if names else "none"
            raise Refused(
                'should have one name with a range beside every, as in {order: "1..1000", every: '
                f"10}}, not {given}"
            )
        if not is_plain(names[0]):
            raise Refused(f"should have a name beside every, not {shown(names[0])}")

    @property
    def _ranges(self) -> dict[str, range]:
        return {name: value for name, value in vars(self).items() if name != "every"}

    @property
    def name(self) -> str:
        """The parameter of which the messages carry a value."""
        return next(iter(self._ranges))

    @property
    def values(self) -> range:
        """The values of the messages, in the order in which they arrive."""
        return self._ranges[self.name]


class StartDocument(Part):
    """A message from the environment, env."""

    to: Name = field(description="the id of the receiving process")
    message: Name = field(description="the message's name: a handler of the receiver")
    at: Milliseconds = field(
        default=0, description="when it arrives, in milliseconds; the first one, if it is repeated"
    )
    values: dict[PlainName, Value] = field(
        default={}, key="with", description="values that it carries, text or integers, by name"
    )
    repeat: RepeatDocument | None = field(
        default=None,
        description="send it once for each value of a range, with that value: "
        '{order: "1..1000", every: 10}; null: once',
    )

    @property
    def messages(self) -> int:
        """The number of messages that it stands for."""
        return 1 if self.repeat is None else len(self.repeat.values)

    @property
    def names(self) -> frozenset[str]:
        """The parameters of which the message carries values."""
        return frozenset(self.values) | ({self.repeat.name} if self.repeat else frozenset())

    def check(self) -> None:
        if self.repeat is not None and self.repeat.name in self.values:
            raise Refused(
                f"gives {self.repeat.name} with a value and in repeat: keep one of the two"
            )
