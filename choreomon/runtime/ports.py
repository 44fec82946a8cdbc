"""The ports of a driver: what keeps its journal, and what it lets things out through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from choreomon.runtime.instances.rows import InstanceRow
from choreomon.runtime.outputs import DeclaredVerdict, Observed, Reply

AnswerKind: TypeAlias = Literal["response", "waiting", "traces"]
"""An answer, that there is none yet, or traces of the events in an answer that follows."""


class CommitFailed(Exception):
    """The disk did not take a row; nothing of it is there. The message says why."""


class Store(Protocol):
    """The store of a journal."""

    def load(self) -> tuple[bytes | None, list[bytes]]:
        """The last snapshot, and the rows that were committed after it."""

    def commit(self, row: bytes) -> None:
        """Keep a row. Raises `CommitFailed`."""

    def snapshot(self, state: bytes, instances: Sequence[InstanceRow] = ()) -> None:
        """Keep a state in place of all rows, and put these instances, at once. Raises
        `CommitFailed`."""

    def exchange(
        self, state: bytes, systems: tuple[bytes, ...], instances: Sequence[InstanceRow] = ()
    ) -> None:
        """Keep a state of these systems in place of all rows, and of instances only theirs; it
        outlasts the loss of power. Raises `CommitFailed`."""

    def instance(self, system: bytes, key: bytes) -> bytes | None:
        """The state of an instance as it was put last. Raises `DocumentError` where the file is
        damaged."""

    def instances(self, system: bytes, after: bytes, most: int) -> Sequence[tuple[bytes, bytes]]:
        """Read the next instances in order of their keys, after this one and at most this many.
        Raises `DocumentError` if the file is damaged."""


class Ports(Protocol):
    """Ports through which a driver lets things out."""

    def reply(self, output: Reply) -> None:
        """Reply to the service at a connection, if it is still there."""

    def close(self, connection: int) -> None:
        """Close the connection of a service after the last message to it."""

    def ask(self, peer: str, frame: bytes) -> None:
        """Ask another agent; the frame may be lost."""

    def answer(self, peer: str, frame: bytes, *, kind: AnswerKind) -> None:
        """Say something of this kind to another agent that asked; the frame may be lost."""

    def tell(self, declared: DeclaredVerdict) -> None:
        """Give a verdict to all sinks, which call `Driver.delivered` once they have it."""

    def happened(self, output: Observed) -> None:
        """Report an observation to logs, traces and metrics."""

    def failing(self, why: str | None) -> None:
        """The disk takes nothing, and nothing should be read until it does; `None`: it does
        again."""
