"""A small HTTP server for operators: GET and HEAD of a few pages, one request a connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from choreomon.formats.addresses import Address


class Answer(NamedTuple):
    """What is answered."""

    status: int
    content_type: str
    body: bytes


Page: TypeAlias = Callable[[Mapping[str, str]], Answer]
"""What is at a path, given the headers of a request by their names in small letters."""


def operations_pages(
    *,
    metrics: Callable[[str], tuple[bytes, str]],
    not_ready: Callable[[], Sequence[str]],
    status: Callable[[], bytes],
) -> dict[str, Page]:
    """`/metrics`, `/healthz`, `/readyz` and `/status`.

    `metrics(accept)` gives the text and its type (`Figures.exposition`). `not_ready()` gives why
    the agent is not ready, in words; nothing where it is. `status()` gives JSON.
    """
    raise NotImplementedError


class HttpServer:
    """`failed(path, error)` is told of pages that raise; they are answered with 500."""

    def __init__(
        self,
        pages: Mapping[str, Page],
        *,
        failed: Callable[[str, Exception], None],
        timeout: float = 5.0,
        most: int = 64,
    ) -> None:
        raise NotImplementedError

    async def start(self, address: Address) -> Address:
        """Listen; where, with the port that was found where any would do. Raises `DocumentError`
        where that cannot be."""
        raise NotImplementedError

    async def close(self) -> None:
        """Listen no more, and end what is under way."""
        raise NotImplementedError
