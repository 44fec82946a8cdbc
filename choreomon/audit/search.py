"""The exact search: all orders that agree with happened-before, and all that gaps may hide.

As `choreomon.properties.partial_order` walks the consistent cuts of a run with the sets of live
transitions that are possible at each, with three things more. A cut may stand in gaps: then every
label of their processes may have happened any number of times, so the live sets are closed under
these. Whether the property was formed on the way is one more bit. And every live set remembers one
way to it, so that there is an order to show for every answer.

A gap opens as early as it can: that takes no order away, since nothing has to happen in it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from choreomon.audit.items import Gap, Item
from choreomon.core.errors import BudgetExceeded
from choreomon.core.message import Label
from choreomon.properties.partial_order import LiveSet

LIVE_SETS_A_CUT: Final = 64
"""Live sets at a cut that the budget allows on average."""


class Unseen(NamedTuple):
    """An event that may have happened in a gap."""

    gap: Gap
    label: Label


class Way(NamedTuple):
    """An order, last event first: what happened last, and the way there. `length` counts the
    events; `cut_off`: there were more before these, and if `what` is None no more is known."""

    before: Way | None
    what: Item | Unseen | None
    length: int
    cut_off: bool


Ways: TypeAlias = Mapping[LiveSet, Way | None]
"""The live sets that are possible at a place, each with one order that leads to it."""

LiveStep: TypeAlias = Callable[[Label, LiveSet], tuple[LiveSet, bool]]
"""Steps from live transitions to those after an event, and tells whether it forms the property."""

Cut: TypeAlias = tuple[int, ...]
"""The number of items of each chain that have happened."""

Hidden: TypeAlias = tuple[Gap, Sequence[Label]]
"""A gap and the labels of its process."""


class Orders(NamedTuple):
    """Two orders that end with one event: one in which it forms the property, and one in which it
    does not; None where there is none."""

    formed: Way | None
    not_formed: Way | None


class Found(NamedTuple):
    """The result over all orders. `events` by the numbers of the items; `unseen` is an order that
    ends with an unseen event that forms the property, if there is one."""

    events: dict[int, Orders]
    after: dict[LiveSet, Way | None]
    unseen: Way | None
    cuts: int


def search(
    step: LiveStep,
    chains: Sequence[Sequence[Item]],
    labels: Sequence[Sequence[Label]],
    start: Ways,
    always: Sequence[Hidden] = (),
    *,
    max_cuts: int,
) -> Found:
    """Search all orders of the items in `chains`, one chain a process, each of which begins in one
    of the live sets of `start`.

    `labels` are those of the process of each chain; `always` are gaps that are open all the time.
    Raises `BudgetExceeded` above `max_cuts` cuts, or `LIVE_SETS_A_CUT` times as many live sets.
    """
    cuts = _Cuts(step, chains, labels, always)
    layer: dict[Cut, dict[LiveSet, Way | None]] = {cuts.opened((0,) * len(chains)): dict(start)}
    after: dict[LiveSet, Way | None] = {}
    visited = sets = 0
    while layer:
        visited += len(layer)
        if visited > max_cuts:
            raise BudgetExceeded(f"more than {max_cuts} consistent cuts")
        following: dict[Cut, dict[LiveSet, Way | None]] = {}
        for cut, ways in layer.items():
            cuts.close(cut, ways)
            sets += len(ways)
            if cuts.extend(cut, ways, following):
                after = ways
        if sets > max_cuts * LIVE_SETS_A_CUT:
            raise BudgetExceeded(f"more than {max_cuts * LIVE_SETS_A_CUT} sets of live transitions")
        layer = following
    orders = {number: Orders(*each) for number, each in cuts.found.items()}
    return Found(orders, after, cuts.unseen, visited)


class _Cuts:
    """Goes from cut to cut, and notes in `found` and `unseen` which orders form the property."""

    def __init__(
        self,
        step: LiveStep,
        chains: Sequence[Sequence[Item]],
        labels: Sequence[Sequence[Label]],
        always: Sequence[Hidden],
    ) -> None:
        self._step = step
        self._chains = chains
        self._labels = labels
        self._always = always
        self._needed = _needed(chains)
        self.found: dict[int, list[Way | None]] = {
            item.number: [None, None]
            for chain in chains
            for item in chain
            if item.label is not None
        }
        self.unseen: Way | None = None

    def opened(self, cut: Cut) -> Cut:
        """The cut with all enabled items that open a gap."""
        again = True
        while again:
            again = False
            for index, done in enumerate(cut):
                chain = self._chains[index]
                if (
                    done < len(chain)
                    and chain[done].opens
                    and _enabled(cut, self._needed[index][done])
                ):
                    cut = (*cut[:index], done + 1, *cut[index + 1 :])
                    again = True
        return cut

    def close(self, cut: Cut, ways: dict[LiveSet, Way | None]) -> None:
        """Adds the live sets that unseen events of the open gaps lead to."""
        hidden = [*self._always]
        for index, done in enumerate(cut):
            if done and (last := self._chains[index][done - 1]).opens and last.gap:
                hidden.append((last.gap, self._labels[index]))
        if not hidden:
            return
        todo = list(ways)
        for live in todo:
            for gap, names in hidden:
                for label in names:
                    after, formed = self._step(label, live)
                    if after in ways and not (formed and self.unseen is None):
                        continue
                    way = further(ways[live], Unseen(gap, label))
                    if formed and self.unseen is None:
                        self.unseen = way
                    if after not in ways:
                        ways[after] = way
                        todo.append(after)

    def extend(
        self,
        cut: Cut,
        ways: dict[LiveSet, Way | None],
        following: dict[Cut, dict[LiveSet, Way | None]],
    ) -> bool:
        """Adds the cuts with one enabled item more. Returns whether the cut has all items."""
        last = True
        for index, done in enumerate(cut):
            chain = self._chains[index]
            if done == len(chain):
                continue
            last = False
            if _enabled(cut, self._needed[index][done]):
                larger = self.opened((*cut[:index], done + 1, *cut[index + 1 :]))
                reached = following.setdefault(larger, {})
                _take(self._step, chain[done], ways, reached, self.found)
        return last


def _take(
    step: LiveStep,
    item: Item,
    ways: dict[LiveSet, Way | None],
    reached: dict[LiveSet, Way | None],
    found: dict[int, list[Way | None]],
) -> None:
    """The item happens at a cut, after any of `ways`; an end of a gap changes nothing."""
    if item.label is None:
        for live, way in ways.items():
            reached.setdefault(live, way)
        return
    orders = found[item.number]
    for live, way in ways.items():
        after, formed = step(item.label, live)
        known = orders[not formed] is not None
        if known and after in reached:
            continue
        longer = further(way, item)
        if not known:
            orders[not formed] = longer
        reached.setdefault(after, longer)


def further(way: Way | None, what: Item | Unseen) -> Way:
    """The way, and then this."""
    if way is None:
        return Way(None, what, 1, False)
    return Way(way, what, way.length + 1, way.cut_off)


def _enabled(cut: tuple[int, ...], needed: tuple[tuple[int, int], ...]) -> bool:
    for other, least in needed:  # noqa: SIM110 - a generator costs several times as much
        if cut[other] < least:
            return False
    return True


def _needed(chains: Sequence[Sequence[Item]]) -> list[list[tuple[tuple[int, int], ...]]]:
    """The numbers of items of other chains that a cut must have before each item of each chain,
    without zeros."""
    counts = [[item.rank for item in chain] for chain in chains]
    owners = [chain[0].process if chain else -1 for chain in chains]
    # Sorted by number, so the items that are known come first.
    return [
        [
            tuple(
                (other, least)
                for other, owner in enumerate(owners)
                if other != own
                and owner >= 0
                and (least := bisect_right(counts[other], item.clock[owner]))
            )
            for item in chain
        ]
        for own, chain in enumerate(chains)
    ]


def happenings(way: Way | None) -> list[Item | Unseen]:
    """The events of an order, first event first."""
    return list(_backwards(way))[::-1]


def _backwards(way: Way | None) -> Iterator[Item | Unseen]:
    while way is not None:
        if way.what is not None:
            yield way.what
        way = way.before


def shortened(way: Way | None, longest: int) -> Way | None:
    """The way, or its last `longest` events where it is twice as long."""
    if way is None or way.length <= 2 * longest:
        return way
    short: Way | None = None
    for length, what in enumerate(happenings(way)[-longest:], 1):
        short = Way(short, what, length, True)
    return short
