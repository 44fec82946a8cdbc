from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

from choreomon.core.run import Run
from choreomon.pages.many_runs import MAX_ROWS
from choreomon.pages.report import MAX_ALIKE, report_page
from choreomon.properties.tables import transition_tables
from tests.pages.html_pages import Page
from tests.pictures.examples_to_draw import (
    POSSIBLY,
    PROCESSES,
    SMART_HOME,
    VIOLATED,
    automaton,
    events,
    run,
)

FACTS = [("file", "smart-home.yaml"), ("strategy", "pull"), ("rules", "sound")]
MISSED = ((2, (1, 2)),)
TABLES = tuple(transition_tables(SMART_HOME, PROCESSES, "sound").values())


def page_of(*runs: Run, **options: int) -> str:
    return report_page("smart-home", FACTS, SMART_HOME, runs, tables=TABLES, **options)


def test_the_page_says_the_result_why_and_what_was_run() -> None:
    text = Page(page_of(run(7, VIOLATED, formed=((2, (1, 2)),)))).text
    for words in (
        "The forbidden sequence was formed.",
        "in the run with seed 7",
        "The transition before it, q0 → q1, fired at event 1",
        "which only the simulator knows: formed there",
        "Marked: a sequence that was formed",
        "That order is known of the run as a whole, and to no monitor",
        "(q1, @P2, q0)",
        "smart-home.yaml",
        "monitoring messages",
    ):
        assert words in text


def test_a_picture_of_what_was_not_formed_marks_what_the_verdict_rests_on() -> None:
    text = Page(page_of(run(0, POSSIBLY, formed=()))).text
    assert "which only the simulator knows: not formed there" in text
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
    others = re.compile(r'aria-label="names"|width="28" height="18"')  # of pictures: edges, signs
    drawn = [one for one in pictures if not others.search(one)]
    assert len(drawn) == 2 + 1 + 3  # one of each kind, the automaton, charts
    for picture in pictures:
        ElementTree.fromstring("<svg " + picture.partition("</svg>")[0] + "</svg>")


def test_the_page_needs_nothing_from_outside_and_runs_no_scripts() -> None:
    source = page_of(run(0, VIOLATED), run(1)).replace("http://www.w3.org/2000/svg", "")
    tags = set(Page(source).tags)
    assert tags.isdisjoint({"script", "link", "img", "iframe", "object"})
    assert not any(words in source for words in ("http:", "https:", "url(", "@import", "src="))
    assert set(re.findall('href="(.)', source)) == {"#"}


def test_the_contents_lead_to_every_section() -> None:
    source = page_of(run(0, VIOLATED), run(1))
    links = re.findall('<a href="#([^"]+)">', source)
    assert links == re.findall('<section id="([^"]+)">', source)
    assert links[:3] == ["summary", "what-was-found", "what-must-not-happen"]


def test_at_the_foot_stands_what_was_run_and_what_the_page_was_made_with() -> None:
    made = [("command", "choreomon simulate <x>"), ("made on", "2026-11-23")]
    source = report_page("x", FACTS, SMART_HOME, [run(0)], made_with=made)
    foot = source.partition("<footer>")[2]
    for words in ("smart-home.yaml", "choreomon simulate &lt;x&gt;", "2026-11-23"):
        assert words in foot


def test_one_of_each_kind_is_shown_the_gravest_first_and_others_are_folded() -> None:
    runs = [run(seed, POSSIBLY) for seed in range(8)] + [run(8, VIOLATED), run(9)]
    source = page_of(*runs)
    shown = re.findall(r"<h3>(.*?), in the run with seed (\d+)</h3>", source)
    assert shown == [
        ("Violated: P1 → P3 : turnOn", "8"),
        ("Possibly violated: handle P1 → P3 : turnOn", "0"),
    ]
    folded = source.partition("7 more like this, in 7 runs</summary>")[2].partition("</details>")[0]
    assert re.findall(r'<tr><td class="number">(\d)</td>', folded) == [*"1234567"]


def test_of_too_many_kinds_the_rest_is_counted() -> None:
    runs = [run(seed, POSSIBLY) for seed in range(8)] + [run(8, VIOLATED), run(9)]
    text = Page(page_of(*runs, max_kinds=1)).text
    assert "in the run with seed 8" in text
    assert "in the run with seed 0" not in text
    assert "1 more kind of verdicts" in text


