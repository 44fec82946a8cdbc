"""What a set of rules decides, so that a monitor by it is one readable thing.

precise           choreomon.monitor.precise: keeps all three guarantees
sound, paper      choreomon.monitor.record_by_record: G1 and G2, and the paper to the letter

A monitor takes an event, asks, waits, remembers and declares in the same way whatever the rules
(`choreomon.monitor.pull`). The rules say which transitions are inspected together, what is
answered, what is found when all answers are there, whether to ask again, and what is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

from choreomon.core.verdict import FRM, FRM_P, Judgement
from choreomon.monitor.history import Chain, Record
from choreomon.monitor.messages import Inquiry, Named
from choreomon.properties.tables import RulesName

if TYPE_CHECKING:
    from choreomon.monitor.setup import MonitorSetup
    from choreomon.monitor.state import Inspection, MonitorState

Keep: TypeAlias = Callable[[Chain, int, int], Chain]
"""What to keep of a chain of the process with this index, given that all future inquiries know
the events of that process up to this count."""


class Told(NamedTuple):
    """An answer: own records, and those of others on which they rest."""

    records: tuple[Record, ...]
    evidence: tuple[Record, ...] = ()


class Findings(NamedTuple):
    """Findings of an inspection: a judgement for each transition; `surely`: the rules of which one
    of the final ones fired, though it may not be certain which; `named`, what is to be asked about
    before it is over; `evidence`, what is not certain rests on; `alone`: that is too much, and not
    kept. `unsettled`: some final transition possibly fired, and more answers might have told."""

    judgements: tuple[Judgement, ...]
    surely: frozenset[int] = frozenset()
    named: tuple[Named, ...] = ()
    evidence: tuple[Record, ...] = ()
    alone: bool = False
    unsettled: bool = False


class Rules(Protocol):
    """Interface of a set of rules. Implementations are stateless. `together`: whether all
    transitions that an event labels are inspected together."""

    name: RulesName

    @property
    def together(self) -> bool: ...

    @property
    def keep(self) -> Keep | None:
        """Return what of a chain to keep; `None` where everything is kept, also what nobody will
        ask for. A method of this signature will do."""

    def most_told(self, most_open: int) -> int | None:
        """Records of one transition that an answer has at most, where so many inspections may be
        open and no events wait to be judged; `None`: any number."""

    def answer(self, monitor: MonitorSetup, state: MonitorState, inquiry: Inquiry) -> Told:
        """The answer to an inquiry which need not wait. References that are not this monitor's
        never fired here."""

    def findings(
        self, monitor: MonitorSetup, state: MonitorState, inspection: Inspection
    ) -> Findings:
        """Return the findings of all answers; or, while some are missing, those so far: transitions
        of silent monitors count as uncertain, and `Frm` is given only if no answer could change
        it."""


NOTHING: Final = Judgement(None)
POSSIBLY: Final = Judgement(FRM_P)
STARTS: Final = Judgement(FRM)
