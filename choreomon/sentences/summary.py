"""Sum up runs: a headline, figures, and runs whose results are equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from choreomon.core.run import Run, RunFormation
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, VerdictKind
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.sentences.forbidden_sequences import first_sequences
from choreomon.sentences.formed_sequences import formed_in
from choreomon.sentences.kinds import Alike, kinds
from choreomon.sentences.verification import passes, verdicts_counted, verified
from choreomon.sentences.wording import VERDICT_IN_WORDS, counted, number

WITHDRAWN_NOTE: Final = (
    "A withdrawn verdict was provisional, and turned out wrong; that is not an error."
)
_BRIEF: Final = ("monitoring messages", "latency, mean")
NAMED_SEEDS: Final = 10
"""The most seeds of one kind named among the figures."""


def worst_verdict(run: Run) -> VerdictKind | None:
    """The gravest verdict of a run; `None` if nothing was declared."""
    kinds = {verdict.verdict for verdict in run.verdicts}
    for kind in VERDICT_IN_WORDS:
        if kind in kinds:
            return kind
    return None


def missed(run: Run) -> tuple[RunFormation, ...]:
    """Formations in the real order, of the property or a rule of it, that no monitor declared, not
    even as possible. Empty if the run was not evaluated."""
    declared = {
        (v.event_index, v.rule) for v in run.verdicts if v.verdict in (VIOLATED, POSSIBLY_VIOLATED)
    }
    return tuple(f for f in run.formed or () if (f.event_index, f.rule) not in declared)


def gravity(run: Run) -> int:
    """The gravity of a run, smaller for graver ones: runs in which a formation was missed, then
    violated ones, possibly violated ones in which the sequence was really formed and others,
    withdrawn ones, logs that do not fit, and the rest."""
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


def result_in_words(run: Run) -> tuple[str, str]:
    """The gravest verdict with how often the property was really formed, if evaluated, and how
    often that was missed; empty if it was not."""
    kind = worst_verdict(run)
    result = "nothing declared" if kind is None else VERDICT_IN_WORDS[kind]
    formed, unseen = len(run.formed or ()), len(missed(run))
    if formed > unseen:
        result += f", formed {formed:,}"
    return result, f", missed {unseen:,}" if unseen else ""


def headline(runs: Sequence[Run], automaton: SequenceAutomaton | None = None) -> str:
    """The result of all runs in one or two sentences: what was declared, and what was missed. If
    the `automaton` was written as several sequences, it says which."""
    if not runs:
        return "Nothing was run."
    several = automaton is not None and len(first_sequences(automaton)) > 1
    if automaton is not None and automaton.rules:
        return rules_headline(runs)
    sequences = automaton.sequences if automaton is not None and several else ()
    if len(runs) == 1:
        return _headline_of_one(runs[0], sequences, several)
    return _headline_of_many(runs, sequences, several)


def rules_headline(runs: Sequence[Run]) -> str:
    """The headline for a property written as rules: which were violated, and which may have been,
    with how many of several runs."""
    sure: Counter[str] = Counter()
    possible: Counter[str] = Counter()
    unsaid: Counter[str] = Counter()
    for run in runs:
        unsaid.update({each.rule.name for each in missed(run) if each.rule is not None})
        kinds: dict[str, set[VerdictKind]] = {}
        for verdict in run.verdicts:
            if verdict.rule is not None:
                kinds.setdefault(verdict.rule.name, set()).add(verdict.verdict)
        for name, found in kinds.items():
            if VIOLATED in found:
                sure[name] += 1
            elif POSSIBLY_VIOLATED in found:
                possible[name] += 1
    told = [
        f"{what}: {', '.join(_in_runs(name, times, len(runs)) for name, times in counts.items())}"
        for what, counts in (
            ("violated", sure),
            ("possibly violated", possible),
            ("violated, and no monitor declared it", unsaid),
        )
        if counts
    ]
    said = "; ".join(told) or "no rule was violated"
    return f"{said[0].upper()}{said[1:]}."


def _in_runs(name: str, times: int, runs: int) -> str:
    return name if runs == 1 else f"{name} in {times:,} of {runs:,} runs"


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
    worst = Counter(map(worst_verdict, runs))
    found_in = [formed_in(run, sequences) for run in runs]
    sure = Counter(number for found in found_in for number in found.certainly)
    possible = Counter(number for found in found_in for number in found.possibly)
    counts = (
        (worst[VIOLATED], "violated", sure),
        (worst[POSSIBLY_VIOLATED], "possibly violated", possible),
    )
    found = [
        f"{what} in {count:,} of {counted(len(runs), 'run')}{_each(of_each)}"
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
    said = f"{', '.join(found)}."
    said = said[0].upper() + said[1:]
    really = sum(1 for run in runs if run.formed)
    evaluated = any(run.formed is not None for run in runs)
    if evaluated and (unseen or (really, 0) != (worst[VIOLATED], worst[POSSIBLY_VIOLATED])):
        said += f" In the real order {name} was formed in {really:,} of {len(runs):,} runs"
        said += f"; in {unseen:,} of them no monitor declared it." if unseen else "."
    return said


def _each(counts: Mapping[int, int]) -> str:
    """Words on which sequence it was in how many runs."""
    told = ", ".join(f"sequence {number} in {counts[number]:,}" for number in sorted(counts))
    return f" ({told})" if told else ""


def figures(runs: Sequence[Run], *, brief: bool = False) -> tuple[tuple[str, str], ...]:
    """Names and values: runs, verdicts, events, monitoring messages, latency, history; for several
    runs also a few seeds with something to see. `brief`: only verdicts, messages and latency, and
    whatever went wrong.

    Means of latency and history are means over the runs of each run's mean; worst values
    are over all runs. Latencies of a `Run` are in microseconds, shown in milliseconds.
    """
    verdicts = Counter(verdict.verdict for run in runs for verdict in run.verdicts)
    rows = [("runs", f"{len(runs):,}")] if len(runs) != 1 else []
    if runs:
        rows.append(("seed" if len(runs) == 1 else "seeds", seeds(runs)))
    rows += [
        (f"verdicts, {said}", f"{verdicts[kind]:,}") for kind, said in VERDICT_IN_WORDS.items()
    ]
    rows += _against_the_real_order(runs, brief=brief)
    if len(runs) > 1 and not brief:
        rows += _where_to_look(runs)
    spent = _spent(runs)
    rows += [row for row in spent if not brief or row[0] in _BRIEF]
    if any(run.verification is not None for run in runs):
        rows.append(("logs verified", verdicts_counted(runs)))
    stopped = sum(run.reached_max_events for run in runs)
    if stopped:
        rows.append(("stopped at max_events", counted(stopped, "run")))
    return tuple(rows)


def _against_the_real_order(runs: Sequence[Run], *, brief: bool) -> list[tuple[str, str]]:
    """Figures on what was formed, and what of that nobody declared, if runs were evaluated;
    `brief`: only if something was missed."""
    evaluated = [run for run in runs if run.formed is not None]
    unseen = sum(len(missed(run)) for run in evaluated)
    if not evaluated or (brief and not unseen):
        return []
    formed = sum(len(run.formed or ()) for run in evaluated)
    return [
        ("formations in the real order", f"{formed:,}"),
        ("formations not declared", f"{unseen:,}"),
    ]


def _spent(runs: Sequence[Run]) -> list[tuple[str, str]]:
    return [
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


def alike_runs(runs: Sequence[Run]) -> list[Alike[tuple[int, str, str, str], Run]]:
    """Runs with equal results together, the gravest first; the key has the gravity, the result in
    words, what was missed, and the verdict on the logs."""
    ordered = sorted(runs, key=gravity)
    return kinds(ordered, lambda run: (gravity(run), *result_in_words(run), verified(run)))


def few_seeds(runs: Sequence[Run], most: int = NAMED_SEEDS) -> str:
    """The seeds of runs: a range if they are consecutive, otherwise the first of them and how many
    more there are."""
    if len(runs) > 2 and (told := seeds(runs)).count(",") == 0:
        return told
    first = ", ".join(str(run.seed) for run in runs[:most])
    left = len(runs) - most
    return f"{first} and {left:,} more" if left > 0 else first


def _where_to_look(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """The seeds of the runs with findings of a kind, for each kind that occurs."""
    kinds = {
        "violated": [run for run in runs if _has(run, VIOLATED)],
        "possibly violated": [run for run in runs if _has(run, POSSIBLY_VIOLATED)],
        "really formed": [run for run in runs if run.formed],
        "not declared": [run for run in runs if missed(run)],
    }
    return [(f"seeds, {kind}", few_seeds(some)) for kind, some in kinds.items() if some]


def _has(run: Run, kind: VerdictKind) -> bool:
    return any(verdict.verdict == kind for verdict in run.verdicts)


def seeds(runs: Sequence[Run]) -> str:
    """The seeds: `7`, or `0 to 99` if they are consecutive, or all of them."""
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
