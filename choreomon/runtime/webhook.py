"""Sinks that call: a URL over HTTP, or a function of Python."""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable
from typing import Any
from urllib.parse import quote, urlsplit

from choreomon.core.live import LiveVerdict
from choreomon.formats.verdict_json import verdict_line
from choreomon.runtime.http_client import RequestFailed, request
from choreomon.runtime.sinks import SinkFailed


class Webhook:
    """Each verdict is posted to `url` as one JSON object, until the answer is 2xx.

    The header `Idempotency-Key` has the id of the verdict: one that comes again, since its answer
    was lost, can be told by it. `timeout` is in seconds. `tls`: how `https` is checked; by default,
    by what the machine trusts.
    """

    at_once = 1

    def __init__(
        self, url: str, timeout: float = 2.0, *, tls: ssl.SSLContext | None = None
    ) -> None:
        parts = urlsplit(url)
        # The path may be a secret.
        self.name = f"webhook {parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        self._url = url
        self._secure = parts.scheme == "https"
        self._timeout = timeout
        self._tls = tls

    async def take(self, verdicts: Sequence[LiveVerdict]) -> None:
        if self._tls is None and self._secure:
            self._tls = ssl.create_default_context()  # which reads many files
        for verdict in verdicts:
            key = quote(verdict.id, safe="/")
            try:
                response = await request(
                    self._url,
                    timeout=self._timeout,
                    method="POST",
                    headers={"Content-Type": "application/json", "Idempotency-Key": key},
                    body=f"{verdict_line(verdict)}\n".encode(),
                    tls=self._tls,
                    whole=False,
                )
            except RequestFailed as error:
                raise SinkFailed(str(error)) from None
            if not 200 <= response.status < 300:
                raise SinkFailed(f"it answers {response.status}")

    async def close(self) -> None:
        """There is nothing to close."""


class Callback:
    """A function that is given each verdict. A sync one runs on the loop, which stands still
    meanwhile; an async one is waited for before the next verdict. One that raises gets the verdict
    again."""

    at_once = 1

    def __init__(
        self, function: Callable[[LiveVerdict], Awaitable[Any] | None], name: str = "callback"
    ) -> None:
        self.name = name
        self._function = function

    async def take(self, verdicts: Sequence[LiveVerdict]) -> None:
        for verdict in verdicts:
            try:
                result = self._function(verdict)
                if isawaitable(result):
                    await result
            except Exception as error:
                raise SinkFailed(f"{type(error).__name__}: {error}") from error

    async def close(self) -> None:
        """There is nothing to close."""
