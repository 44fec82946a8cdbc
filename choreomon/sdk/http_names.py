"""Names of messages that are HTTP requests, where the service gives none."""

from __future__ import annotations

import re
from typing import Final

_MAX: Final = 200
_OTHER: Final = re.compile(r"[^A-Za-z0-9_.-]+")


def request_name(method: str, path: str) -> str:
    """`POST /orders/new` is `POST.orders.new`. A path with the ids of things in it gives a name
    for each thing, which no property mentions; such services give names themselves."""
    words = [_OTHER.sub("_", word) for word in path.split("/") if word]
    name = ".".join([_OTHER.sub("_", method), *words])
    # Clients may call their methods `-` and worse, with which names cannot begin.
    return (f"_{name}" if name[:1] in ("", ".", "-") else name)[:_MAX]
