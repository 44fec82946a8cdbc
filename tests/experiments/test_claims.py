"""What is said of the paper's claims, from planted rows."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from choreomon.experiments.monitoring.cells import Cell, Measured, Outcome, Row
from choreomon.experiments.monitoring.claims import AGREES, Claim
from choreomon.experiments.monitoring.conservatism import PUBLISHED
from choreomon.experiments.monitoring.findings import finding, of_all_variants
from choreomon.experiments.monitoring.grids import (
    EXPERIMENTS,
    FULL,
    OF_THE_PAPER,
    PULLING,
    QUICK,
    VARIANTS,
    ExperimentName,
    grid,
)
from choreomon.experiments.monitoring.summaries import interval, share, summary
from choreomon.experiments.monitoring.tables import by_parameters, of_fits
from choreomon.experiments.monitoring.wording import factor, listed, number, percent

NOTHING = Measured(
    processes=7,
    monitors=7,
    events=60,
    labelled=20,
    messages=40,
    bytes=4000,
    inquiries=20,
    joined=4,
    empty=6,
    waiting=10.0,
    latency=12.0,
    memory=200.0,
    formed=0,
    violated=0,
    possible=0,
    missed=0,
    false_alarms=0,
    avoidable=0,
    undecided=0,
    unsettled=0,
    outcome="nothing",
)


def planted(name: ExperimentName, made: Callable[[Cell, Random], Measured]) -> list[Row]:
    return [Row(cell, made(cell, Random(f"planted {cell}"))) for cell in grid(name, 0)]


def claims(name: ExperimentName, made: Callable[[Cell, Random], Measured]) -> tuple[Claim, ...]:
    return finding(name, planted(name, made)).claims


def by_class(messages: Callable[[int], float]) -> Callable[[Cell, Random], Measured]:
    def made(cell: Cell, random: Random) -> Measured:
        number = int(cell.complexity[1:])
        sent = messages(number) * cell.sequences + random.gauss(0, 2)
        return NOTHING._replace(messages=round(sent), monitors=number, processes=number)

    return made


def test_linear_growth_is_as_the_paper_says() -> None:
    together, per_monitor, more = claims("fig7", by_class(lambda i: 10 * i + 20))
    assert together.agreement == AGREES
    assert together.because == ()
    assert "2 sequences: grows linearly by 20 a step" in together.measured
    assert per_monitor.agreement == "not as the paper says"
    assert "Monitors go from 3 to 9 (3 times)" in per_monitor.because[0]
    assert more.agreement == AGREES
    assert "in 7 of 7 classes" in more.measured


def test_a_planted_parabola_is_not_and_the_report_says_why() -> None:
    together, _, _ = claims("fig7", by_class(lambda i: 3 * i * i))
    assert together.agreement == "not as the paper says"
    assert together.measured.count("rises, and not linearly but bent upwards") == 4
    assert "times the messages for each" in together.because[0]
    assert "Of the inquiries 20 %" in together.because[1]


def test_planted_noise_is_no_growth() -> None:
    together, _, _ = claims("fig7", by_class(lambda _: 50))
    assert together.agreement == "not as the paper says"
    assert together.measured.count("no growth that can be told from chance") == 4


def test_some_series_that_are_linear_agree_in_part() -> None:
    def made(cell: Cell, random: Random) -> Measured:
        power = 1 if cell.sequences < 4 else 2
        return by_class(lambda i: 10 * i**power)(cell, random)

    assert claims("fig7", made)[0].agreement == "partly"


def test_more_sequences_that_take_fewer_messages_are_named() -> None:
    def made(cell: Cell, random: Random) -> Measured:
        fewer = cell.complexity == "C5" and cell.sequences == 4
        return NOTHING._replace(messages=1 if fewer else 10 * cell.sequences)

    more = claims("fig7", made)[2]
    assert more.agreement == "partly"
    assert "in 6 of 7 classes" in more.measured
    assert "every step in C5;" in more.because[0]


def test_costs_by_length() -> None:
    def made(cell: Cell, random: Random) -> Measured:
        return NOTHING._replace(
            messages=20 * cell.length + random.randrange(5),
            memory=10.0 * cell.length**2 + random.random(),
            waiting=30 + random.gauss(0, 3),
        )

    messages, memory, waiting = claims("fig8", made)
    assert messages.agreement == AGREES
    assert memory.agreement == "not as the paper says"
    assert "bent upwards" in memory.measured
    assert "the bytes of a monitor for each of them from" in memory.because[0]
    assert waiting.agreement == "not as the paper says"
    assert "scatter by" in waiting.because[0]


def test_waiting_that_grows_is_as_the_paper_says() -> None:
    waiting = claims("fig8", lambda cell, _: NOTHING._replace(waiting=2.0 * cell.length))[2]
    assert waiting.agreement == AGREES
    assert "rises at 4 of 4 steps" in waiting.measured


def quiet_in(share_of_runs: float) -> Callable[[Cell, Random], Measured]:
    """A fifth of the runs form a sequence; of the others so many are quiet."""

    def made(cell: Cell, _: Random) -> Measured:
        if cell.seed % 5 == 4:
            return NOTHING._replace(formed=1, violated=1, outcome="violated")
        outcome: Outcome = "nothing" if cell.seed < share_of_runs * 100 else "possible"
        return NOTHING._replace(possible=int(outcome == "possible"), outcome=outcome)

    return made


@pytest.mark.parametrize(
    ("quiet", "agreement"),
    [(0.76, AGREES), (0.4, "not as the paper says"), (1, "not as the paper says")],
)
def test_the_share_of_quiet_runs(quiet: float, agreement: str) -> None:
    (claim,) = claims("rq4", quiet_in(quiet))
    assert claim.agreement == agreement
    assert "Of all 100 runs" in claim.measured
    assert ("76 % lies between" in claim.measured) == (agreement == AGREES)
    assert "With delays of 0, 1, 3, 10, 30 and 100 service times" in claim.because[0]
    assert "0 %, 50 % and 100 % of the handlers" in claim.because[1]


def test_without_a_run_that_could_be_quiet_nothing_is_divided_by_it() -> None:
    made = NOTHING._replace(formed=1, violated=1, outcome="violated")
    (claim,) = claims("rq4", lambda *_: made)
    assert claim.measured == "In every run a sequence was formed."


def test_wrong_verdicts_count_where_the_rules_promise_that_there_are_none() -> None:
    wrong = NOTHING._replace(formed=3, missed=2, violated=2, false_alarms=1)

    def made_by(rules: str) -> Callable[[Cell, Random], Measured]:
        return lambda cell, _: wrong if cell.rules == rules and cell.seed == 0 else NOTHING

    assert finding("rq4", planted("rq4", made_by("paper"))).wrong == 0
    found = finding("rq4", planted("rq4", made_by("sound")))
    assert found.wrong == 3 * sum(
        cell.seed == 0 and cell.rules == "sound" for cell in grid("rq4", 0)
    )


def test_only_runs_that_all_variants_had_are_compared() -> None:
    rows = planted("rq4", lambda *_: NOTHING)
    alike = of_all_variants(rows)
    assert {row.cell.branching for row in rows} == {0.0, 0.5, 1.0}
    assert {row.cell.branching for row in alike} == {0.5}
    assert len(alike) == len(VARIANTS) * len(FULL.rq4_delays) * 100


def test_precision_and_savings_are_told_of_every_variant() -> None:
    made = NOTHING._replace(possible=4, avoidable=1, undecided=2, outcome="possible")
    precision, saved, compared = finding("fig8", planted("fig8", lambda *_: made)).notes
    assert len(precision[1]) == len(VARIANTS)
    assert "of 800 possible verdicts 200 were avoidable, 50 % of those" in precision[1][0]
    assert "left 400 open" in precision[1][0]
    assert len(saved[1]) == len(PULLING)
    assert "50 % of 1,000 inquiries were unnecessary: 30 % had empty answers" in saved[1][0]
    assert len(compared[1]) == len(VARIANTS) - 1
    assert "1 times the messages" in compared[1][0]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_grids_are_those_of_the_paper(name: ExperimentName) -> None:
    cells = grid(name, 7)
    assert len(set(cells)) == len(cells)
    assert {(cell.strategy, cell.rules) for cell in cells} == set(VARIANTS)
    own = [c for c in cells if (c.strategy, c.rules, c.delay) == (*OF_THE_PAPER, 10)]
    by_point: dict[object, list[int]] = {}
    for cell in own:
        point = (cell.complexity, cell.sequences, cell.length, cell.branching)
        by_point.setdefault(point, []).append(cell.seed)
    runs = 100 if name == "rq4" else 10
    assert set(map(tuple, by_point.values())) == {tuple(range(7, 7 + runs))}
    expected = {
        "fig7": {(f"C{i}", n, 9, 0.0) for i in range(3, 10) for n in range(2, 6)},
        "fig8": {("C6", 3, length, 0.0) for length in range(2, 7)},
        "rq4": {("C6", 3, 7, branching) for branching in (0.0, 0.5, 1.0)},
    }[name]
    assert by_point.keys() == expected
    assert {0, 100} <= {cell.delay for cell in cells}
    assert len(grid(name, 7, QUICK)) < len(cells) / 3


def test_a_summary_by_hand() -> None:
    cell = grid("rq4", 0)[0]
    rows = [
        Row(cell, NOTHING),
        Row(cell, NOTHING._replace(outcome="possible", possible=2, avoidable=1, latency=None)),
        Row(cell, NOTHING._replace(outcome="violated", formed=2, violated=1, possible=1)),
    ]
    found = summary(rows)
    assert (found.nothing, found.possible_runs, found.violated_runs) == (1, 1, 1)
    assert (found.unformed, found.quiet, found.quiet_share) == (2, 1, 0.5)
    assert (found.possible, found.avoidable_share) == (3, pytest.approx(1 / 3))
    assert (found.latency, found.saved) == (12.0, 0.5)
    assert found.messages_per_monitor == pytest.approx(40 / 7)
    assert summary([Row(cell, NOTHING._replace(inquiries=0, joined=0, empty=0))]).saved is None


def test_wilsons_interval_of_the_textbook() -> None:
    assert interval(0, 10) == pytest.approx((0, 0.2775), abs=1e-4)
    assert interval(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    low, high = interval(76, 100)
    assert low < PUBLISHED < high


def test_tables_have_a_row_for_each_point() -> None:
    rows = planted("fig8", lambda *_: NOTHING)
    table = by_parameters("t", rows, "rules", "length")
    assert len(table.rows) == len({row.cell.rules for row in rows}) * 5
    assert all(len(row) == len(table.head) for row in table.rows)
    fits = of_fits(finding("fig8", rows).series)
    assert len(fits.rows) == 4 * len(PULLING)
    assert all(len(row) == len(fits.head) for row in fits.rows)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (number(None), "–"),
        (number(-0.0), "0"),
        (number(0.01234), "0.0123"),
        (number(1234.5), "1,234"),
        (percent(share(1, 3)), "33.3 %"),
        (percent(share(1, 0)), "–"),
        (factor(2, 3), "2 to 3 (1.5 times)"),
        (factor(0, 3), "0 to 3"),
        (listed(["a"]), "a"),
        (listed(["a", "b", "c"]), "a, b and c"),
    ],
)
def test_numbers_in_sentences(said: str, words: str) -> None:
    assert said == words
