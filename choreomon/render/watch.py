"""Live agents at a glance: a table of what each of them is doing, and the last verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from choreomon.core.live import AgentStatus, LiveVerdict
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN, VerdictKind
from choreomon.render.live_verdict import live_explanation, live_word_line, printable
from choreomon.render.text import STYLES

WIDE: Final = 90
"""Columns from which on all that there is has room."""
NARROW: Final = 60
GRAVE: Final = "bold red"
WEAK: Final = "yellow"


class Polled(NamedTuple):
    """What was heard of an agent, which is called `name` here: its status, or why there is none."""

    name: str
    status: AgentStatus | None
    why: str = ""


def watch_screen(
    polled: Sequence[Polled], *, width: int, most: int, explain: bool = False
) -> RenderableType:
    """All of it. `width`: columns of the terminal. `most`: verdicts that are shown; `explain`: with
    their reasons."""
    parts: list[RenderableType] = [agents_table(polled, width)]
    parts += [
        Text(f"{printable(_called(each))}: ").append_text(Text(words, style))
        for each in polled
        for words, style in problems(each)
    ]
    for number, verdict in enumerate(last_verdicts(polled, most)):
        if explain or not number:
            parts.append(Text())
        parts.append(live_word_line(verdict))
        if explain:
            sentences = live_explanation(verdict).sentences
            parts += [Padding(Text(sentence), (0, 0, 0, 2), expand=False) for sentence in sentences]
    return Group(*parts)


def _called(polled: Polled) -> str:
    return polled.name if polled.status is None else polled.status.process


def last_verdicts(polled: Iterable[Polled], most: int) -> list[LiveVerdict]:
    """Of all agents, each once, by the time when they were told, which orders nothing else."""
    told = {
        verdict.id: verdict
        for each in polled
        if each.status is not None
        for verdict in each.status.verdicts
    }
    return sorted(told.values(), key=lambda verdict: verdict.time)[-most:] if most else []


def agents_table(polled: Sequence[Polled], width: int) -> Table:
    """A row an agent; where there is little room, without what matters least."""
    columns = ["agent", "state"]
    if width >= WIDE:
        columns += ["events", "untold"]
    if width >= NARROW:
        columns += ["undecided", "waits for"]
    columns.append("verdicts")
    table = Table()
    for column in columns:
        right = column in ("events", "untold", "undecided")
        folds = column in ("agent", "waits for")
        table.add_column(
            column, justify="right" if right else "left", overflow="fold", no_wrap=not folds
        )
    for each in polled:
        cells = _cells(each)
        table.add_row(*(cells[column] for column in columns))
    return table


def _cells(polled: Polled) -> dict[str, Text]:
    status = polled.status
    agent = Text(printable(_called(polled)))
    if status is None:
        nothing = dict.fromkeys(("events", "untold", "undecided", "waits for"), Text())
        state = Text("unreachable", GRAVE)
        return {"agent": agent, "state": state, **nothing, "verdicts": Text("not known")}
    waited = dict.fromkeys(name for each in status.properties for name in each.waiting_for)
    return {
        "agent": agent,
        "state": _state(polled),
        "events": Text(f"{sum(each.events for each in status.properties):,}"),
        "untold": Text(f"{status.untold:,}"),
        "undecided": Text(f"{sum(each.undecided for each in status.properties):,}"),
        "waits for": Text(printable(", ".join(waited))),
        "verdicts": words_in_short(status),
    }


def _state(polled: Polled) -> Text:
    styles = [style for _, style in problems(polled)]
    if GRAVE in styles:
        return Text("not ready", GRAVE)
    return Text("see below", WEAK) if styles else Text("ready", "green")


def problems(polled: Polled) -> list[tuple[str, str]]:
    """What is wrong with an agent, the gravest first, each with the style of how grave it is."""
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
        (f"{printable(each.title)}: events may be happening that it is not told of", WEAK)
        for each in status.properties
        if each.gap_open
    ]
    wrong += [(f"{printable(sink)}: {printable(why)}", WEAK) for sink, why in status.sinks.items()]
    return wrong


def words_in_short(status: AgentStatus) -> Text:
    """How many verdicts of each kind were given since the agent was started, a line each."""
    short: dict[VerdictKind, str] = {VIOLATED: "violated", POSSIBLY_VIOLATED: "possibly"}
    found = [
        Text(f"{status.words[word]:,} {said}", STYLES[word])
        for word, said in short.items()
        if status.words.get(word)
    ]
    for_now = sum(sum(each.provisional.values()) for each in status.properties)
    if for_now:
        found.append(Text(f"{for_now:,} for now", STYLES[POSSIBLY_VIOLATED]))
    if status.words.get(WITHDRAWN):
        found.append(Text(f"{status.words[WITHDRAWN]:,} withdrawn", STYLES[WITHDRAWN]))
    return Text("\n").join(found) if found else Text("none", "dim")


def settled(polled: Iterable[Polled]) -> bool:
    """Whether all agents are ready and have said their last verdicts about all events, so that what
    they were told of until now changes nothing any more."""
    return all(
        each.status is not None
        and not each.status.not_ready
        and not any(property.undecided for property in each.status.properties)
        for each in polled
    )


def worst_seen(polled: Iterable[Polled]) -> VerdictKind | None:
    """`violated` where an agent says so; `possibly-violated` where one does, if only for now, or
    cannot be reached, so that nobody knows; else `None`."""
    worst: VerdictKind | None = None
    for each in polled:
        status = each.status
        if status is None:
            worst = POSSIBLY_VIOLATED
            continue
        for_now = [each.provisional for each in status.properties]
        if status.words.get(VIOLATED) or any(words.get(VIOLATED) for words in for_now):
            return VIOLATED
        if status.words.get(POSSIBLY_VIOLATED) or any(for_now):
            worst = POSSIBLY_VIOLATED
    return worst
