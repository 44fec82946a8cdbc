"""The window of one unit of the property over an endless log: decided piece by piece, and
forgotten.

A *bottleneck* is a set of items that every other one, read or to come, knows. All orders pass
through it, so the items before it can be decided by themselves, and only the live sets possible
there are kept. Items between bottlenecks are the window.  If the window or a search becomes too
large, the verdict is `undecided`: memory is always bounded, and no verdict is wrong.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Final, NamedTuple

from choreomon.audit.items import Clock, Gap, Item
from choreomon.audit.look_ups import Judged, LookUps
from choreomon.audit.search import Hidden, Orders, Way, Ways, further, search, shortened
from choreomon.audit.units import Unit
from choreomon.core.errors import BudgetExceeded
from choreomon.core.message import Label
from choreomon.core.verdict import FRM, FRM_P, POSSIBLY_VIOLATED, VIOLATED, VerdictKind
from choreomon.properties.partial_order import LiveSet, begun, live_bits

MAX_CUTS: Final = 50_000
MAX_WINDOW: Final = 10_000
KEPT: Final = 200
"""Events of an order that are kept beyond the window, at least."""

PATIENCE: Final = 16
"""Items between attempts to find a bottleneck: each attempt examines what all processes know."""

FEW_CUTS: Final = 256

MOST_UNCLEAR: Final = 10
"""Transitions that may be live or not, above which nothing is known of what is."""

MOST_LIVE_SETS: Final = 4_096

UNKNOWN: Final = Way(None, None, 0, True)
"""The way to a live set of which nobody knows how it came about."""


class Decided(NamedTuple):
    """The decision about one event; there is none if it forms the property in no order."""

    kind: VerdictKind
    item: Item
    orders: Orders
    undecided: bool
    reason: str


class Limits(NamedTuple):
    """`max_cuts`: consistent cuts of one search, and of all searches that ask of several units
    together whether the property was formed in every order by one or the other; `max_window`: items
    of one window; `patience`: items between two attempts to find a bottleneck; `few_cuts`: cuts
    that a window has at most, above which look-ups are tried before a search."""

    max_cuts: int = MAX_CUTS
    max_window: int = MAX_WINDOW
    patience: int = PATIENCE
    few_cuts: int = FEW_CUTS


class Window:
    """The items of one unit that are not decided yet.

    - `labels` are those of each process, `look_ups` those of the unit (`choreomon.audit.units`).
    - `knowledge(process)`: what a process knows now; None: it was never heard of.
    - `on_decided` is called with what is to be said, window by window.

    `ways` are the live sets at the last bottleneck. `formed` and `maybe_formed`: the property was
    formed before it in every order, or perhaps in some; `unsure` is the reason why that is not
    known, if it is not. `unseen` is an order that ends with an unseen event that forms it.
    """

    def __init__(
        self,
        unit: Unit,
        labels: Sequence[Sequence[Label]],
        look_ups: LookUps,
        knowledge: Callable[[int], Clock | None],
        on_decided: Callable[[Decided], None],
        limits: Limits,
    ) -> None:
        self.unit = unit
        self.ways: Ways = {begun(unit.automaton): None}
        self.formed: Way | None = None
        self.maybe_formed = False
        self.unsure = ""
        self.unseen: Way | None = None
        self.revised: Gap | None = None
        self._knowledge = knowledge
        self._on_decided = on_decided
        self._limits = limits
        self._labels = labels
        self._look_ups = look_ups
        self.owners = [index for index, own in enumerate(labels) if own]
        self._chains: list[list[Item]] = [[] for _ in labels]
        self._size = 0
        self._base = [0] * len(labels)
        self._lost: list[int] | None = None
        self._spent = 0
        self._stopped = False
        self._lacking: dict[int, Gap] = {}

    def copied(self, on_decided: Callable[[Decided], None]) -> Window:
        """A window that goes on from here by itself."""
        other = copy(self)
        other._on_decided = on_decided
        other._chains = [[*chain] for chain in self._chains]
        other._base = [*self._base]
        other._lacking = {**self._lacking}
        return other

    def add(self, item: Item) -> None:
        """The next item. All that it knows was added before, as far as it was read in time."""
        if self.unit.whole and (self.formed is not None or self._stopped):
            return
        if self._lost is not None and not self._found_again(self._lost):
            self._skip(self._lost, item)
            return
        if any(item.clock[owner] < self._base[owner] for owner in self.owners):
            self._lose("it was read after events were decided that it does not know")
            assert self._lost is not None
            self._skip(self._lost, item)
            return
        self._chains[item.process].append(item)
        self._size += 1
        if not self._size % self._limits.patience:
            self.settle()
            if self._size > self._limits.max_window:
                self._lose(
                    f"more than {self._limits.max_window} events came before every process had "
                    "heard of the same ones (--max-window)"
                )

    def lacks(self, index: int, gap: Gap) -> bool:
        """Events may be missing anywhere in the log of a process. Whether that comes late: what was
        decided may have to be revised."""
        if index in self._lacking or index not in self.owners:
            return False
        self._lacking[index] = gap
        if not any(self._base) and self._lost is None:
            return False
        self.revised = self.revised or gap
        return True

    def settle(self) -> None:
        """Decides what is before the last bottleneck, if there is one."""
        known = self._heard()
        if known and self._lost is None:
            self._decide([min(clock[index] for clock in known) for index in range(len(self._base))])

    def finish(self) -> None:
        """Decides the rest: nothing comes any more."""
        if self._lost is None:
            self._decide([chain[-1].rank if chain else 0 for chain in self._chains], ends=True)

    def _heard(self) -> list[Clock]:
        """Knowledge of every process from which items may come; empty if one was not heard of,
        unless its log is known to be incomplete."""
        known = []
        for owner in self.owners:
            clock = self._knowledge(owner)
            if clock is not None:
                known.append(clock)
            elif owner not in self._lacking:
                return []
        return known

    def _decide(self, counts: list[int], *, ends: bool = False) -> None:
        """Decides the items up to these numbers, or fewer: up to where all others know them."""
        chains = [self._chains[owner] for owner in self.owners]
        again = True
        while again:
            again = False
            for owner, chain in zip(self.owners, chains, strict=True):
                place = _place(chain, counts[owner])
                if place == len(chain):
                    continue
                clock = chain[place].clock  # of the others outside, later ones know more
                for index in self.owners:
                    if index != owner and clock[index] < counts[index]:
                        counts[index] = clock[index]
                        again = True
        part = []
        for owner, chain in zip(self.owners, chains, strict=True):
            place = _place(chain, counts[owner])
            part.append(chain[:place])
            self._base[owner] = max(self._base[owner], counts[owner])
            del chain[:place]
            self._size -= place
        if any(part) or (ends and self._lacking):
            self._search(part)

    def _search(self, part: Sequence[Sequence[Item]]) -> None:
        unit = self.unit
        judged = self._judged(part)
        if judged is not None and not judged.perhaps and FRM_P not in judged.formed.values():
            self._take_over(part, judged)
            return
        labels = [self._labels[owner] for owner in self.owners]
        always: list[Hidden] = [(gap, self._labels[each]) for each, gap in self._lacking.items()]
        try:
            left = self._limits.max_cuts - self._spent
            found = search(unit.step, part, labels, self.ways, always, max_cuts=left)
        except BudgetExceeded:
            reason = f"more than {self._limits.max_cuts:,} consistent cuts to look at (--budget)"
            if unit.whole:
                self._stop(reason)
            elif judged is None:
                self._give_up(part, reason)
            else:
                self._take_over(part, judged, reason)
            return
        if unit.whole:
            self._spent += found.cuts
        self.unseen = self.unseen or found.unseen
        for item in _in_order(part):
            if item.label in unit.final:
                self._say(item, found.events[item.number])
        self._carry(found.after)

    def _say(self, item: Item, orders: Orders) -> None:
        if orders.formed is None:
            return
        self.maybe_formed = True
        if orders.not_formed is None:
            self.formed = self.formed or orders.formed
            self._on_decided(Decided(VIOLATED, item, orders, False, ""))
        else:
            exact = len(self.ways) == 1 or not self.unsure
            reason = "" if exact else self.unsure
            self._on_decided(Decided(POSSIBLY_VIOLATED, item, orders, not exact, reason))

    def _carry(self, after: dict[LiveSet, Way | None]) -> None:
        bit = self.unit.formed
        if any(live & bit for live in after):
            self.maybe_formed = True
        if after and all(live & bit for live in after):
            self.formed = self.formed or next(iter(after.values()))
        if self.formed is not None:  # nobody asks any more
            rest: dict[LiveSet, Way | None] = {}
            for live, way in after.items():
                rest.setdefault(live & ~bit, way)
            after = rest
        self.ways = {live: shortened(way, KEPT) for live, way in after.items()}

    def _judged(self, part: Sequence[Sequence[Item]]) -> Judged | None:
        """Judge the items by look-ups; None if these do not help: there are gaps, or so few cuts
        that a search is as cheap, or what was live before is unclear."""
        live = {each & ~self.unit.formed for each in self.ways}
        if self.unit.whole or self._lacking or len(live) != 1:
            return None
        cuts = 1
        for chain in part:
            cuts *= len(chain) + 1
            if any(item.label is None for item in chain):
                return None
        if cuts <= self._limits.few_cuts:
            return None
        return self._look_ups.judged(list(_in_order(part)), live.pop())

    def _take_over(self, part: Sequence[Sequence[Item]], judged: Judged, reason: str = "") -> None:
        """Take over what look-ups are sure of, with the order in which the items were read; the
        rest is `undecided`, for this reason."""
        bit = self.unit.formed
        ways = {live & bit: way for live, way in self.ways.items()}
        for item in _in_order(part):
            ways = {formed: further(way, item) for formed, way in ways.items()}
            result = judged.formed.get(item.number)
            if result == FRM:
                way = next(iter(ways.values()))
                ways = {bit: way}
                self._say(item, Orders(way, None))
            elif result == FRM_P:
                ways.setdefault(bit, UNKNOWN)
                self._undecided(iter((item,)), reason)
        bits = live_bits(self.unit.automaton).values()
        unclear = [each for each in bits if each & judged.perhaps]
        if len(unclear) > MOST_UNCLEAR:
            self._lost = [*self._base]
            return
        if unclear:
            self.unsure = self.unsure or reason
            ways = dict.fromkeys(ways, UNKNOWN)
        after: dict[LiveSet, Way | None] = {}
        for chosen in range(1 << len(unclear)):
            some = sum(each for number, each in enumerate(unclear) if chosen >> number & 1)
            after |= {judged.surely | some | formed: way for formed, way in ways.items()}
        self._carry(after)

    def _give_up(self, part: Sequence[Sequence[Item]], reason: str) -> None:
        self._undecided(_in_order(part), reason)
        ways = self._everything()
        if ways is None:
            self._lost = [*self._base]
        else:
            self.ways = ways

    def _undecided(self, items: Iterator[Item], reason: str) -> None:
        self.unsure = self.unsure or reason
        self.maybe_formed = self.maybe_formed or bool(self._lacking)
        for item in items:
            if item.label is None:
                self.maybe_formed = True  # by what the gap hides
            elif item.label in self.unit.final:
                self.maybe_formed = True
                none = Orders(None, None)
                self._on_decided(Decided(POSSIBLY_VIOLATED, item, none, True, reason))

    def _stop(self, reason: str) -> None:
        """Give up the question about all sequences together."""
        self._stopped = True
        self.unsure = self.unsure or reason
        for chain in self._chains:
            chain.clear()
        self._size = 0

    def _lose(self, reason: str) -> None:
        """Order is lost from here on, until every process has heard of all that was read so far."""
        self._undecided(_in_order(self._chains), reason)
        self._lost = [
            max(base, chain[-1].rank if chain else 0)
            for base, chain in zip(self._base, self._chains, strict=True)
        ]
        for chain in self._chains:
            chain.clear()
        self._size = 0

    def _skip(self, lost: list[int], item: Item) -> None:
        lost[item.process] = max(lost[item.process], item.rank)
        self._undecided(iter((item,)), self.unsure)

    def _found_again(self, lost: list[int]) -> bool:
        known = self._heard()
        if not known or any(clock[owner] < lost[owner] for clock in known for owner in self.owners):
            return False
        ways = self._everything()
        if ways is None:
            return False
        self.ways, self._base, self._lost = ways, lost, None
        return True

    def _everything(self) -> Ways | None:
        """The live sets that any events lead to; None where they are too many."""
        step, bit = self.unit.step, self.unit.formed
        first = begun(self.unit.automaton)
        found: dict[LiveSet, Way | None] = {first: UNKNOWN}
        if self.formed is None and self.maybe_formed:
            found[first | bit] = UNKNOWN
        todo = list(found)
        for live in todo:
            for labels in self._labels:
                for label in labels:
                    after, _ = step(label, live)
                    if self.formed is not None:
                        after &= ~bit
                    if after not in found:
                        found[after] = UNKNOWN
                        todo.append(after)
            if len(found) > MOST_LIVE_SETS:
                return None
        return found


def _place(chain: Sequence[Item], count: int) -> int:
    """Count the items of the chain with at most this number."""
    return bisect_right(chain, count, key=lambda item: item.rank)


def _in_order(chains: Sequence[Sequence[Item]]) -> Iterator[Item]:
    """The items in the order in which they were read."""
    return iter(sorted((item for chain in chains for item in chain), key=_number))


def _number(item: Item) -> int:
    return item.number
