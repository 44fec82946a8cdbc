from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

from examples_to_draw import (
    POSSIBLY,
    PROCESSES,
    SMART_HOME,
    VIOLATED,
    automaton,
    events,
    run,
)

from choreomon.core.run import Run
from choreomon.properties.tables import transition_tables
from choreomon.render.report import MAX_ROWS, MAX_VERDICTS_PER_RUN, report_page
from tests.render.html_pages import Page

FACTS = [("file", "smart-home.yaml"), ("strategy", "pull"), ("rules", "sound")]
MISSED = ((2, (1, 2)),)
TABLES = tuple(transition_tables(SMART_HOME, PROCESSES, "sound").values())


def page_of(*runs: Run, **options: int) -> str:
    return report_page("smart-home", FACTS, SMART_HOME, runs, tables=TABLES, **options)


def test_the_page_says_the_result_why_and_what_was_run() -> None:
    text = Page(page_of(run(7, VIOLATED, formed=((2, (1, 2)),)))).text
    for words in (
        "The forbidden sequence was formed.",
        "Run with seed 7",
        "The transition before it, q0 → q1, fired at event 1",
        "it was formed there",
        "Marked: a sequence that was formed",
        "That order is known of the run as a whole, and to no monitor",
        "(q1, @P2, q0)",
        "smart-home.yaml",
        "monitoring messages",
    ):
        assert words in text


def test_a_picture_of_what_was_not_formed_marks_what_the_verdict_rests_on() -> None:
    text = Page(page_of(run(0, POSSIBLY, formed=()))).text
    assert "it was not formed there" in text
    assert "Marked: what the verdict rests on." in text


def test_a_picture_of_what_was_not_formed_has_the_steps_that_may_have_led_there() -> None:
    three = automaton(
        ["q0"],
        ["q3"],
        [
            ("q0", "P1 -> P2 : leave", "q1"),
            ("q1", "P1 -> P2 : turnOff", "q2"),
            ("q2", "P1 -> P3 : turnOn", "q3"),
        ],
    )
    pre = replace(POSSIBLY.because[0], transition=("q1", "q2"))
    verdict = replace(POSSIBLY, because=(pre,), transitions=(("q2", "q3"),))
    assert "step that may have come earlier" not in page_of(run(0, verdict, formed=()))
    kept = events("P1>P2:leave", "P1>P2:turnOff", "P1>P3:turnOn", "1!", "P2>P1:n", "2!")
    page = report_page("three", FACTS, three, [run(0, verdict, kept=kept, formed=())])
    assert "step that may have come earlier" in page


def test_nothing_is_said_of_the_real_order_where_it_was_not_evaluated() -> None:
    assert "real order" not in Page(page_of(run(0, VIOLATED))).text.replace(
        "Events stand in their real order", ""
    )


def test_every_tag_is_closed_and_every_picture_is_well_formed() -> None:
    source = page_of(*(run(seed, VIOLATED, POSSIBLY) for seed in range(4)))
    page = Page(source)
    assert page.open == []
    assert page.misplaced == []
    pictures = source.split("<svg ")[1:]
    assert len(pictures) == 4 * 2 + 1 + 3
    for picture in pictures:
        ElementTree.fromstring("<svg " + picture.partition("</svg>")[0] + "</svg>")


def test_the_page_needs_nothing_from_outside_and_runs_no_scripts() -> None:
    source = page_of(run(0, VIOLATED), run(1)).replace("http://www.w3.org/2000/svg", "")
    tags = set(Page(source).tags)
    assert tags.isdisjoint({"script", "link", "img", "iframe", "object"})
    assert not any(words in source for words in ("http:", "https:", "url(", "@import", "src="))


def test_the_gravest_runs_come_first_and_the_rest_is_counted() -> None:
    runs = [run(seed, POSSIBLY) for seed in range(8)] + [run(8, VIOLATED), run(9)]
    text = Page(page_of(*runs, max_detailed_runs=2)).text
    assert text.index("Run with seed 8") < text.index("Run with seed 0")
    assert "Run with seed 1" not in text
    assert (
        "7 more runs with a verdict or with a missed sequence are not shown in detail; "
        "the table of runs below names them." in text
    )


def test_of_what_is_not_shown_in_detail_the_page_says_how_many_runs_the_table_names() -> None:
    """A missed formation is no verdict, and the table is shorter than the list of runs."""
    missing = [run(seed, formed=MISSED) for seed in range(MAX_ROWS + 60)]
    text = Page(page_of(*missing)).text
    assert "255 more runs with a verdict or with a missed sequence are not shown" in text
    assert "the table of runs below names 195 of them." in text
    text = Page(page_of(*missing[:6])).text
    assert "1 more run with a verdict or with a missed sequence is not shown" in text
    assert "the table of runs below names it." in text


