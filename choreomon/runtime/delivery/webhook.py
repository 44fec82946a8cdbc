"""Sinks that call: a URL over HTTP, or a function of Python."""

from __future__ import annotations

import ssl
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from inspect import isawaitable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from choreomon.agent_files.delivered.cloud_events import CONTENT_TYPE as CLOUD_EVENT
from choreomon.agent_files.delivered.cloud_events import cloud_event_line
from choreomon.agent_files.delivered.sinks import WebhookFormat
from choreomon.agent_files.delivered.webhook_credentials import (
    RESERVED_HEADERS,
    load_headers,
    load_secrets,
)
from choreomon.agent_files.delivered.webhook_signature import signature_headers
from choreomon.agent_files.verdict_json import verdict_line
from choreomon.core.errors import DocumentError
from choreomon.core.live import LiveVerdict
from choreomon.runtime.delivery.dead_letters import DeadLetters
from choreomon.runtime.delivery.http_client import RequestFailed, request
from choreomon.runtime.delivery.sinks import SinkFailed, SinkRefused
from choreomon.runtime.delivery.worker_thread import WorkerThread


class Webhook:
    """Webhook: posts each verdict to `url` as one JSON object, until the answer is 2xx, or refuses
    it for good: 4xx, except 408, 425 and 429. A refused verdict goes to the dead letters, and does
    not block the next.

    The header `Idempotency-Key` has the id of the verdict: one that comes again, since its answer
    was lost, can be told by it. `timeout` is in seconds. `tls`: how `https` is checked; by default,
    by what the machine trusts. `format`: what is posted. `headers_file` and `secret_file`
    (`choreomon.agent_files.delivered.webhook_credentials`) are read before each request, so that a
    change there holds from the next one on. `wall`: wall time in seconds, for signatures and dead
    letters.
    """

    at_once = 1

    def __init__(
        self,
        url: str,
        timeout: float = 2.0,
        *,
        tls: ssl.SSLContext | None = None,
        format: WebhookFormat = "verdict",
        headers_file: Path | None = None,
        secret_file: Path | None = None,
        dead_letters: DeadLetters | None = None,
        wall: Callable[[], float] = time.time,
    ) -> None:
        parts = urlsplit(url)
        # The path may be a secret.
        self.name = f"webhook {parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        self._url = url
        self._secure = parts.scheme == "https"
        self._timeout = timeout
        self._tls = tls
        self._format = format
        self._headers_file = headers_file
        self._secret_file = secret_file
        self._dead_letters = dead_letters
        self._wall = wall
        # A file may be on a disk over a network that is gone.
        self._thread = WorkerThread(self.name)

    async def take(self, verdicts: Sequence[LiveVerdict]) -> None:
        """See `Sink.take`."""
        if self._tls is None and self._secure:
            self._tls = ssl.create_default_context()  # which reads many files
        refused: list[str] = []
        told = ""
        for verdict in verdicts:
            status = await self._post(verdict)
            if 200 <= status < 300:
                continue
            told = f"it answers {status}"
            if not refuses_for_good(status):
                raise SinkFailed(told)
            refused.append(verdict.id)
            if self._dead_letters is not None:
                await self._dead_letters.put(verdict, sink=self.name, why=told, at=self._wall())
                told += f"; kept in {self._dead_letters.path}"
        if refused:
            raise SinkRefused(told, refused)

    async def close(self) -> None:
        self._thread.close()
        if self._dead_letters is not None:
            await self._dead_letters.close()

    async def _post(self, verdict: LiveVerdict) -> int:
        """The status of the answer. Raises `SinkFailed` where there is none."""
        headers, secrets = await self._credentials()
        # A full stop would end the id in what is signed; read as part of a URL it is the same.
        key = quote(verdict.id, safe="/").replace(".", "%2E")
        if self._format == "cloudevents":
            content_type, line = CLOUD_EVENT, cloud_event_line(verdict)
        else:
            content_type, line = "application/json", verdict_line(verdict)
        body = f"{line}\n".encode()
        signed = signature_headers(key, int(self._wall()), body, secrets) if secrets else {}
        try:
            response = await request(
                self._url,
                timeout=self._timeout,
                method="POST",
                headers={
                    "Content-Type": content_type,
                    "Idempotency-Key": key,
                    **signed,
                    **headers,
                },
                body=body,
                tls=self._tls,
                whole=False,
            )
        except RequestFailed as error:
            raise SinkFailed(str(error)) from None
        return response.status

    async def _credentials(self) -> tuple[Mapping[str, str], Sequence[bytes]]:
        if self._headers_file is None and self._secret_file is None:
            return {}, ()
        read = partial(load_credentials, self._url, self._headers_file, self._secret_file)
        try:
            return await self._thread.run(read)
        except DocumentError as error:  # in words that show nothing of what the files hold
            raise SinkFailed(str(error)) from None


def refuses_for_good(status: int) -> bool:
    """Tell whether an answer says that this very request will never be taken. 408 (timeout), 425
    (too early) and 429 (too many) speak of now; 5xx of the receiver."""
    return 400 <= status < 500 and status not in (408, 425, 429)


def load_credentials(
    url: str, headers_file: Path | None, secret_file: Path | None
) -> tuple[Mapping[str, str], tuple[bytes, ...]]:
    """Load headers and secrets from the files; empty without files. A name and password in the
    `url` are an `Authorization`, and allow no other one. Raises `DocumentError`."""
    headers: Mapping[str, str] = {}
    if headers_file is not None:
        told_by_url = {"authorization"} if urlsplit(url).username is not None else set()
        headers = load_headers(headers_file, reserved=RESERVED_HEADERS | told_by_url)
    return headers, () if secret_file is None else load_secrets(secret_file)


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
        """Do nothing: there is nothing to close."""
