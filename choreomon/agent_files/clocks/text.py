"""The clocks that travel with a message, as text: in a header, a property, or a member of
W3C baggage.

    header         choreomon: 1/SENDER/NAME/CLOCK
    SENDER, NAME   as words (`choreomon.core.names.word`): `POST /x` is `POST~20~2Fx`
    CLOCK          base64url without padding, of one block for each system, sorted by its key;
                   nothing at all where no clock is known
    block          the key (4 bytes), the number of entries, the entries; numbers as LEB128

Clocks of many slots, of which most are unused, are *short*: their text begins with `~`, the header
with 2, and between the number of entries and the entries of a block is the number of bytes of a
coded clock, which follows in place of the entries (`choreomon.agent_files.clocks.coding`); or 0.

One message can be watched by several systems, each a property split for its processes; the key
of a system is the first four bytes of its id. There is one text for one set of clocks: what is
accepted is written again as it was.

`decode_*_untrusted` raise `MalformedMessage` and nothing else. A text of up to 340 entries is
never longer than `MAX_CLOCK_TEXT`, whatever the entries; more entries fit while they are small,
and whoever reads a text that has grown too long refuses it.
"""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.errors import MalformedMessage
from choreomon.core.names import MAX_WORD, WORD_PATTERN, of_word, word
from choreomon.core.vector_clock import VectorClock, merge

ClockText: TypeAlias = str
"""The clocks of one message; "" where none is known."""

SystemKey: TypeAlias = bytes
"""The first `KEY_BYTES` of the id of a system."""

Clocks: TypeAlias = dict[SystemKey, VectorClock]

HEADER: Final = "choreomon"
VERSION: Final = "1"
SHORT_VERSION: Final = "2"
"""The version of a header whose clock is short."""
SHORT: Final = "~"
"""The first character of a short text."""

KEY_BYTES: Final = 4
MAX_CLOCK_TEXT: Final = 4096
"""Characters."""
MAX_SYSTEMS: Final = 64
MAX_ENTRIES: Final = 1024
"""Entries of one clock, so processes of one system."""
MAX_ENTRY: Final = (1 << 62) - 1
MAX_DIGITS: Final = 9
"""Digits of `MAX_ENTRY`, 7 bits each."""
MAX_CARRIED_TEXT: Final = len(VERSION) + 3 + 2 * MAX_WORD + MAX_CLOCK_TEXT

REMEMBERED: Final = 4096
"""Numbers whose encodings are kept."""

_STANDARD_TO_URL: Final = bytes.maketrans(b"+/", b"-_")
# What is not of the URL alphabet becomes '!', which the strict decoder refuses.
_URL_TO_STANDARD: Final = bytes.maketrans(b"-_+/=", b"+/!!!")
_LAST_SIGNS: Final = {2: frozenset("AQgw"), 3: frozenset("AEIMQUYcgkosw048")}
"""The last signs whose surplus bits are zero, by the length modulo 4."""

_NUMBER: Final = re.compile(rb"[\x80-\xff]*[\x00-\x7f]")
_CARRIED: Final = re.compile(
    rf"([{VERSION}{SHORT_VERSION}])/({WORD_PATTERN})/({WORD_PATTERN})"
    rf"/({SHORT}?[A-Za-z0-9_-]{{0,{MAX_CLOCK_TEXT}}})"
)


class Carried(NamedTuple):
    """The data that travel with a message: its sender, its name, and the clocks right after its
    sending."""

    sender: str
    name: str
    clock: ClockText = ""


def encode_clocks(clocks: Mapping[SystemKey, VectorClock], *, short: bool = False) -> ClockText:
    """The text of clocks whose keys have `KEY_BYTES` bytes and whose entries are not
    negative. What is longer than the limits is written all the same, and refused by readers."""
    if not clocks:
        return ""
    entries = _short_entries if short else _entries
    data = b"".join(
        [key + _varint(len(clock)) + entries(clock) for key, clock in sorted(clocks.items())]
    )
    text = b2a_base64(data, newline=False).translate(_STANDARD_TO_URL).rstrip(b"=").decode("ascii")
    return SHORT + text if short else text


def is_short(text: ClockText) -> bool:
    """Tell whether a text is one of short clocks."""
    return text.startswith(SHORT)


def _short_entries(clock: VectorClock) -> bytes:
    # Services read and write clocks, too, and few of them short ones, which need msgspec.
    from choreomon.agent_files.clocks.coding import coded
    from choreomon.agent_files.clocks.packed import packed

    code = coded(packed(clock))
    if isinstance(code, bytes):
        return _varint(len(code)) + code
    return _varint(0) + _entries(clock)


def _entries(clock: VectorClock) -> bytes:
    # A clock whose entries are below 128 is its own encoding, which `bytes` makes at once.
    if max(clock, default=0) < 0x80:
        return bytes(clock)
    return b"".join(map(_varint, clock))


# From one message to the next few entries change, so that most numbers are remembered.
@lru_cache(maxsize=REMEMBERED)
def _varint(number: int) -> bytes:
    digits = bytearray()
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    digits.append(number)
    return bytes(digits)


def decode_clocks_untrusted(text: ClockText) -> Clocks:
    """The clocks of a text, by the key of their system; none for "".

    Raises `MalformedMessage`, and nothing else, for anything that `encode_clocks` does not
    write of at most `MAX_SYSTEMS` clocks of 1 to `MAX_ENTRIES` entries up to `MAX_ENTRY`.
    """
    short = is_short(text)
    clocks = _decoded(_base64(text[len(SHORT) :] if short else text), short)
    if short and encode_clocks(clocks, short=True) != text:
        raise MalformedMessage("clocks: not in their short form")
    return clocks


