"""Answers -> Markdown."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from benchmarks.middle.answers import Answered
from benchmarks.middle.corpora import EXACT, SEARCHED, SEARCHED_ORDERS_TO, SEARCHED_TO, Question

TEN_TIMES: Final = 10
NOISE_MS: Final = 1.0
"""Shorter times count as this one, where two of them are compared."""
LEAST_MS: Final = 1e-3
"""As times are rounded: nothing takes less."""
LONG: Final = 1_000
"""From here on costs of an action are compared."""

Kind: TypeAlias = dict[int, Answered]
"""Of one question, by length."""


def kinds(answered: Sequence[Answered]) -> dict[Question, Kind]:
    """By question, and lengths in ascending order."""
    found: dict[Question, Kind] = defaultdict(dict)
    for each in sorted(answered, key=lambda each: each.length):
        found[each.question][each.length] = each
    return dict(found)


def report(answered: Sequence[Answered]) -> Iterator[str]:
    """Everything that is to be known, line by line."""
    exact = [each for each in answered if each.question.mode in EXACT]
    searched = [each for each in answered if each.question.mode in SEARCHED]
    yield "The modes accept, prefix, multiprefix and slice:"
    yield ""
    yield from table(exact)
    yield ""
    yield decided_share(exact)
    if searched:
        yield ""
        yield (
            f"The modes test and simulate, of up to {SEARCHED_TO} actions (`orders`: up to "
            f"{SEARCHED_ORDERS_TO:,}), since they are defined by a search that grows exponentially:"
        )
        yield ""
        yield from table(searched)
        yield ""
        yield decided_share(searched)
    yield ""
    yield from costs(exact)
    yield from orders(answered)
    yield from faster(answered)
    yield from mistaken(answered)
    if answered:
        most = max(answered, key=lambda each: each.megabytes)
        name = f"{most.question.interaction}, {most.question.walk}"
        yield f"- Most memory of a process: {most.megabytes:.0f} MB ({name})."
    yield from undecided(answered)


def table(answered: Sequence[Answered]) -> Iterator[str]:
    """Times by length."""
    yield "| actions | questions | median ms | 99 % | longest | undecided | of half the length |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    by_length: dict[int, dict[Question, Answered]] = defaultdict(dict)
    for each in answered:
        by_length[each.length][each.question] = each
    for length, all_of_them in sorted(by_length.items()):
        spent = sorted(each.milliseconds for each in all_of_them.values())
        halves = by_length.get(length // 2, {}) if length % 2 == 0 else {}
        both = [question for question in all_of_them if question in halves]
        ratio = ""
        if both:
            now, before = (
                statistics.median(those[question].milliseconds for question in both)
                for those in (all_of_them, halves)
            )
            ratio = f"{now / max(before, LEAST_MS):.2f}"
        failed = sum(bool(each.reason) for each in all_of_them.values())
        yield (
            f"| {length:,} | {len(spent)} | {statistics.median(spent):.2f} "
            f"| {spent[int(len(spent) * 0.99)]:.0f} | {spent[-1]:.0f} | {failed} | {ratio} |"
        )


def decided_share(answered: Sequence[Answered]) -> str:
    if not answered:
        return "Nothing was asked."
    decided = sum(not each.reason for each in answered)
    skipped = sum(not each.asked for each in answered)
    return (
        f"Decided within the budget: {decided / len(answered):.2%} of {len(answered):,} questions "
        f"({len(answered) - decided:,} undecided, {skipped:,} of them not asked, since a shorter "
        f"log of the kind was undecided)."
    )


def costs(answered: Sequence[Answered]) -> Iterator[str]:
    """Of an action of accepted complete logs."""
    accepted = {
        question: {n: one for n, one in kind.items() if not one.reason and one.verdict.passes}
        for question, kind in kinds(answered).items()
        if question.cut == "complete"
    }
    lengths = sorted({n for kind in accepted.values() for n in kind if n >= LONG})
    if len(lengths) < 2:
        return
    first, last = lengths[0], lengths[-1]
    both = {
        question: (_microseconds(kind[first]), _microseconds(kind[last]))
        for question, kind in accepted.items()
        if first in kind and last in kind
    }
    if not both:
        return
    before, now = (statistics.median(pair[at] for pair in both.values()) for at in (0, 1))
    worst = max(both, key=lambda question: both[question][1] / both[question][0])
    growth = both[worst][1] / both[worst][0]
    yield (
        f"- An action of an accepted complete log: {before:.2f} us at {first:,} actions, {now:.2f} "
        f"us at {last:,} (medians of {len(both)} kinds, {now / before:.2f} times as much); the "
        f"largest growth of a kind is {growth:.2f} ({', '.join(worst)})."
    )


def _microseconds(one: Answered) -> float:
    return max(one.milliseconds, LEAST_MS) * 1e3 / one.length


def orders(answered: Sequence[Answered]) -> Iterator[str]:
    """The bound of `orders`."""
    asked = [
        each
        for each in answered
        if each.question.interaction == "orders" and each.length == SEARCHED_ORDERS_TO
    ]
    if asked:
        longest: dict[str, float] = defaultdict(float)
        for each in asked:
            mode = each.question.mode
            longest[mode] = max(longest[mode], each.milliseconds)
        said = ", ".join(f"{mode} {spent:.0f} ms" for mode, spent in longest.items())
        yield f"- `orders` with {SEARCHED_ORDERS_TO:,} actions, the longest: {said}."


def sudden(answered: Sequence[Answered]) -> list[tuple[float, Answered, Answered]]:
    """Pairs of the next lengths of a kind where the longer log was decided ten times faster, and
    how many times; most of all first."""
    found = [
        (before.milliseconds / max(now.milliseconds, NOISE_MS), before, now)
        for kind in kinds(answered).values()
        for before, now in pairwise(kind.values())
        if not now.reason
    ]
    return sorted((one for one in found if one[0] >= TEN_TIMES), key=lambda one: -one[0])


def faster(answered: Sequence[Answered]) -> Iterator[str]:
    found = sudden(answered)
    if not found:
        yield "- No log was decided ten times faster than the next shorter one of its kind."
        return
    yield f"- Decided ten times faster than the next shorter one of their kind: {len(found)}."
    for ratio, before, now in found:
        yield (
            f"  - {', '.join(before.question)}: {before.milliseconds:.0f} ms with "
            f"{before.length:,} actions, {now.milliseconds:.0f} ms with {now.length:,} "
            f"({ratio:.0f} times)"
        )


def mistaken(answered: Sequence[Answered]) -> Iterator[str]:
    """Where the verdict cannot be right: logs are parts of accepted traces, but for wrong ones."""
    found = [
        each for each in answered if not each.reason and not each.question.allows(each.verdict)
    ]
    yield f"- Verdicts that cannot be right: {len(found)}."
    for each in found:
        yield f"  - {', '.join(each.question)}, {each.length:,} actions: {each.verdict.value}"


def undecided(answered: Sequence[Answered]) -> Iterator[str]:
    """By kind and reason."""
    found: dict[tuple[Question, str], list[int]] = defaultdict(list)
    for question, kind in kinds(answered).items():
        for each in kind.values():
            if each.reason:
                found[question, each.reason].append(each.length)
    if not found:
        return
    yield ""
    yield "Undecided:"
    yield ""
    yield "| interaction | walk | clocks | cut | mode | reason | actions |"
    yield "|---|---|---|---|---|---|---:|"
    for (question, reason), lengths in sorted(found.items()):
        said = f"{lengths[0]:,}" + (f" to {lengths[-1]:,}" if len(lengths) > 1 else "")
        yield f"| {' | '.join(question)} | {reason} | {said} |"