def test_runs_that_tell_something_are_in_a_table_that_is_too_short_for_all() -> None:
    quiet = [run(seed, kept=()) for seed in range(MAX_ROWS)]
    told = [run(seed, POSSIBLY, kept=()) for seed in range(MAX_ROWS, MAX_ROWS + 9)]
    source = page_of(*quiet, *told)
    rows = source.partition("<h3>Runs</h3>")[2]
    for seed in (0, *range(MAX_ROWS, MAX_ROWS + 9)):
        assert f"<tr><td>{seed}</td>" in rows
    assert rows.index(f"<td>{MAX_ROWS}</td>") < rows.index("<td>0</td>")
    assert "names them." in source
    assert "9 more runs are not shown; the gravest come first." in source


def test_runs_in_which_the_sequence_was_really_formed_come_before_other_possible_ones() -> None:
    runs = [run(seed, POSSIBLY, formed=()) for seed in range(6)]
    runs += [run(6, POSSIBLY, formed=((5, (1, 5)),)), run(7, POSSIBLY, formed=MISSED)]
    source = page_of(*runs, max_detailed_runs=3)
    assert re.findall(r"Run with seed (\d)", source) == ["7", "6", "0"]
    assert "<td>possibly violated, formed 1</td>" in source
    assert "<td>possibly violated, missed 1</td>" in source


def test_of_the_verdicts_of_one_run_those_about_real_formations_come_first() -> None:
    verdicts = [replace(POSSIBLY, event_index=index) for index in range(1, 6)]
    text = Page(page_of(run(0, *verdicts, formed=((4, (1, 4)),)))).text
    said = re.findall(r"possibly violated at event (\d)", text)
    assert [*dict.fromkeys(said)] == ["4", "1", "2"]


def test_many_verdicts_of_one_run_are_bounded_and_counted() -> None:
    text = Page(page_of(run(0, *[POSSIBLY] * 10))).text
    assert text.count("P3 declares possibly violated at event 5") == 3
    assert "7 more verdicts in this run." in text


def test_many_runs_are_bounded_and_counted() -> None:
    text = Page(page_of(*(run(seed) for seed in range(MAX_ROWS + 5)))).text
    assert "5 more runs are not shown; the gravest come first." in text


def test_a_missed_formation_is_said_in_so_many_words() -> None:
    text = Page(page_of(run(0, formed=((2, (1, 2)),)))).text
    assert "Missed: the sequence was formed at event 2 in the real order" in text


def test_a_missed_formation_is_shown_with_its_steps() -> None:
    missing = run(0, formed=((5, (1, 5)),))
    page = Page(page_of(missing))
    assert "formed, and no monitor says so" in page.text
    assert "Marked: the sequence that was formed at event 5." in page.text
    declared = run(0, VIOLATED, formed=MISSED)
    assert "no monitor says so" not in Page(page_of(declared)).text


def test_of_many_missed_formations_only_some_are_shown() -> None:
    formed = tuple((index, (index,)) for index in range(MAX_VERDICTS_PER_RUN + 1))
    text = Page(page_of(run(0, formed=formed))).text
    assert text.count("Marked: the sequence that was formed at event") == MAX_VERDICTS_PER_RUN
    assert f"formed at event {', '.join(map(str, range(len(formed))))} in the real" in text


def test_the_head_of_the_page_is_as_grave_for_what_was_missed_as_for_what_was_declared() -> None:
    missing = run(0, formed=MISSED)
    assert '<header class="violated">' in page_of(missing, run(1))
    assert '<header class="violated">' in page_of(missing, run(1, POSSIBLY))
    assert '<header class="possibly">' in page_of(run(0, POSSIBLY, formed=((5, (1, 5)),)))
    assert '<header class="quiet">' in page_of(run(0, formed=()))


def test_latency_is_not_said_to_be_that_of_verdicts() -> None:
    """It counts words that nothing was formed, and here there are no others."""
    text = Page(page_of(run(0), run(1, latency=2500.0))).text
    assert "Runs by mean latency of the last verdict, ms" in text
    assert "the last verdict about it, also where that is that nothing was formed." in text
    assert "latency of a verdict" not in text


def test_long_names_are_broken_where_a_card_is_too_narrow_for_them() -> None:
    (rule,) = re.findall(r"^(.*) \{ overflow-wrap: anywhere; \}$", page_of(run(0)), re.MULTILINE)
    assert {*rule.split(", ")} == {"h1", "h3", "p", "li"}


def test_a_run_without_findings_is_shown_as_it_was() -> None:
    text = Page(page_of(run(3))).text
    assert "No monitor declared anything." in text
    assert "The run with seed 3" in text


def test_runs_whose_events_were_not_kept_have_words_and_no_diagram() -> None:
    source = page_of(run(0, VIOLATED, kept=()))
    assert "P1 declares violated at event 2" in Page(source).text
    assert source.count("<svg ") == 1


def test_hostile_names_stay_text() -> None:
    name = "<script>alert(1)</script>"
    made = automaton(["q0"], ["q1"], [("q0", f"P1 -> P2 : {name}", "q1")])
    tables = tuple(transition_tables(made, PROCESSES, "sound").values())
    runs = [run(0, kept=events(f"P1>P2:{name}")), run(1, VIOLATED)]
    source = report_page(name, [(name, name)], made, runs, tables=tables)
    page = Page(source)
    assert "script" not in page.tags
    assert page.open == page.misplaced == []
    assert name in page.text
