"""Questions about every session of logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import BinaryIO, Final, Protocol

from choreomon.audit.numbers import Counted
from choreomon.audit.window import Limits
from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.core.replica_names import NO_NAMES, ReplicaNames
from choreomon.core.roles import NO_ROLES, Roles
from choreomon.logs.formats import LogFormat
from choreomon.properties.automaton import SequenceAutomaton

MAX_EVENTS: Final = 1_000_000
"""Events of one session; of one with more nothing is said."""


class Reader(Protocol):
    """Reads logs; a value that other processes can be sent."""

    def by_lines(self, path: str) -> LogFormat | None:
        """The format of a log in a file of which every line stands for itself, so that pieces of it
        can be read alone; None for any other one."""

    def read(
        self, path: str, stream: BinaryIO | None = None, log_format: LogFormat | None = None
    ) -> Iterator[RecordedEvent | Diagnostic]:
        """The events of a log, or of a stream that is called so. Raises DocumentError."""


@dataclass(frozen=True)
class AuditQuestion:
    """A question about each session: one property, and how much may be spent on a session
    (`choreomon.audit.auditor`).

    - `counted`: how numbers and clocks count; None: as they look (`choreomon.audit.numbers`);
    - `most`: events of a session;
    - `strict`: a session whose events are out of order is not judged;
    - `names`: of a property over roles, how logs call their replicas;
    - `roles`: those that logs have, as far as they are known.
    """

    automaton: SequenceAutomaton
    incomplete: tuple[str, ...] = ()
    limits: Limits = Limits()  # noqa: RUF009  # a frozen value
    counted: Counted | None = None
    most: int = MAX_EVENTS
    strict: bool = False
    names: ReplicaNames = NO_NAMES
    roles: Roles = NO_ROLES

    def known(self, processes: Iterable[str] = (), peers: Iterable[str] = ()) -> AuditQuestion:
        """The question with the replicas that logs have, where these processes have events, and
        messages these other ends."""
        ends = chain(peers, self.incomplete)
        return replace(self, roles=self.names.recorded(processes, ends))
