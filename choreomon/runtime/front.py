"""Whoever asks an agent beside its services, such as proxies (`choreomon.proxies.front`)."""

from __future__ import annotations

from typing import Protocol

from choreomon.agent_files.addresses import Address


class Front(Protocol):
    """Front, which is begun once services can connect, and ended before they cannot any more."""

    @property
    def address(self) -> Address | None:
        """Address at which it listens; `None` until it does."""

    async def begin(self) -> Address:
        """Connect and listen; where. Raises `DocumentError` where that cannot be."""
        ...

    async def end(self) -> None:
        """Stop taking questions, and report what is left."""
