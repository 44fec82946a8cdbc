"""Credentials for the receiver of a webhook: headers, and secrets for signatures, each in a file of
their own, so that they stand in no configuration and can be changed while an agent runs.

Headers are a line each, as `curl --header @FILE` reads them; secrets are a line each, in the form
of Standard Webhooks (https://www.standardwebhooks.com): base64 of 24 to 64 bytes after `whsec_`.
In both, a line that starts with `#` is a comment.

    Authorization: Bearer 1f0c...                 whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw

Errors are `DocumentError`s with file and line, and never show what a line holds after the name of
a header: it is a secret.
"""

from __future__ import annotations

import binascii
import os
import re
import stat
from base64 import b64decode
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeVar

from choreomon.core.errors import DocumentError, Problem
from choreomon.files.input_files import opened

MAX_BYTES: Final = 65_536
"""Most bytes of a file."""
SECRET_PREFIX: Final = "whsec_"
MIN_SECRET: Final = 24
MAX_SECRET: Final = 64
"""Bytes of a secret, as Standard Webhooks has it."""
MOST_SECRETS: Final = 4
"""Secrets in a file: the new one and the old one, and some to spare."""

RESERVED_HEADERS: Final = frozenset(
    (
        *("connection", "content-encoding", "content-length", "content-type", "expect", "host"),
        *("idempotency-key", "te", "trailer", "transfer-encoding", "upgrade", "user-agent"),
        *("webhook-id", "webhook-signature", "webhook-timestamp"),
    )
)
"""Headers, in lower case, that HTTP or the agent itself sets."""

_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_MAKE: Final = '`(umask 077; echo "whsec_$(openssl rand -base64 32)" > FILE)` makes one'
_OTHERS: Final = stat.S_IRWXO | stat.S_IWGRP
_Read = TypeVar("_Read")
_Wrong = Callable[[int, str, str], None]


def load_headers(path: Path, *, reserved: Collection[str] = RESERVED_HEADERS) -> Mapping[str, str]:
    """The headers in a file, by name as written there; `reserved` names, in lower case, are
    refused. Raises `DocumentError`, also where others than the owner and its group may read the
    file."""

    def read(lines: Iterator[tuple[int, str]], wrong: _Wrong) -> dict[str, str]:
        headers: dict[str, str] = {}
        known: set[str] = set()
        for number, line in lines:
            name, colon, value = line.partition(":")
            value = value.strip()
            if not colon or not _HEADER_NAME.fullmatch(name):
                wrong(number, "", "not understood: a header is `Name: value`, one a line")
            elif name.lower() in reserved:
                wrong(number, name, "is told by the agent itself, or in the URL: take it out")
            elif name.lower() in known:
                wrong(number, name, "is there twice: keep one of the two")
            elif not value or not (value.isascii() and value.isprintable()):
                wrong(number, name, "should be letters, digits and signs of ASCII")
            known.add(name.lower())
            headers[name] = value
        return headers

    return _load(path, read)


def load_secrets(path: Path) -> tuple[bytes, ...]:
    """The secrets in a file, one or more, in its order. Raises `DocumentError`, also where others
    than the owner and its group may read the file."""

    def read(lines: Iterator[tuple[int, str]], wrong: _Wrong) -> tuple[bytes, ...]:
        secrets: list[bytes] = []
        for number, line in lines:
            secret = _secret(line)
            if secret is None:
                told = f"is no secret: {SECRET_PREFIX} and base64 of {MIN_SECRET} to {MAX_SECRET}"
                wrong(number, "", f"{told} bytes: {_MAKE}")
            elif secret in secrets:
                wrong(number, "", "the same secret is there twice: keep one of the two")
            else:
                secrets.append(secret)
        if len(secrets) > MOST_SECRETS:
            wrong(0, "", f"holds {len(secrets)} secrets; at most {MOST_SECRETS}: take old ones out")
        return tuple(secrets)

    return _load(path, read, empty=f"holds no secret: {_MAKE}")


def _secret(line: str) -> bytes | None:
    if not line.startswith(SECRET_PREFIX):
        return None
    try:
        secret = b64decode(line.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        return None
    return secret if MIN_SECRET <= len(secret) <= MAX_SECRET else None


def _load(
    path: Path, read: Callable[[Iterator[tuple[int, str]], _Wrong], _Read], empty: str = ""
) -> _Read:
    problems: list[Problem] = []

    def wrong(line: int, field: str, message: str) -> None:
        problems.append(Problem(str(path), line, field, message))

    found = read(_lines(path), wrong)
    if not found and not problems:
        wrong(0, "", empty or "holds no header: write `Name: value`, one a line")
    if problems:
        raise DocumentError(tuple(problems))
    return found


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines that are neither empty nor a comment, with their numbers. Raises `DocumentError`."""
    with opened(path) as stream:
        mode = os.fstat(stream.fileno()).st_mode
        content = stream.read(MAX_BYTES + 1)
    told = ""
    if os.name == "posix" and mode & _OTHERS:
        told = (
            f"has mode {stat.S_IMODE(mode):04o}, so that others than its owner may read or change "
            f"this secret: `chmod 600 {path}`"
        )
    elif len(content) > MAX_BYTES:
        told = f"is larger than {MAX_BYTES} bytes: is it the right file?"
    if told:
        raise DocumentError((Problem(str(path), 0, "", told),))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DocumentError((Problem(str(path), 0, "", "is not UTF-8"),)) from None
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip()
