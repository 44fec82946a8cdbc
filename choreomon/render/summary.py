"""Many runs in a few figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from choreomon.core.run import Run
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, VerdictKind
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.render.forbidden_sequences import first_sequences
from choreomon.render.formed_sequences import formed_in
from choreomon.render.verification import passes, verdicts_counted
from choreomon.render.wording import VERDICT_IN_WORDS, counted, number

NAMED_SEEDS: Final = 10
"""Seeds of one kind that are named among the figures."""


def worst_verdict(run: Run) -> VerdictKind | None:
    """The gravest verdict of a run; `None` where nothing was declared."""
    kinds = {verdict.verdict for verdict in run.verdicts}
    for kind in VERDICT_IN_WORDS:
        if kind in kinds:
            return kind
    return None


def missed(run: Run) -> tuple[int, ...]:
    """The events at which the property was formed in the real order and no monitor
    declared it, not even as possible. Empty where the run was not evaluated."""
    declared = {v.event_index for v in run.verdicts if v.verdict in (VIOLATED, POSSIBLY_VIOLATED)}
    return tuple(index for index, _ in run.formed or () if index not in declared)


def gravity(run: Run) -> int:
    """Which runs to look at first, as a number that is smaller for graver ones: those in which
    a formation was missed, then violated ones, possibly violated ones in which the sequence was
    really formed and others, withdrawn ones, logs that do not fit, and the rest."""
    kind = worst_verdict(run)
    if missed(run):
        return 0
    if kind == VIOLATED:
        return 1
    if kind == POSSIBLY_VIOLATED:
        return 2 if run.formed else 3
    if kind is not None:
        return 4
    return 6 if run.verification is None or passes(run) else 5


def tells(run: Run) -> bool:
    """Whether a run has a verdict or a missed formation, and so something to explain."""
    return bool(run.verdicts or missed(run))


def gravest(runs: Sequence[Run], limit: int) -> list[Run]:
    """The runs as they are where they are at most `limit`, else so many of them, the gravest
    first."""
    return [*runs] if len(runs) <= limit else sorted(runs, key=gravity)[:limit]


def not_shown(count: int) -> str:
    """Of the runs that `gravest` leaves out."""
    are = "is" if count == 1 else "are"
    return f"{counted(count, 'more run')} {are} not shown; the gravest come first"


def result_in_words(run: Run) -> tuple[str, str]:
    """The gravest verdict with how often the property was really formed, where that was evaluated,
    and how often that was missed; empty where it was not."""
    kind = worst_verdict(run)
    result = "nothing declared" if kind is None else VERDICT_IN_WORDS[kind]
    formed, unseen = len(run.formed or ()), len(missed(run))
    if formed > unseen:
        result += f", formed {formed:,}"
    return result, f", missed {unseen:,}" if unseen else ""


def headline(runs: Sequence[Run], automaton: SequenceAutomaton | None = None) -> str:
    """The result of all runs in one or two sentences: what was declared, and what was missed.
    Where the `automaton` was written as several sequences, which of them."""
    if not runs:
        return "Nothing was run."
    several = automaton is not None and len(first_sequences(automaton)) > 1
    sequences = automaton.sequences if automaton is not None and several else ()
    if len(runs) == 1:
        return _headline_of_one(runs[0], sequences, several)
    return _headline_of_many(runs, sequences, several)


def _headline_of_one(run: Run, sequences: Sequence[int], several: bool) -> str:
    kind = worst_verdict(run)
    name = "A forbidden sequence" if several else "The forbidden sequence"
    if kind not in (VIOLATED, POSSIBLY_VIOLATED):
        if missed(run):
            return f"{name} was formed, and no monitor declared it."
        return "No forbidden sequence was found."
    certainly, possibly = formed_in(run, sequences)
    sure, open_ = _numbered(certainly), _numbered(possibly)
    if kind == VIOLATED:
        said = f"{sure or _numbered(possibly, 'or') or name} {_were(certainly)} formed."
        said += f" {open_} may have been formed." if sure and open_ else ""
    else:
        said = f"{open_ or name} may have been formed."
    elsewhere = " At another event it was formed, and no monitor declared it."
    return f"{said}{elsewhere if missed(run) else ''}"


def _numbered(sequences: Iterable[int], joint: str = "and") -> str:
    """`Sequence 1`, `Sequences 1 and 2`, or nothing."""
    *first, last = [*map(str, sorted(sequences))] or [""]
    if not first:
        return last and f"Sequence {last}"
    return f"Sequence{'s' if joint == 'and' else ''} {', '.join(first)} {joint} {last}"


def _were(sequences: Collection[int]) -> str:
    return "were" if len(sequences) > 1 else "was"


def _headline_of_many(runs: Sequence[Run], sequences: Sequence[int], several: bool) -> str:
    kinds = Counter(map(worst_verdict, runs))
    found_in = [formed_in(run, sequences) for run in runs]
    sure = Counter(number for found in found_in for number in found.certainly)
    possible = Counter(number for found in found_in for number in found.possibly)
    counts = (
        (kinds[VIOLATED], "formed", sure),
        (kinds[POSSIBLY_VIOLATED], "possibly formed", possible),
    )
    found = [
        f"{what} in {count:,} of {len(runs):,} runs{_each(of_each)}"
        for count, what, of_each in counts
        if count
    ]
    unseen = sum(1 for run in runs if missed(run))
    missing = f"in {unseen:,} of {len(runs):,} runs"
    name = "a forbidden sequence" if several else "the forbidden sequence"
    if not found and not unseen:
        return f"No forbidden sequence was found in {len(runs):,} runs."
    if not found:
        return f"{name[0].upper()}{name[1:]} was formed {missing}, and no monitor declared it."
    said = f"The monitors found {name} {' and '.join(found)}."
    really = sum(1 for run in runs if run.formed)
    evaluated = any(run.formed is not None for run in runs)
    if evaluated and (unseen or (really, 0) != (kinds[VIOLATED], kinds[POSSIBLY_VIOLATED])):
        what = "one" if several else "it"
        said += f" In the real order {what} was formed in {really:,} of {len(runs):,} runs"
        said += f"; in {unseen:,} of them no monitor declared it." if unseen else "."
    return said


def _each(counts: Mapping[int, int]) -> str:
    """In how many runs it was which sequence."""
    told = ", ".join(f"sequence {number} in {counts[number]:,}" for number in sorted(counts))
    return f" ({told})" if told else ""


def figures(runs: Sequence[Run]) -> tuple[tuple[str, str], ...]:
    """Names and values: runs, verdicts, events, monitoring messages, latency, history; of several
    runs also a few seeds with which there is something to see.

    Means of latency and history are means over the runs of each run's mean; worst values
    are over all runs. Latencies of a `Run` are in microseconds, shown in milliseconds.
    """
    verdicts = Counter(verdict.verdict for run in runs for verdict in run.verdicts)
    rows = [("runs", f"{len(runs):,}")]
    if runs:
        rows.append(("seeds", seeds(runs)))
    rows += [
        (f"verdicts, {said}", f"{verdicts[kind]:,}") for kind, said in VERDICT_IN_WORDS.items()
    ]
    evaluated = [run for run in runs if run.formed is not None]
    if evaluated:
        formed = sum(len(run.formed or ()) for run in evaluated)
        unseen = sum(len(missed(run)) for run in evaluated)
        rows.append(("formations in the real order", f"{formed:,}"))
        rows.append(("formations not declared", f"{unseen:,}"))
    if len(runs) > 1:
        rows += _where_to_look(runs)
    rows += [
        ("events", f"{sum(run.events for run in runs):,}"),
        ("monitoring messages", f"{sum(run.monitoring_messages for run in runs):,}"),
        ("monitoring bytes", f"{sum(run.monitoring_bytes for run in runs):,}"),
        ("latency, mean", _mean((run.latency.mean for run in runs), 1000, " ms")),
        ("latency, worst p99", _worst((run.latency.p99 for run in runs), 1000, " ms")),
        (
            "history of a monitor, mean",
            _records(_mean((run.history_records.mean for run in runs), 1, "")),
        ),
        (
            "history of a monitor, largest",
            _records(_worst((run.history_records.max for run in runs), 1, "")),
        ),
    ]
    if any(run.verification is not None for run in runs):
        rows.append(("logs verified", verdicts_counted(runs)))
    stopped = sum(run.reached_max_events for run in runs)
    if stopped:
        rows.append(("stopped at max_events", counted(stopped, "run")))
    return tuple(rows)


def _where_to_look(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """The seeds of the runs in which there is something of a kind, for each kind that occurs."""
    kinds = {
        "violated": [run for run in runs if _has(run, VIOLATED)],
        "possibly violated": [run for run in runs if _has(run, POSSIBLY_VIOLATED)],
        "really formed": [run for run in runs if run.formed],
        "not declared": [run for run in runs if missed(run)],
    }
    return [(f"seeds, {kind}", _few_seeds(some)) for kind, some in kinds.items() if some]


def _has(run: Run, kind: VerdictKind) -> bool:
    return any(verdict.verdict == kind for verdict in run.verdicts)


def _few_seeds(runs: Sequence[Run]) -> str:
    first = ", ".join(str(run.seed) for run in runs[:NAMED_SEEDS])
    left = len(runs) - NAMED_SEEDS
    return f"{first} and {left:,} more" if left > 0 else first


def seeds(runs: Sequence[Run]) -> str:
    """`7`, or `0 to 99` where they follow each other, or all of them."""
    values = [run.seed for run in runs]
    if len(values) > 1 and values == list(range(values[0], values[0] + len(values))):
        return f"{values[0]} to {values[-1]}"
    return ", ".join(map(str, values))


def _records(figure: str) -> str:
    return figure if figure == "–" else f"{figure} record{'' if figure == '1' else 's'}"


def _mean(values: Iterable[float | None], unit: float, suffix: str) -> str:
    known = [value for value in values if value is not None]
    return f"{number(sum(known) / len(known) / unit)}{suffix}" if known else "–"


def _worst(values: Iterable[float | None], unit: float, suffix: str) -> str:
    known = [value for value in values if value is not None]
    return f"{number(max(known) / unit)}{suffix}" if known else "–"
