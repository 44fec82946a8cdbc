"""What is published to a destination, and what was taken from one, told to the agent."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from choreomon.agent_files.clocks.text import HEADER, Carried
from choreomon.agent_files.values import NO_VALUES, Given
from choreomon.sdk.carriers import Carrying, Readable
from choreomon.sdk.process import Carries, Process

Receivers: TypeAlias = Mapping[str, str | Sequence[str]]
"""The process that takes what goes to a destination, or each of several."""
Named: TypeAlias = Callable[[str], str]
"""The name of a message, by its destination."""
ValuesOf: TypeAlias = Callable[[Any], Given]
"""The values that a message carries, by what is published, or what was taken."""
Message = TypeVar("Message")

_LOG: Final = logging.getLogger("choreomon")


def same(destination: str) -> str:
    """Name a message by its destination, the default."""
    return destination


def no_values(_: Any) -> Given:
    """The values of a message that carries none."""
    return NO_VALUES


class Taken(NamedTuple):
    """Message that was taken: its headers, its destination, whether it came before."""

    headers: Readable
    destination: str
    again: bool = False


Reading: TypeAlias = Callable[[Message], Taken]


async def sent(
    process: Process,
    receivers: Receivers,
    destination: str,
    *,
    name_of: Named = same,
    values: Given = NO_VALUES,
) -> Carried | None:
    """Tell of a message that is about to be published; what travels with it, `None` for nothing.
    Raises as `Process.sending` does, and then the message must not leave."""
    to = receivers.get(destination)
    if to is None or not process.on:
        return None
    carried = None
    for receiver in (to,) if isinstance(to, str) else to:
        carried = await process.sending(receiver, name_of(destination), **values)
    return carried


async def tell(
    process: Process, taken: Taken, *, name_of: Named = same, values: Given = NO_VALUES
) -> None:
    """Tell of a message that was taken. Raises as `Process.handling` does, whatever its headers
    are."""
    if not process.on:
        return
    note_again(process, taken)
    carried = process.extract(taken.headers)
    if carried is None:
        await process.handling_from_outside(name_of(taken.destination), **values)
    else:
        await process.handling(carried, **values)


def taking(
    process: Process,
    callback: Callable[[Message], Awaitable[Any]],
    read: Reading[Message],
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> Callable[[Message], Awaitable[Any]]:
    """The callback, which is called once its message was told of."""

    async def told(message: Message) -> Any:
        await tell(process, read(message), name_of=name_of, values=values_of(message))
        return await callback(message)

    return told


async def told_of(
    process: Process,
    messages: AsyncIterable[Message],
    read: Reading[Message],
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> AsyncIterator[Message]:
    """Yield the messages, each after its event was reported."""
    async for message in messages:
        await tell(process, read(message), name_of=name_of, values=values_of(message))
        yield message


def without(pairs: Mapping[Any, Any] | None) -> dict[Any, Any]:
    """Headers of a message that is published, without one of ours that it has from elsewhere."""
    return {key: value for key, value in (pairs or {}).items() if str(key).lower() != HEADER}


def note_again(process: Carries, taken: Taken) -> None:
    """Count a message that came before; the first one is logged."""
    if taken.again and isinstance(process, Carrying):
        process.redelivered += 1
        if process.redelivered == 1:
            told = "%s: a message was delivered again, and is handled again; told once"
            _LOG.warning(told, taken.destination)