def _decoded(data: bytes, short: bool) -> Clocks:
    clocks: Clocks = {}
    position, end, last = 0, len(data), b""
    while position < end:
        key = data[position : position + KEY_BYTES]
        if len(key) < KEY_BYTES or (clocks and key <= last):
            raise MalformedMessage("clocks: a system's key is cut off, repeated or out of order")
        if len(clocks) == MAX_SYSTEMS:
            raise MalformedMessage(f"clocks: more than {MAX_SYSTEMS} systems")
        count, position = _number(data, position + KEY_BYTES)
        if not 1 <= count <= MAX_ENTRIES:
            raise MalformedMessage(f"clocks: {count} entries; 1 to {MAX_ENTRIES} are accepted")
        if short:
            size, position = _number(data, position)
            if size:
                clocks[key] = _from_code(data[position : position + size], count)
                position, last = position + size, key
                continue
        some = data[position : position + count]
        if len(some) == count and some.isascii():
            clocks[key] = tuple(some)
            position += count
        else:
            numbers = _NUMBER.findall(data, position)[:count]
            if len(numbers) < count:
                raise MalformedMessage("clocks: cut off within a number")
            clocks[key] = tuple(map(_value, numbers))
            position += sum(map(len, numbers))
        last = key
    return clocks


def _from_code(code: bytes, count: int) -> VectorClock:
    from choreomon.agent_files.clocks.coding import clock_of

    clock = clock_of(code, count)
    if min(clock) < 0 or max(clock) > MAX_ENTRY:
        raise MalformedMessage("clocks: a number is no count, or too large")
    return clock


def _base64(text: str) -> bytes:
    size = len(text)
    if size > MAX_CLOCK_TEXT:
        raise MalformedMessage(f"clocks: {size} characters; at most {MAX_CLOCK_TEXT} are accepted")
    surplus = size % 4
    if surplus and text[-1] not in _LAST_SIGNS.get(surplus, ()):
        raise MalformedMessage("clocks: no base64url without padding")
    try:
        signs = text.encode("ascii").translate(_URL_TO_STANDARD)
        return a2b_base64(signs + b"=" * (-size % 4), strict_mode=True)
    except (UnicodeEncodeError, Base64Error):
        raise MalformedMessage("clocks: no base64url without padding") from None


def _number(data: bytes, position: int) -> tuple[int, int]:
    match = _NUMBER.match(data, position)
    if match is None:
        raise MalformedMessage("clocks: cut off within a number")
    return _value(match[0]), match.end()


@lru_cache(maxsize=REMEMBERED)
def _value(digits: bytes) -> int:
    if len(digits) > MAX_DIGITS or (len(digits) > 1 and not digits[-1]):
        raise MalformedMessage("clocks: a number is too large, or written too long")
    number = sum((digit & 0x7F) << 7 * place for place, digit in enumerate(digits))
    if number > MAX_ENTRY:
        raise MalformedMessage("clocks: a number is too large, or written too long")
    return number


def merge_clocks(
    left: Mapping[SystemKey, VectorClock], right: Mapping[SystemKey, VectorClock]
) -> Clocks:
    """Merge clocks: for each system the least clock that knows what either knows.

    Raises `MalformedMessage` where the two speak of different numbers of processes of one
    system: then one of them is no clock of it.
    """
    merged = dict(left)
    for key, clock in right.items():
        known = merged.get(key)
        if known is None:
            merged[key] = clock
        elif len(known) != len(clock):
            raise MalformedMessage(
                f"clocks: {len(known)} and {len(clock)} entries for system {key.hex()}"
            )
        else:
            merged[key] = merge(known, clock)
    return merged


def merge_texts(left: ClockText, right: ClockText) -> ClockText:
    """The text of what either text knows. Both may come from outside: raises
    `MalformedMessage` where one is no text of clocks, or the two do not fit together."""
    clocks = decode_clocks_untrusted(left)
    others = decode_clocks_untrusted(right)
    return encode_clocks(merge_clocks(clocks, others), short=is_short(left or right))


def encode_carried(carried: Carried) -> str:
    """The value of the header `HEADER`. That the names are names is not checked here."""
    version = SHORT_VERSION if is_short(carried.clock) else VERSION
    return f"{version}/{word(carried.sender)}/{word(carried.name)}/{carried.clock}"


def decode_carried_untrusted(text: str) -> Carried:
    """Decode what came with a message.

    Raises `MalformedMessage`, and nothing else, where `text` is not of the form of this
    version. Of the clock only the alphabet and the length are looked at:
    `decode_clocks_untrusted` says whether there are clocks in it.
    """
    if len(text) <= MAX_CARRIED_TEXT:
        match = _CARRIED.fullmatch(text)
        if match is not None and (match[1] == SHORT_VERSION) is is_short(match[4]):
            sender, name = of_word(match[2]), of_word(match[3])
            if sender is not None and name is not None:
                return Carried(sender, name, match[4])
    version, slash, _ = text[:20].partition("/")
    if slash and version not in (VERSION, SHORT_VERSION):
        told = f"this reads {VERSION} and {SHORT_VERSION}"
        raise MalformedMessage(f"carried clock of version {version!r}; {told}")
    raise MalformedMessage("no carried clock: 1/SENDER/NAME/CLOCK is expected")
