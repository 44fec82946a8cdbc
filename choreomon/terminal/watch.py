"""Live agents at a glance: what was found, what each of them is doing, and the gravest verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from choreomon.core.binding import Values
from choreomon.core.live import AgentStatus, LiveVerdict, PropertyStatus
from choreomon.core.slot_ranges import with_ranges
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN, VerdictKind
from choreomon.sentences.wording import VERDICT_IN_WORDS, counted, times
from choreomon.terminal.live_verdict import live_explanation, live_word_line, printable
from choreomon.terminal.text import STYLES

WIDE: Final = 90
"""Columns of a terminal that has room for everything."""
NARROW: Final = 60
GRAVE: Final = "bold red"
WEAK: Final = "yellow"
GRAVITY: Final[tuple[VerdictKind, ...]] = (VIOLATED, POSSIBLY_VIOLATED, WITHDRAWN)
MAX_NAMED: Final = 3
"""The most agents that the headline names."""


class Polled(NamedTuple):
    """The result of polling an agent, called `name` here: its status, or why there is none.
    `before`: the last known status of an agent that cannot be reached."""

    name: str
    status: AgentStatus | None
    why: str = ""
    before: AgentStatus | None = None

    @property
    def known(self) -> AgentStatus | None:
        return self.status or self.before


def remembered(before: Sequence[Polled], now: Sequence[Polled]) -> list[Polled]:
    """The results of `now`, for the same agents as `before`, with the last known status of those
    that cannot be reached any more."""
    return [
        each if each.status else each._replace(before=last.known)
        for last, each in zip(before, now, strict=True)
    ]


_ALL: Final[Values] = {}


class Chosen(NamedTuple):
    """A choice among the last verdicts: those about instances with these values, and about rules
    with these ids. An empty choice takes all."""

    values: Values = _ALL
    rules: tuple[str, ...] = ()

    @property
    def is_everything(self) -> bool:
        return not self.values and not self.rules

    def has(self, verdict: LiveVerdict) -> bool:
        """Tell whether a verdict is chosen."""
        if self.rules and (verdict.rule is None or verdict.rule.id not in self.rules):
            return False
        return self.values.items() <= verdict.instance.items()


EVERYTHING: Final = Chosen()


def chosen_verdicts(polled: Iterable[Polled], chosen: Chosen) -> list[Polled]:
    """Keep only the chosen ones of the last verdicts, and count these alone."""

    def left(status: AgentStatus | None) -> AgentStatus | None:
        if status is None:
            return None
        told = tuple(filter(chosen.has, status.verdicts))
        final = {_judged(each) for each in told if not each.provisional}
        open_still = {_judged(each): each for each in told if _judged(each) not in final}
        properties = tuple(
            replace(
                part,
                provisional=Counter(
                    each.verdict for each in open_still.values() if each.system == part.system
                ),
            )
            for part in status.properties
        )
        words: Counter[str] = Counter(each.verdict for each in told if not each.provisional)
        return replace(status, verdicts=told, properties=properties, words=words)

    return [each._replace(status=left(each.status), before=left(each.before)) for each in polled]


def unknown_rules(polled: Sequence[Polled], rules: Iterable[str]) -> tuple[list[str], list[str]]:
    """The ids that no agent tells of, and those that agents do tell of; nothing is unknown while an
    agent cannot be reached."""
    told = dict.fromkeys(
        rule
        for each in polled
        if each.status is not None
        for part in each.status.properties
        for rule in part.rules
    )
    if any(each.status is None for each in polled):
        return [], [*told]
    return [rule for rule in rules if rule not in told], [*told]


def watch_screen(
    polled: Sequence[Polled],
    *,
    width: int,
    most: int,
    explain: bool = False,
    labels: bool = False,
) -> RenderableType:
    """The whole screen. `width`: columns of the terminal. `most`: the most verdicts shown;
    `explain`: with their reasons. `labels`: with the times at which events of each label were
    told."""
    parts: list[RenderableType] = [headline(polled), agents_table(polled, width)]
    if labels:
        parts.append(labels_table(polled))
    parts += [
        Text(f"{printable(_called(each))}: ").append_text(Text(words, style))
        for each in polled
        for words, style in problems(each)
    ]
    for number, verdict in enumerate(gravest_verdicts(polled, most)):
        if explain or not number:
            parts.append(Text())
        parts.append(live_word_line(verdict))
        if explain:
            sentences = live_explanation(verdict).sentences
            parts += [Padding(Text(sentence), (0, 0, 0, 2), expand=False) for sentence in sentences]
    return Group(*parts)


def headline(polled: Sequence[Polled]) -> Text:
    """The headline: the gravest of what was declared, and whether there may be more."""
    unreachable = sum(each.status is None for each in polled)
    lost = f"{unreachable:,} of {counted(len(polled), 'agent')} cannot be reached"
    for kind in GRAVITY[:2]:
        found = {_called(each): count for each in polled if (count := declared(each)[kind])}
        if found:
            how_often = times(sum(found.values()))
            told = Text().append(f"{VERDICT_IN_WORDS[kind].capitalize()} {how_often}", STYLES[kind])
            told.append(f", as {_named(found)} declared.")
            return told.append(f" {lost}." if unreachable else "")
    if unreachable:
        return Text(f"Nothing forbidden was declared, but {lost}.", WEAK)
    open_still = sum(
        part.undecided for each in polled if each.status for part in each.status.properties
    )
    if open_still:
        are = f"{counted(open_still, 'event')} {'is' if open_still == 1 else 'are'} undecided"
        return Text(f"Nothing forbidden was declared so far; {are}.")
    return Text("Nothing forbidden was declared.", STYLES[WITHDRAWN])


def _named(names: Iterable[str]) -> str:
    """The names as a phrase; if there are many, only their number."""
    *some, last = map(printable, names)
    if len(some) >= MAX_NAMED:
        return counted(len(some) + 1, "agent")
    return f"{', '.join(some)} and {last}" if some else last


def declared(polled: Polled) -> Counter[VerdictKind]:
    """Count the verdicts of each kind that an agent declared, provisional ones included."""
    found: Counter[VerdictKind] = Counter()
    if (status := polled.known) is not None:
        found.update({kind: status.words.get(kind, 0) for kind in GRAVITY})
        for each in status.properties:
            found.update(each.provisional)
    return found


def _called(polled: Polled) -> str:
    return polled.name if polled.known is None else polled.known.process


def gravest_verdicts(polled: Iterable[Polled], most: int) -> list[LiveVerdict]:
    """The last verdicts of all agents, each once, the gravest first, among equal ones the last
    told. A provisional verdict is as grave as the one that followed it."""
    told = {
        verdict.id: verdict
        for each in polled
        if each.known is not None
        for verdict in each.known.verdicts
    }
    final = {_judged(each): each.verdict for each in told.values() if not each.provisional}
    latest = sorted(told.values(), key=lambda verdict: verdict.time, reverse=True)
    latest.sort(key=lambda each: GRAVITY.index(final.get(_judged(each), each.verdict)))
    return latest[:most]


def _judged(verdict: LiveVerdict) -> tuple[str, str, int, str]:
    """Return what a verdict is about: an event, and a rule, of which it may complete several."""
    rule = "" if verdict.rule is None else f"{verdict.rule.id} {sorted(verdict.rule.where.items())}"
    return verdict.system, verdict.process, verdict.count, rule


def agents_table(polled: Sequence[Polled], width: int) -> Table:
    """A row for each agent; if there is little room, without the least important columns."""
    columns = ["agent", "state"]
    if width >= WIDE:
        columns += ["events", "undelivered"]
    if width >= NARROW:
        columns += ["undecided", "waits for"]
    columns.append("verdicts")
    table = Table()
    for column in columns:
        right = column in ("events", "undelivered", "undecided")
        folds = column in ("agent", "waits for")
        table.add_column(
            column, justify="right" if right else "left", overflow="fold", no_wrap=not folds
        )
    for each in polled:
        cells = _cells(each, width)
        table.add_row(*(cells[column] for column in columns))
    return table


def labels_table(polled: Sequence[Polled]) -> Table:
    """A row for each label of each agent, those never seen first: silence is no innocence."""
    table = Table()
    table.add_column("agent", overflow="fold")
    table.add_column("label", overflow="fold")
    table.add_column("events", justify="right", no_wrap=True)
    table.add_column("last seen", overflow="fold")
    rows = [
        (_called(each), label)
        for each in polled
        if each.status is not None
        for property in each.status.properties
        for label in property.labels
    ]
    for agent, label in sorted(rows, key=lambda row: bool(row[1].events)):
        ago = label.seconds_ago
        seen = Text("never", WEAK) if ago is None else Text(f"{_time_ago(ago)} ago")
        table.add_row(
            Text(printable(agent)), Text(printable(label.label)), Text(f"{label.events:,}"), seen
        )
    return table


def _time_ago(seconds: float) -> str:
    """A time in its largest unit."""
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            return counted(int(seconds // size), unit)
    return counted(int(seconds), "second")


def _cells(polled: Polled, width: int) -> dict[str, Text]:
    status = polled.status
    agent = Text(printable(_called(polled)))
    if status is None:
        nothing = dict.fromkeys(("events", "undelivered", "undecided", "waits for"), Text())
        before = Text("not known")
        if polled.before is not None:
            before = Text("last known:\n").append_text(words_in_short(polled.before, width))
        return {"agent": agent, "state": Text("unreachable", GRAVE), **nothing, "verdicts": before}
    waited = dict.fromkeys(name for each in status.properties for name in each.waiting_for)
    return {
        "agent": agent,
        "state": _state(polled),
        "events": Text(f"{sum(each.events for each in status.properties):,}"),
        "undelivered": Text(f"{status.untold:,}"),
        "undecided": Text(f"{sum(each.undecided for each in status.properties):,}"),
        "waits for": Text(printable(", ".join(with_ranges(waited)))),
        "verdicts": words_in_short(status, width),
    }


def _state(polled: Polled) -> Text:
    styles = [style for _, style in problems(polled)]
    if GRAVE in styles:
        return Text("not ready", GRAVE)
    return Text("see below", WEAK) if styles else Text("ready", "green")


def problems(polled: Polled) -> list[tuple[str, str]]:
    """The problems of an agent, the gravest first, each with a style for its gravity."""
    status = polled.status
    if status is None:
        return [(printable(polled.why), GRAVE)]
    wrong: list[tuple[str, str]] = []
    if status.failing:
        wrong.append((f"the disk takes nothing: {printable(status.failing)}", GRAVE))
    wrong += [
        (printable(reason), GRAVE)
        for reason in status.not_ready
        if not (status.failing and status.failing in reason)
    ]
    wrong += [
        (f"two agents of {printable(peer)} run, and neither is believed: stop one", WEAK)
        for peer in status.doubled
    ]
    wrong += [
        (f"{printable(each.title)}: events may be happening that it is not told of", WEAK)
        for each in status.properties
        if each.gap_open
    ]
    wrong += [
        (f"{printable(each)}: opens when the service knows what to tell", WEAK)
        for each in status.opening
    ]
    wrong += [_closing(each) for each in status.properties if each.closing]
    wrong += [(f"{printable(sink)}: {printable(why)}", WEAK) for sink, why in status.sinks.items()]
    return wrong


def _closing(property: PropertyStatus) -> tuple[str, str]:
    """Progress of closing a system."""
    called = f"{printable(property.title)} ({property.system[:8]})"
    if property.drained:
        return f"{called}: drained. When all agents say so, take it out of `closing`", WEAK
    left = f"{property.undecided:,} undecided, {property.untold:,} undelivered"
    return f"{called}: draining, {left}", WEAK


def words_in_short(status: AgentStatus, width: int) -> Text:
    """Lines on how many verdicts of each kind were declared since the store was made, one for each
    kind; two lines if there is little room."""
    possibly = "possibly violated" if width >= WIDE else "possibly\n  violated"
    words: dict[VerdictKind, str] = {VIOLATED: "violated", POSSIBLY_VIOLATED: possibly}
    found = [
        Text(f"{status.words[kind]:,} {said}", STYLES[kind])
        for kind, said in words.items()
        if status.words.get(kind)
    ]
    for_now = sum(sum(each.provisional.values()) for each in status.properties)
    if for_now:
        found.append(Text(f"{for_now:,} for now", STYLES[POSSIBLY_VIOLATED]))
    if status.words.get(WITHDRAWN):
        found.append(Text(f"{status.words[WITHDRAWN]:,} withdrawn", STYLES[WITHDRAWN]))
    return Text("\n").join(found) if found else Text("none", "dim")


def settled(polled: Iterable[Polled]) -> bool:
    """Tell whether all agents are ready and have given their last verdicts on all events, so that
    nothing can change without new events."""
    return all(
        each.status is not None
        and not each.status.not_ready
        and not any(property.undecided for property in each.status.properties)
        for each in polled
    )


def worst_seen(polled: Iterable[Polled]) -> VerdictKind | None:
    """The worst verdict: `violated` if an agent says or said so; `possibly-violated` if one does,
    even provisionally, or if one cannot be reached, so that nobody knows; else `None`."""
    worst: VerdictKind | None = None
    for each in polled:
        found = declared(each)
        if found[VIOLATED]:
            return VIOLATED
        if found[POSSIBLY_VIOLATED] or each.status is None:
            worst = POSSIBLY_VIOLATED
    return worst


def worst_told(polled: Sequence[Polled]) -> VerdictKind | None:
    """The worst verdict, as `worst_seen`, but among the last verdicts that the agents keep, not all
    since the store was made."""
    told = [each.verdict for each in gravest_verdicts(polled, 1)]
    if told and told[0] != WITHDRAWN:
        return told[0]
    return POSSIBLY_VIOLATED if any(each.status is None for each in polled) else None
