"""Verdicts of monitors, and their reasons.

A transition is *certainly fired* (`Frm`) or *possibly fired* (`Frm_p`); a verdict speaks of an
event and joins what its monitor found for all final transitions that the event labels: `violated`
when one of them certainly fired, `possibly-violated` when none surely but one possibly did.
`withdrawn` takes back a provisional verdict after later knowledge showed that nothing was formed.
Nothing is declared if nothing was found.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.vector_clock import VectorClock

Result: TypeAlias = Literal["Frm", "Frm_p"]
FRM: Final = "Frm"
FRM_P: Final = "Frm_p"
GAP: Final = "Gap"
"""The status of a record for a stretch in which events may have happened of which nobody was
told."""
FORGOTTEN: Final = "Forgotten"
"""The status of a record for a stretch whose records were forgotten, as its instance was idle for
long."""
Unseen: TypeAlias = Literal["Gap", "Forgotten"]
UNSEEN: Final = frozenset((GAP, FORGOTTEN))

VerdictKind: TypeAlias = Literal["violated", "possibly-violated", "withdrawn"]
VIOLATED: Final = "violated"
POSSIBLY_VIOLATED: Final = "possibly-violated"
WITHDRAWN: Final = "withdrawn"

NEVER: Final = 1 << 60
"""The count at the end of an open gap: no clock has reached it."""

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
    """A record that a judgement rests on.

    `clock` is that of the record's event (of its last event if several were merged, and then
    `since` is the clock of the first). For a gap (`Gap`), and for what was forgotten, `since` is
    the clock before it and `clock` the one at its end; the own entry of `clock` is `NEVER` while it
    is open. `relation` is to the judged event. For a pre record `certain` says that it alone makes
    the transition certainly fired; for a vio record it says that after it the pre record of the
    transition `of_reference` whose event has the clock `of` is certainly gone, cancelled by it or
    before: one event may fire several pre-transitions.
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
    """The result of inspecting one transition at one event; `None`: not fired."""

    result: Result | None
    because: tuple[Reason, ...] = ()


class MonitorVerdict(NamedTuple):
    """A monitor's verdict about one event.

    `transitions` are the final transitions that fired or may have, or for a `withdrawn` verdict all
    that were judged; `because` holds their reasons, each once. `silent` names the other monitors
    whose answers were still missing when the verdict was given, and `waiting_for` those that the
    silent ones said they wait for in turn, or that the monitor waits for about older events of its
    own. `unseen`: the verdict is about the end of a gap, and stands for whatever final events were
    in it. `reasons_left_out`: how many reasons `because` lacks (`choreomon.core.decisive_reasons`).
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
