from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console, RenderableType

from choreomon.properties.tables import transition_tables
from choreomon.terminal.sentences import formed_text, word_line
from choreomon.terminal.text import (
    monitor_table,
    runs_table,
    summary_table,
    table_rows,
    transitions_table,
    verdict_text,
)
from tests.pictures.examples_to_draw import (
    EVENTS,
    FIGURE_4,
    POSSIBLY,
    SMART_HOME,
    VIOLATED,
    automaton,
    run,
)


def printed(shown: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=160, color_system=None)
    with console.capture() as capture:
        console.print(shown)
    return capture.get()


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("│")[1:-1]]


def test_transitions_are_listed_with_their_kind_and_who_watches_them() -> None:
    rows = [cells(line) for line in printed(transitions_table(SMART_HOME)).splitlines()]
    assert ["forward", "q0", "P1 -> P2 : turnOff", "q1", "P1"] in rows
    assert ["backward", "q1", "P2 -> P1 : resume", "q0", "P2"] in rows
    assert ["self-loop", "q1", "not P2 -> P1 : resume", "q1", ""] in rows


def test_the_tables_of_figure_4_read_as_tables_1_to_3_of_the_paper() -> None:
    tables = transition_tables(FIGURE_4, ("P1", "P2", "P3"), "paper")
    assert [set(table_rows(tables[process])) for process in ("P1", "P2", "P3")] == [
        {
            ("(q0, P1 -> P3 : m1, q1)", "⊥", "∅", "∅"),
            ("(q3, P1 -> P3 : m4, q4)", "⊤", "(q0, @P3, q3)", "{(q3, @P2, q0)}"),
            (
                "(q2, P1 -> P3 : m7, q4)",
                "⊤",
                "(q1, @P2, q2)",
                "{(q2, @P2, q0), (q2, @P3, q1)}",
            ),
        },
        {
            ("(q1, P2 -> P3 : m3, q2)", "⊥", "(q0, @P1, q1)", "{(q2, @P2, q0)}"),
            ("(q2, P2 -> P3 : m5, q0)", "⊥", "(q1, @P2, q2)", "∅"),
            ("(q3, P2 -> P3 : m5, q0)", "⊥", "(q0, @P3, q3)", "∅"),
        },
        {
            ("(q0, P3 -> P1 : m2, q3)", "⊥", "∅", "∅"),
            ("(q2, P3 -> P1 : m6, q1)", "⊥", "(q1, @P2, q2)", "∅"),
        },
    ]


def test_a_monitor_with_nothing_to_watch_says_so() -> None:
    tables = transition_tables(SMART_HOME, ("P1", "P2", "P3"), "sound")
    assert "nothing to watch" in printed(monitor_table(tables["P3"]))
    assert "nothing to watch" not in printed(monitor_table(tables["P1"]))


def test_a_verdict_is_its_explanation_with_what_is_declared_coloured() -> None:
    text = verdict_text(VIOLATED, EVENTS)
    assert text.plain.startswith("P1 declares violated at event 2 (send P1 -> P3 : turnOn).")
    (span,) = text.spans
    assert text.plain[span.start : span.end] == "declares violated"


def test_names_that_look_like_markup_are_printed_as_they_are() -> None:
    made = automaton(["q0"], ["[red]"], [("q0", "P -> Q : [/bold] :smile:", "[red]")])
    shown = printed(transitions_table(made))
    assert 'P -> Q : "[/bold] :smile:"' in shown
    assert "final: [red]" in shown


def test_equal_results_of_runs_are_one_row_the_gravest_first() -> None:
    runs = [run(0), run(1, POSSIBLY), run(2, VIOLATED), *(run(seed) for seed in range(3, 3000))]
    shown = printed(runs_table(runs))
    rows = [row[:3] for row in filter(None, map(cells, shown.splitlines())) if row[1].isdigit()]
    assert rows[:2] == [["violated", "1", "2"], ["possibly violated", "1", "1"]]
    assert "2,998" in shown
    assert "0, 3, 4, 5, 6 and 2,993 more" in " ".join(shown.split())


def test_a_run_in_which_the_sequence_was_really_formed_or_missed_says_so() -> None:
    shown = printed(runs_table([run(0, formed=((2, (1, 2)),))]))
    assert "nothing declared, missed 1" in shown
    shown = printed(runs_table([run(0, POSSIBLY, formed=((5, (1, 5)),))]))
    assert "possibly violated, formed 1" in shown


def test_the_summary_has_a_line_for_each_figure() -> None:
    shown = [cells(line) for line in printed(summary_table([run(3, VIOLATED)])).splitlines()]
    assert ["verdicts, violated", "1"] in shown
    assert ["monitoring messages", "4"] in shown


def test_a_word_that_was_given_early_says_what_it_waits_for() -> None:
    assert "for now" not in word_line(POSSIBLY).plain
    asked = replace(POSSIBLY, early=True, silent=("P1", "P2"))
    assert word_line(asked).plain.endswith("turnOn), for now: no answer from P1, P2")
    own = word_line(replace(POSSIBLY, early=True)).plain
    assert own.endswith("turnOn), for now: an earlier event of the same process is not decided")


def test_where_the_property_was_formed_is_said_with_the_events_that_formed_it_if_known() -> None:
    shown = formed_text(run(0, VIOLATED, formed=((2, (1, 2)), (5, ())))).plain
    assert shown.splitlines()[1:3] == ["  at event 2, by events 1, 2", "  at event 5"]
