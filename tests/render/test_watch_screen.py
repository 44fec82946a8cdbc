"""Agents at a glance, on wide screens and narrow ones."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from choreomon.core.live import AgentStatus
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN, VerdictKind
from choreomon.render.watch import Polled, last_verdicts, watch_screen, worst_seen
from tests.formats.live_verdicts import BY_HAND
from tests.formats.test_status_json import STATUS

(OF_PROPERTY,) = STATUS.properties
QUIET = replace(
    STATUS,
    process="P1",
    not_ready=(),
    properties=(replace(OF_PROPERTY, gap_open=False, provisional={}, waiting_for=()),),
    sinks={},
    words={},
    verdicts=(),
)
GONE = Polled("127.0.0.1:7699", None, "Connection refused")


def shown(*polled: Polled, width: int = 120, most: int = 10, explain: bool = False) -> str:
    out = io.StringIO()
    screen = Console(file=out, width=width, highlight=False)
    screen.print(watch_screen(polled, width=width, most=most, explain=explain))
    return out.getvalue()


def quiet(name: str) -> Polled:
    return Polled(name, replace(QUIET, process=name))


def test_a_row_an_agent_and_below_what_is_wrong_and_the_last_verdicts() -> None:
    text = shown(Polled("P2", STATUS), quiet("P1"), GONE)
    rows = [line for line in text.splitlines() if line.startswith("│ ") and line[2] != " "]
    first, second, third = rows
    assert [cell.strip() for cell in first.strip("│").split("│")] == [
        *("P2", "not ready", "7", "4", "2", "P1", "1 violated"),
    ]
    assert [cell.strip() for cell in second.strip("│").split("│")] == [
        *("P1", "ready", "7", "4", "2", "", "none"),
    ]
    assert [cell.strip() for cell in third.strip("│").split("│")] == [
        *("127.0.0.1:7699", "unreachable", "", "", "", "", "not known"),
    ]
    assert "1 for now" in text
    below = text[text.index("└") :].splitlines()[1:]
    assert below == [
        "P2: the disk takes nothing",
        "P2: two steps: events may be happening that it is not told of",
        "P2: file x: no space left on device",
        "127.0.0.1:7699: Connection refused",
        "",
        "2026-01-31T12:00:00.250Z  P2 possibly violated at event 1 (send P2 -> P3 : b): no answer "
        "from P3",
    ]


def test_the_disk_is_complained_of_once() -> None:
    status = replace(STATUS, failing="it is full", not_ready=("the store: it is full", "other"))
    text = shown(Polled("P2", status))
    assert text.count("it is full") == 1
    assert "P2: other" in text


@pytest.mark.parametrize("width", [40, 50, 60, 90, 200])
def test_nothing_is_cut_off_however_narrow_it_is(width: int) -> None:
    text = shown(Polled("P2", STATUS), quiet("a-process-with-a-long-name"), GONE, width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for word in ("unreachable", "not ready", "1 violated", "1 for now", "refused"):
        assert word in text


def test_with_reasons() -> None:
    text = shown(Polled("P2", STATUS), explain=True, width=60)
    lines = [line.rstrip() for line in text.splitlines()]
    assert "  Step 2 of sequence 1 may have happened here; it would" in lines
    after = lines.index("  The monitor of P3 had not answered by then.")
    assert lines[after + 1 : after + 3] == [
        "  So the forbidden sequence may have been formed: what the",
        "  monitors know leaves that open.",
    ]


def test_only_the_last_verdicts_are_shown_each_once() -> None:
    many = tuple(
        replace(BY_HAND, id=f"id {number}", time=f"2026-01-31T12:00:{number:02}Z")
        for number in range(20)
    )
    polled = [
        Polled("P2", replace(STATUS, verdicts=many)),
        Polled("P2 again", replace(STATUS, verdicts=many)),
    ]
    assert last_verdicts(polled, 3) == [*many[-3:]]
    assert last_verdicts(polled, 0) == []
    assert len(last_verdicts(polled, 100)) == 20


def test_names_from_elsewhere_do_nothing_to_the_terminal() -> None:
    evil = replace(STATUS, process="\x1b[2Jx", not_ready=("\x07",), sinks={"\r": "\x1b"})
    text = shown(Polled("x", evil), Polled("\x1b[1A", None, "\x9b"))
    assert all(sign.isprintable() or sign == "\n" for sign in text)


@pytest.mark.parametrize(
    ("words", "provisional", "worst"),
    [
        ({}, {}, None),
        ({WITHDRAWN: 3, "provisional": 3}, {}, None),
        ({POSSIBLY_VIOLATED: 1}, {}, POSSIBLY_VIOLATED),
        ({}, {POSSIBLY_VIOLATED: 1}, POSSIBLY_VIOLATED),
        ({POSSIBLY_VIOLATED: 1, VIOLATED: 1}, {}, VIOLATED),
        ({}, {VIOLATED: 1}, VIOLATED),
    ],
)
def test_the_worst_that_was_seen(
    words: dict[str, int], provisional: dict[VerdictKind, int], worst: VerdictKind | None
) -> None:
    status: AgentStatus = replace(
        QUIET, words=words, properties=(replace(OF_PROPERTY, provisional=provisional),)
    )
    assert worst_seen([quiet("P1"), Polled("P2", status)]) == worst
    assert worst_seen([Polled("P2", status), quiet("P1")]) == worst
    assert worst_seen([GONE, Polled("P2", status)]) == (worst or POSSIBLY_VIOLATED)


def test_who_cannot_be_reached_may_know_of_something() -> None:
    assert worst_seen([GONE]) == POSSIBLY_VIOLATED
    assert worst_seen([]) is None