def test_many_of_one_kind_are_bounded_and_counted() -> None:
    text = Page(page_of(*(run(seed, POSSIBLY) for seed in range(MAX_ALIKE + 6)))).text
    assert f"{MAX_ALIKE + 5} more like this, in {MAX_ALIKE + 5} runs" in text
    assert "5 more like these." in text


def test_of_a_kind_a_run_is_shown_whose_events_were_kept() -> None:
    source = page_of(run(0, VIOLATED, kept=()), run(1, VIOLATED))
    assert "in the run with seed 1" in source


def test_the_summary_has_a_row_for_each_sequence_with_its_runs_and_latency() -> None:
    timed = replace(VIOLATED, happened_at=1000)  # declared at 2500
    source = page_of(run(0, timed, POSSIBLY), run(1, POSSIBLY, kept=()), run(2))
    summary = source.partition('id="summary"')[2].partition("</section>")[0]
    assert "P1 → P2 : turnOff, then P1 → P3 : turnOn" in summary
    cells = re.findall('<td class="number">([^<]*)</td>', summary)
    # Latencies: 1.5 ms, and 9 - 5 ms of the event that was kept; that of run 1 is not known.
    assert cells == ["1", "2", "1", "1", "0", "2.75"]


def test_one_of_two_last_steps_may_be_certain_and_the_other_only_possible() -> None:
    two = automaton(
        ["q0"],
        ["q2", "q4"],
        [
            ("q0", "P1 -> P2 : turnOff", "q1"),
            ("q1", "P1 -> P3 : turnOn", "q2"),
            ("q0", "P2 -> P1 : resume", "q3"),
            ("q3", "P1 -> P3 : turnOn", "q4"),
        ],
    )
    doubtful = replace(VIOLATED.because[0], transition=("q0", "q3"), certain=False)
    both = replace(
        VIOLATED,
        transitions=(("q1", "q2"), ("q3", "q4")),
        because=(*VIOLATED.because, doubtful),
    )
    source = report_page("two", FACTS, two, [run(0, both), run(1)])
    summary = source.partition('id="summary"')[2].partition("</section>")[0]
    rows = re.findall("<tr><td.*?</tr>", summary)
    cells = [re.findall('<td class="number">([^<]*)</td>', row)[:5] for row in rows]
    assert cells == [[*"11100"], [*"21010"]]


def test_a_thousand_runs_of_many_kinds_need_less_than_a_megabyte() -> None:
    formed = ((5, (1, 5)),)
    runs = [
        run(seed, VIOLATED, POSSIBLY, formed=formed if seed % 2 else ()) for seed in range(1000)
    ]
    assert len(page_of(*runs).encode()) < 1_000_000


def test_runs_with_equal_results_are_one_row_and_those_that_tell_something_come_first() -> None:
    quiet = [run(seed, kept=()) for seed in range(MAX_ROWS)]
    told = [run(seed, POSSIBLY, kept=()) for seed in range(MAX_ROWS, MAX_ROWS + 9)]
    rows = page_of(*quiet, *told).partition('<section id="runs">')[2]
    first, second = re.findall(r"<tr><td>(.*?)</td></tr>", rows.partition("</table>")[0])
    assert first == 'possibly violated</td><td class="number">9</td><td>200 to 208'
    assert second == 'nothing declared</td><td class="number">200</td><td>0 to 199'
    for seed in (0, *range(MAX_ROWS, MAX_ROWS + 9)):
        assert f'<tr><td class="number">{seed}</td>' in rows
    assert "100 more runs like these." in rows


def test_ten_thousand_runs_of_many_kinds_need_less_than_a_megabyte() -> None:
    formed = ((5, (1, 5)),)
    runs = [
        run(seed, *(VIOLATED,) * (seed % 2), *(POSSIBLY,) * (seed % 3), kept=(), formed=formed)
        for seed in range(10_000)
    ]
    runs[:40] = [run(seed, VIOLATED, POSSIBLY, formed=formed) for seed in range(40)]
    assert len(page_of(*runs).encode()) < 1_000_000


def test_findings_can_be_filtered_by_result_and_process_without_a_script() -> None:
    source = page_of(run(0, VIOLATED), run(1, POSSIBLY))
    assert "<legend>Result</legend>" in source
    assert "<legend>Process</legend>" in source
    marks = [mark.split() for mark in re.findall('<article class="([^"]+)">', source)]
    shown = re.findall(r"section:has\(#f(\w+):checked\) article:not\(\.(\w+)\)", source)
    assert all(button == mark for button, mark in shown)
    for one in marks:  # each button leaves exactly one of the two
        assert len({mark for _, mark in shown} & {*one}) == 3
    assert "<fieldset>" not in page_of(run(0, VIOLATED))


