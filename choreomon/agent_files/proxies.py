"""What an agent is told of the proxies that ask it: where they do, who is behind which host, and
what their requests are called. The fields of `proxies` in `agent.yaml` have the same names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from urllib.parse import unquote

from choreomon.agent_files.addresses import Address
from choreomon.agent_files.values import NO_VALUES, Given
from choreomon.core.errors import Defect
from choreomon.core.names import is_plain

Failing: TypeAlias = Literal["closed", "open"]


@dataclass(frozen=True, slots=True)
class Route:
    """Requests with a `path`, and if it is not empty a `method`, are messages called `name`.

    `path` is `/orders/{order}/cancel`: words between slashes, of which `{order}` stands for any
    one, which is the value of the parameter `order`. `parameters` are those whose values are in
    headers, by the names of the headers.
    """

    path: str
    name: str
    method: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)

    def values(self, method: str, path: str, headers: Mapping[str, str]) -> Given | None:
        """The values that such a request carries; `None`: it is none of this route. `path` is as it
        was sent; `headers` by their names in small letters."""
        if self.method and self.method != method.upper():
            return None
        wanted, given = words_of(self.path), words_of(path)
        if len(wanted) != len(given):
            return None
        values: dict[str, str | int] = {}
        for one, other in zip(wanted, given, strict=True):
            if parameter := _parameter(one):
                values[parameter] = unquote(other)
            elif one not in (other, unquote(other)):
                return None
        for parameter, header in self.parameters.items():
            if (value := headers.get(header.lower())) is not None:
                values[parameter] = value
        return values or NO_VALUES


@dataclass(frozen=True, slots=True)
class Proxies:
    """`listen`: where they ask. `peers`: the process behind each `HOST` or `HOST:PORT`. `fail`:
    what they do where the agent does not answer, `closed` to refuse a request and `open` to let it
    go."""

    listen: Address
    peers: Mapping[str, str] = field(default_factory=dict)
    routes: tuple[Route, ...] = ()
    fail: Failing = "closed"


def words_of(path: str) -> list[str]:
    """The words between the slashes of a path."""
    return [word for word in path.split("/") if word]


def route_defects(routes: tuple[Route, ...]) -> Iterator[Defect]:
    """Yield where a route is none, or would never be taken. Paths begin at `routes`."""
    seen: dict[tuple[str, ...], int] = {}
    for place, route in enumerate(routes):
        words = words_of(route.path)
        named = [parameter for word in words if (parameter := _parameter(word))]
        for word in words:
            if ("{" in word or "}" in word) and not _parameter(word):
                told = f"has {word}: should be a word without braces, or {{NAME}} as a whole"
                yield Defect(("routes", place, "path"), told)
        for name in {name for name in named if [*named, *route.parameters].count(name) > 1}:
            told = f"gives {name} twice: keep one of the two"
            yield Defect(("routes", place, "path"), told)
        shape = (route.method, *("{}" if _parameter(word) else word for word in words))
        for earlier in (shape, ("", *shape[1:])):
            if earlier in seen:
                told = f"is never taken: all its requests are of the route at {seen[earlier]}"
                yield Defect(("routes", place, "path"), f"{told}; take it out")
                break
        seen.setdefault(shape, place)


def _parameter(word: str) -> str:
    """The name in `{NAME}`; empty where it is a word as any other."""
    inner = word[1:-1]
    return inner if word == f"{{{inner}}}" and is_plain(inner) else ""
