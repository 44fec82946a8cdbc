"""Summaries of sessions: the same in whatever order, and however divided, sessions come."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.audit import summary as summaries
from choreomon.audit.items import Gap
from choreomon.audit.kinds import kind_of
from choreomon.audit.outcome import Outcome, Overall
from choreomon.audit.summary import Rank, Summary
from choreomon.core.recorded import Diagnostic, Place
from tests.audit.cases import case

One = tuple[Rank, str, Outcome]


def outcomes() -> list[One]:
    """A dozen audits, each of which comes in five sessions, as if of one property."""
    found = [case(seed).audit() for seed in range(12)]
    labels = tuple(sorted({label for each in found for label in each.occurrences.labels}))
    ones = (1,) * len(labels)
    found = [
        each._replace(occurrences=each.occurrences._replace(labels=labels, sessions=ones))
        for each in found
    ]
    return [((0, place), f"s{place}", found[place % 12]) for place in range(60)]


def summed(ones: list[One]) -> Summary:
    summary = Summary()
    for rank, name, outcome in ones:
        summary.add(rank, name, outcome)
        summary.tell(rank, Diagnostic("gap", name, Place("log", rank[1])))
    return summary


def wrong(seeds: range) -> int:
    every = outcomes()
    expected = summed(every)
    count = 0
    for seed in seeds:
        rng = Random(seed)
        mixed = rng.sample(every, len(every))
        cut = rng.randrange(len(every))
        found = summed(mixed[:cut])
        found.merge(summed(mixed[cut:]))
        count += found.outcome() != expected.outcome()
        count += found.diagnostics() != expected.diagnostics()
    return count


def test_the_order_of_sessions_does_not_matter() -> None:
    kinds = summed(outcomes()).outcome().kinds
    assert len(kinds) > 5
    assert any(each.events > 5 for each in summed(outcomes()).outcome().occurrences.of_labels())
    assert all(len(each.names) == min(each.sessions, 10) for each in kinds)
    assert wrong(range(30)) == 0


def test_nor_where_not_all_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_NAMES", "MOST_WORST", "MOST_GAPS", "MOST_DIAGNOSTICS"):
        monkeypatch.setattr(summaries, name, 3)
    outcome = summed(outcomes()).outcome()
    assert len(outcome.worst) == 3
    assert len(outcome.gaps) <= 3 < outcome.gap_count
    assert wrong(range(30)) == 0


def test_gaps_that_were_found_late_are_counted_however_sessions_are_divided() -> None:
    gaps = (Gap("P2", "one"), Gap("P1", "other"))  # as they were found
    late = Outcome((), Overall(None), gaps, 1, 1, gaps)
    both, more = Summary(), Summary()
    for summary, names in ((both, "ab"), (more, "c")):
        for place, name in enumerate(names):
            summary.add((0, place), name, late)
    both.merge(more)
    assert both.outcome().late_count == 6
    assert both.outcome().late == gaps


def test_what_finds_nothing_has_no_kind() -> None:
    with pytest.raises(ValueError, match="nothing was formed"):
        kind_of(Overall(None))


def test_a_planted_bug_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept is what was added first."""
    add = Summary.add
    monkeypatch.setattr(Summary, "add", lambda self, rank, *rest: add(self, (0, 0), *rest))
    assert wrong(range(10)) > 0


def test_kinds_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    every = outcomes()
    whole = summed(every).outcome()
    monkeypatch.setattr(summaries, "MOST_KINDS", 3)
    few = summed(every).outcome()
    assert len(few.kinds) == 3
    verdicts = sum(each.verdicts for each in whole.kinds)
    assert sum(each.verdicts for each in few.kinds) + few.others == verdicts