def test_what_was_missed_comes_first_and_what_was_really_formed_before_what_was_not() -> None:
    runs = [run(seed, POSSIBLY, formed=()) for seed in range(6)]
    runs += [run(6, POSSIBLY, formed=((5, (1, 5)),)), run(7, POSSIBLY, formed=MISSED)]
    source = page_of(*runs)
    assert re.findall(r"in the run with seed (\d)</h3>", source) == ["7", "6", "0"]
    assert "<td>possibly violated, formed 1</td>" in source
    assert "<td>possibly violated, missed 1</td>" in source


def test_of_the_verdicts_of_one_run_those_about_real_formations_come_first() -> None:
    verdicts = [replace(POSSIBLY, event_index=index) for index in range(1, 6)]
    source = page_of(run(0, *verdicts, formed=((4, (1, 4)),)))
    assert re.findall(r"<strong>P3 declares possibly violated at event (\d)", source) == ["4", "1"]
    assert "3 more like this, in 1 run" in source


def test_many_runs_are_bounded_and_counted() -> None:
    text = Page(page_of(*(run(seed) for seed in range(MAX_ROWS + 5)))).text
    assert "5 more runs like these." in text


def test_one_run_has_no_summary_that_repeats_it_and_explains_before_it_measures() -> None:
    source = page_of(run(0, VIOLATED))
    assert re.findall('<section id="([^"]+)">', source) == [
        *("what-was-found", "what-must-not-happen", "measurements", "what-each-monitor-knows"),
    ]
    assert "withdrawn, and turned out wrong" not in source


def test_a_withdrawn_verdict_is_said_to_be_no_error() -> None:
    withdrawn = replace(POSSIBLY, verdict="withdrawn")
    assert "provisional, and turned out wrong; that is not an error" in page_of(run(0, withdrawn))


def test_what_must_not_happen_is_told_in_words_to_which_the_picture_points() -> None:
    source = page_of(run(0))
    assert 'aria-describedby="property-in-words"' in source
    words = source.partition('<div id="property-in-words">')[2].partition("</div>")[0]
    assert "P1 → P2 : turnOff, then P1 → P3 : turnOn" in words
    assert "takes back" in words


def test_an_event_and_its_verdict_have_each_their_own_time() -> None:
    text = Page(page_of(run(0, replace(VIOLATED, happened_at=1000)))).text
    assert "It happened at 1 ms, and this was declared at 2.5 ms (1.5 ms later)." in text
    assert "violated, declared by P1 at 2.5 ms" in text


def test_names_of_processes_are_a_layer_of_their_own_and_the_legend_is_below() -> None:
    source = page_of(run(0, VIOLATED))
    assert '<div class="names" aria-hidden="true"' in source
    legend = source.partition('<ul class="legend"')[2].partition("</ul>")[0]
    assert "step of the forbidden sequence" in legend


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


def test_of_many_missed_formations_one_is_shown_and_the_others_are_named() -> None:
    formed = tuple((index, (index,)) for index in range(5))
    text = Page(page_of(run(0, formed=formed))).text
    assert text.count("Marked: the sequence that was formed at event") == 1
    assert "4 more like this, in 1 run" in text
    assert "5 formations in the real order, which no monitor said." in text


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
    assert "the final verdict about it, even if that verdict is “nothing”." in text
    assert "latency of a verdict" not in text


def test_long_names_are_broken_where_a_card_is_too_narrow_for_them() -> None:
    rule, *_ = re.findall(r"^(h1.*) \{ overflow-wrap: anywhere; \}$", page_of(run(0)), re.MULTILINE)
    assert {*rule.split(", ")} >= {"h1", "h2", "h3", "p", "li", "summary"}


def test_a_run_without_findings_is_shown_as_it_was() -> None:
    text = Page(page_of(run(3))).text
    assert "No monitor declared anything." in text
    assert "The run with seed 3" in text


def test_runs_whose_events_were_not_kept_have_words_and_no_diagram() -> None:
    source = page_of(run(0, VIOLATED, kept=()))
    assert "P1 declares violated at event 2" in Page(source).text
    assert "Space-time diagram" not in source


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
