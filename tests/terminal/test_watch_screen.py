"""Agents at a glance, on wide screens and narrow ones."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from choreomon.core.live import AgentStatus, LabelStatus, LiveRule, LiveVerdict
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN, VerdictKind
from choreomon.terminal.watch import (
    Chosen,
    Polled,
    chosen_verdicts,
    gravest_verdicts,
    headline,
    remembered,
    unknown_rules,
    watch_screen,
    worst_seen,
    worst_told,
)
from tests.agent_files.live_verdicts import BY_HAND
from tests.agent_files.test_status_json import STATUS

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


def test_a_row_an_agent_and_below_what_is_wrong_and_the_gravest_verdicts() -> None:
    text = shown(Polled("P2", STATUS), quiet("P1"), GONE)
    assert text.startswith("Violated once, as P2 declared. 1 of 3 agents cannot be reached.\n")
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
    words = {VIOLATED: 1, POSSIBLY_VIOLATED: 1_200, WITHDRAWN: 3}
    lost = Polled("P3", None, "refused", replace(STATUS, words=words))
    text = shown(Polled("P2", STATUS), quiet("a-process-with-a-long-name"), lost, width=width)
    assert max(map(len, text.splitlines())) <= width
    rows = [line.rstrip() for line in text.splitlines() if line.startswith(tuple("┏┡│└"))]
    assert all(row.endswith(tuple("┓┩│┘")) for row in rows)
    assert "…" not in text
    for word in ("unreachable", "not ready", "1 violated", "1 for now", "refused", "3 withdrawn"):
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


def test_the_gravest_verdicts_are_shown_first_each_once_and_of_equal_ones_the_last() -> None:
    many = tuple(
        replace(BY_HAND, id=f"id {number}", count=number, time=f"2026-01-31T12:00:{number:02}Z")
        for number in range(20)
    )
    violated = replace(many[3], verdict=VIOLATED)
    asked = (*many[:3], violated, *many[4:])
    polled = [
        Polled("P2", replace(STATUS, verdicts=asked)),
        Polled("P2 again", replace(STATUS, verdicts=asked)),
    ]
    assert gravest_verdicts(polled, 3) == [violated, many[19], many[18]]
    assert gravest_verdicts(polled, 0) == []
    assert len(gravest_verdicts(polled, 100)) == 20


def test_what_was_withdrawn_stands_behind_what_was_not() -> None:
    early = replace(BY_HAND, id="1", count=1, provisional=True, time="2026-01-31T12:00:02Z")
    late = replace(early, id="2", verdict=WITHDRAWN, provisional=False, time="2026-01-31T12:00:03Z")
    other = replace(BY_HAND, id="3", count=2, provisional=True, time="2026-01-31T12:00:01Z")
    polled = [Polled("P2", replace(STATUS, verdicts=(other, early, late)))]
    assert gravest_verdicts(polled, 9) == [other, late, early]


def test_an_agent_that_is_lost_is_shown_with_what_it_had_said() -> None:
    before = [Polled("a", STATUS), quiet("P1")]
    once = remembered(before, [Polled("a", None, "Connection refused"), quiet("P1")])
    polled = remembered(once, once)
    assert worst_seen(polled) == VIOLATED
    text = shown(*polled, width=60)
    assert text.startswith("Violated once, as P2 declared. 1 of 2 agents cannot be \nreached.\n")
    assert "unreachable" in text
    assert "last known:" in text
    assert "not known" not in text
    assert remembered(polled, before) == before


def declared_by(count: int, kind: VerdictKind) -> list[Polled]:
    return [Polled("x", replace(QUIET, process=f"P{n}", words={kind: n})) for n in range(count)]


@pytest.mark.parametrize(
    ("polled", "said"),
    [
        ([quiet("P1")], "Nothing forbidden was declared so far; 2 events are undecided."),
        (
            [Polled("P1", replace(QUIET, properties=()))],
            "Nothing forbidden was declared.",
        ),
        ([GONE], "Nothing forbidden was declared, but 1 of 1 agent cannot be reached."),
        (declared_by(3, VIOLATED), "Violated 3 times, as P1 and P2 declared."),
        (
            declared_by(4, POSSIBLY_VIOLATED),
            "Possibly violated 6 times, as P1, P2 and P3 declared.",
        ),
        (declared_by(6, VIOLATED), "Violated 15 times, as 5 agents declared."),
    ],
)
def test_the_answer_comes_first(polled: list[Polled], said: str) -> None:
    assert headline(polled).plain == said


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


def test_verdicts_about_other_instances_are_left_out() -> None:
    one = replace(BY_HAND, id="1", instance={"order": "A-17", "tenant": "t1"})
    values = {"order": "B-1", "tenant": "t1"}
    two = replace(BY_HAND, id="2", count=2, verdict=VIOLATED, instance=values)
    gap = replace(BY_HAND, id="3", label=None, unseen=True)
    status = replace(STATUS, verdicts=(one, two, gap))

    def left(**values: str) -> tuple[list[str], VerdictKind | None]:
        polled = chosen_verdicts(
            [Polled("P2", status), GONE._replace(before=status)], Chosen(values)
        )
        told = {each.id for polled in polled if polled.known for each in polled.known.verdicts}
        return sorted(told), worst_told(polled[:1])

    assert left(order="A-17") == (["1"], POSSIBLY_VIOLATED)
    assert left(tenant="t1") == (["1", "2"], VIOLATED)
    assert left(order="A-17", tenant="t2") == ([], None)
    assert worst_told(chosen_verdicts([GONE], Chosen({"order": "A-17"}))) == POSSIBLY_VIOLATED


def test_verdicts_about_other_rules_are_left_out() -> None:
    told = [replace(BY_HAND, id=id, rule=LiveRule(id)) for id in ("one", "two")]
    status = replace(STATUS, verdicts=(*told, BY_HAND))
    (left,) = chosen_verdicts([Polled("P2", status)], Chosen(rules=("two", "three")))
    assert left.known is not None
    assert [each.id for each in left.known.verdicts] == ["two"]


def test_what_is_chosen_is_what_is_counted() -> None:
    """An event that completes two rules, of which one is not decided for good."""
    one = replace(BY_HAND, id="one", rule=LiveRule("one"), verdict=VIOLATED, provisional=False)
    early = replace(BY_HAND, id="early", rule=LiveRule("two"), provisional=True)
    last = replace(early, id="last", provisional=False)
    assert early.verdict == POSSIBLY_VIOLATED

    def counted(*verdicts: LiveVerdict, rule: str) -> tuple[dict[str, int], int]:
        properties = (replace(OF_PROPERTY, system=BY_HAND.system),)
        status = replace(STATUS, verdicts=verdicts, words={VIOLATED: 7}, properties=properties)
        (left,) = chosen_verdicts([Polled("P2", status)], Chosen(rules=(rule,)))
        assert left.known is not None
        return dict(left.known.words), sum(left.known.properties[0].provisional.values())

    assert counted(one, early, rule="one") == ({VIOLATED: 1}, 0)
    assert counted(one, early, rule="two") == ({}, 1)
    assert counted(one, early, last, rule="two") == ({POSSIBLY_VIOLATED: 1}, 0)
    assert gravest_verdicts([Polled("P2", replace(STATUS, verdicts=(one, early)))], 1) == [one]


def test_a_rule_is_unknown_where_no_agent_tells_of_it() -> None:
    rules = replace(STATUS, properties=(replace(OF_PROPERTY, rules=("one", "two")),))
    assert unknown_rules([Polled("P2", rules)], ["two", "three"]) == (["three"], ["one", "two"])
    assert unknown_rules([Polled("P2", rules), GONE], ["three"]) == ([], ["one", "two"])


def test_labels_that_were_never_seen_come_first() -> None:
    labels = (
        LabelStatus("P1 -> P2 : a", 3, 59.9),
        LabelStatus("P1 -> P2 : refusd", 0, None),
        LabelStatus("P1 -> P2 : b", 1, 7_300.0),
    )
    status = replace(QUIET, properties=(replace(QUIET.properties[0], labels=labels),))
    out = io.StringIO()
    polled = (Polled("P1", status), GONE)
    Console(file=out, width=100).print(watch_screen(polled, width=100, most=0, labels=True))
    rows = [line.strip("│ ").split("│") for line in out.getvalue().splitlines() if " : " in line]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["P1", "P1 -> P2 : refusd", "0", "never"],
        ["P1", "P1 -> P2 : a", "3", "59 seconds ago"],
        ["P1", "P1 -> P2 : b", "1", "2 hours ago"],
    ]
    assert "refusd" not in shown(*polled)
