"""Processes that write down what is done with them."""

from __future__ import annotations

from typing import Any

from choreomon.agent_files.clocks.text import Carried
from choreomon.agent_files.values import Value
from choreomon.core.errors import AgentUnavailable
from choreomon.sdk.carriers import Carrying


class Recording(Carrying):
    """Every event succeeds, with the clock `AAAA`, unless `away`."""

    on = True
    name = "shop"

    def __init__(self) -> None:
        super().__init__()
        self.events: list[tuple[str, ...]] = []
        self.away = False
        self.closed = False

    def note(self, *event: str, **values: Value) -> None:
        if self.away:
            raise AgentUnavailable("/run/agent.sock", "", "start it")
        self.events.append((*event, *[f"{name}={value}" for name, value in values.items()]))


class AsyncRecording(Recording):
    async def sending(self, to: str, name: str, /, **values: Value) -> Carried:
        self.note("send", to, name, **values)
        return Carried(self.name, name, "AAAA")

    async def handling(self, carried: Carried, /, **values: Value) -> None:
        self.note("handle", *carried, **values)

    async def handling_from_outside(self, name: str, /, **values: Value) -> None:
        self.note("handle", "env", name, **values)

    async def close(self, deadline: float | None = None) -> None:
        self.closed = True


class BlockingRecording(Recording):
    def sending(self, to: str, name: str, /, **values: Value) -> Carried:
        self.note("send", to, name, **values)
        return Carried(self.name, name, "AAAA")

    def handling(self, carried: Carried, /, **values: Value) -> None:
        self.note("handle", *carried, **values)

    def handling_from_outside(self, name: str, /, **values: Value) -> None:
        self.note("handle", "env", name, **values)

    def close(self, deadline: float | None = None) -> None:
        self.closed = True

    def untold(self, name: str, heard: Carried | None = None) -> Carried:
        self.note("untold", name)
        return Carried(self.name, name, "BBBB")


class OnlyOn:
    """Is not monitored, and counts how often it is asked; whatever else is done with it is an
    error."""

    def __init__(self) -> None:
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} of a process that is not monitored")

    @property
    def on(self) -> bool:
        self.asked += 1
        return False
