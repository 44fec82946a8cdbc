"""Interface of a service to its monitor, however the monitor is reached.

`Process` is for services on asyncio, `BlockingProcess` for threads; the names are the same. A
process that is not monitored is `OFF` or `BLOCKING_OFF`, whose `on` is false: a service that
looks at it pays one attribute look-up and a branch, and one that does not look gets answers that
carry nothing.
"""

from __future__ import annotations

from typing import Final, Protocol

from choreomon.agent_files.clocks.text import Carried
from choreomon.agent_files.values import Value
from choreomon.sdk.carriers import Carrier, Carrying, Readable

NOTHING: Final = Carried("", "", "")
"""Travels with messages of a process that is not monitored; no header is written."""


class Carries(Protocol):
    """A process that is monitored, if `on`; `name` is its name."""

    @property
    def on(self) -> bool: ...

    @property
    def name(self) -> str: ...

    def inject(self, carrier: Carrier, carried: Carried) -> None:
        """Writes `carried` into the headers of a message that is about to leave."""

    def extract(self, carrier: Readable) -> Carried | None:
        """Read what came with a message, `None` where nothing readable did. Raises nothing."""

    def inject_baggage(self, carrier: Carrier, carried: Carried) -> None:
        """Inject as a member of the W3C baggage."""

    def extract_baggage(self, carrier: Readable) -> Carried | None:
        """Extract from the W3C baggage."""


class Process(Carries, Protocol):
    """A process of the monitored system, as its service sees it."""

    async def sending(self, to: str, name: str, /, **values: Value) -> Carried:
        """Call it *before* the message leaves; what it returns travels with the message.

        When it returns, the event has happened and is known to the monitor, unless the policy
        let it leave without (`choreomon.agent_files.local.Policy`).

        Args:
            to: the process that will handle the message.
            name: of the message, as properties name it.
            values: of the parameters that the message carries, where a property is for each
                instance, as `order="A-17"`: strings of 1 to 256 bytes of UTF-8, or integers, which
                stand for their decimal text. Others that no property asks for are ignored.

        Raises:
            AgentUnavailable: no answer within the deadline. The message must not leave.
            ProcessClosed: after `close`.
            ValueError: `name` is none, or a value is missing, or none. Nothing was told
                then, and the message must not leave.
        """
        ...

    async def handling(self, carried: Carried, /, **values: Value) -> None:
        """Call it when a message is taken, before anything is done because of it. `values` are
        those of what was taken. Raises as `sending` does."""

    async def handling_from_outside(self, name: str, /, **values: Value) -> None:
        """Report the handling of a message from nobody that is monitored (`env`)."""

    async def close(self, deadline: float | None = 5.0) -> None:
        """Tells what is left to tell, for at most `deadline` seconds, and ends. Raises
        nothing; what could not be told is for the monitor as if the service had died."""


class BlockingProcess(Carries, Protocol):
    """Process for threads: as `Process`, but each call blocks, and may come from any thread."""

    def sending(self, to: str, name: str, /, **values: Value) -> Carried:
        """See `Process.sending`."""
        ...

    def handling(self, carried: Carried, /, **values: Value) -> None:
        """See `Process.handling`."""

    def handling_from_outside(self, name: str, /, **values: Value) -> None:
        """See `Process.handling_from_outside`."""

    def untold(self, name: str, heard: Carried | None = None) -> Carried:
        """Report that an event happened of which not enough is known to tell it, as where a value
        is missing: `sending` or `handling` would raise `ValueError`. The monitor knows then that it
        may have been anything. Of a message that leaves, which has this `name`, what travels with
        it; `heard` is what came with one that was taken. Raises as `sending` does, but no
        `ValueError`."""
        ...

    def close(self, deadline: float | None = 5.0) -> None:
        """See `Process.close`."""


class _Silent(Carrying):
    """A process that is not monitored, and reads and writes nothing."""

    on: Final = False
    name: Final = ""

    def inject(self, carrier: Carrier, carried: Carried) -> None:
        pass

    def extract(self, carrier: Readable) -> Carried | None:
        return None

    def inject_baggage(self, carrier: Carrier, carried: Carried) -> None:
        pass

    def extract_baggage(self, carrier: Readable) -> Carried | None:
        return None


class _Off(_Silent):
    async def sending(self, to: str, name: str, /, **values: Value) -> Carried:
        return NOTHING

    async def handling(self, carried: Carried, /, **values: Value) -> None:
        pass

    async def handling_from_outside(self, name: str, /, **values: Value) -> None:
        pass

    async def close(self, deadline: float | None = None) -> None:
        pass


class _BlockingOff(_Silent):
    def sending(self, to: str, name: str, /, **values: Value) -> Carried:
        return NOTHING

    def handling(self, carried: Carried, /, **values: Value) -> None:
        pass

    def handling_from_outside(self, name: str, /, **values: Value) -> None:
        pass

    def untold(self, name: str, heard: Carried | None = None) -> Carried:
        return NOTHING

    def close(self, deadline: float | None = None) -> None:
        pass


OFF: Final[Process] = _Off()
BLOCKING_OFF: Final[BlockingProcess] = _BlockingOff()
