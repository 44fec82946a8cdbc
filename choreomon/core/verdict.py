"""What monitors declare, and why.

A transition is *certainly fired* (`Frm`) or *possibly fired* (`Frm_p`); a verdict speaks of
an event and joins what its monitor found for all final transitions that the event
labels: `violated` when one of them certainly fired, `possibly-violated` when none surely
but one possibly did. `withdrawn` takes back a provisional verdict after later knowledge
showed that nothing was formed. Nothing is declared where nothing was found.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.vector_clock import VectorClock

Result: TypeAlias = Literal["Frm", "Frm_p"]
FRM: Final = "Frm"
FRM_P: Final = "Frm_p"
GAP: Final = "Gap"
"""What a record says of a stretch in which events may have happened that nobody was told of."""
FORGOTTEN: Final = "Forgotten"
"""The same of a stretch whose records were forgotten, of an instance that was idle for long."""
Unseen: TypeAlias = Literal["Gap", "Forgotten"]
UNSEEN: Final = frozenset((GAP, FORGOTTEN))

VerdictKind: TypeAlias = Literal["violated", "possibly-violated", "withdrawn"]
VIOLATED: Final = "violated"
POSSIBLY_VIOLATED: Final = "possibly-violated"
WITHDRAWN: Final = "withdrawn"

NEVER: Final = 1 << 60
"""The count at which a gap ends that has not ended yet: no clock has reached it."""

Relation: TypeAlias = Literal["before", "concurrent"]
Role: TypeAlias = Literal["pre", "vio"]


class Reference(NamedTuple):
    """A transition as monitors name it to each other: `(source, @process, target)`.

    Definition 7: the label is left out on purpose, so that no table and no monitoring
    message reveals the messages of another process.
    """

    source: str
    process: str
    target: str

    def __str__(self) -> str:
        return f"({self.source}, @{self.process}, {self.target})"


class Reason(NamedTuple):
    """One record that a judgement rests on.

    `clock` is that of the record's event (of its last event where several were merged,
    and then `since` is the clock of the first). Of a gap (`Gap`), and of what was forgotten,
    `since` is the clock before it and `clock` the one at its end; the own entry of `clock` is
    `NEVER` while it has none. `relation` is to the judged event. For a
    pre record `certain` says that it alone makes the transition certainly fired; for a vio
    record it says that after it the pre record of the transition `of_reference` whose event has
    the clock `of` is certainly gone, cancelled by it or before: one event may fire several
    pre-transitions.
    """

    role: Role
    reference: Reference
    clock: VectorClock
    result: Result | Unseen
    relation: Relation
    certain: bool
    of: VectorClock | None = None
    of_reference: Reference | None = None
    since: VectorClock | None = None


class Judgement(NamedTuple):
    """What the inspection of one transition at one event came to; `None`: not fired."""

    result: Result | None
    because: tuple[Reason, ...] = ()


class MonitorVerdict(NamedTuple):
    """A monitor's verdict about one event.

    `transitions` are the final transitions that fired or may have, of a `withdrawn` verdict
    all that were judged; `because` holds the reasons of these, each once. `silent` names
    the other monitors whose answers were still missing when the verdict was given, and
    `waiting_for` those for whom the silent ones said that they wait in turn, or for whom the
    monitor waits in turn about older events of its own. `unseen`: the
    verdict is about the end of a gap, and stands for whatever final events were in it.
    `reasons_left_out`: how many reasons `because` had beside those that it has
    (`choreomon.core.decisive_reasons`).
    """

    kind: VerdictKind
    process: str
    clock: VectorClock
    transitions: tuple[Reference, ...]
    because: tuple[Reason, ...]
    silent: tuple[str, ...] = ()
    waiting_for: tuple[str, ...] = ()
    unseen: bool = False
    reasons_left_out: int = 0
