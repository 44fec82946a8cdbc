"""Roles that do little. They are imported by the processes that play them."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

from choreomon.deployment.instructions import Begin, Begun, Control
from choreomon.deployment.precise_loop import precise_loop


@dataclass(frozen=True)
class Echoes:
    """Says its number at every `Begin`, until anything else is told."""

    number: float

    def new_loop(self) -> asyncio.AbstractEventLoop:
        return precise_loop()

    async def play(self, control: Control) -> None:
        while isinstance(await control.instruction(), Begin):
            control.tell(Begun(self.number))


@dataclass(frozen=True)
class Fails(Echoes):
    """Raises an error with this message."""

    number: str  # type: ignore[assignment]

    async def play(self, control: Control) -> None:
        await control.instruction()
        raise ValueError(self.number)


@dataclass(frozen=True)
class FailsInACallback(Fails):
    """Raises it where nobody awaits it."""

    async def play(self, control: Control) -> None:
        def fail() -> None:
            raise ValueError(self.number)

        asyncio.get_running_loop().call_soon(fail)
        while True:
            await control.instruction()


@dataclass(frozen=True)
class EndsBadly(Echoes):
    """Ends at once, with its number as exit code."""

    async def play(self, control: Control) -> None:
        await control.instruction()
        os._exit(int(self.number))
