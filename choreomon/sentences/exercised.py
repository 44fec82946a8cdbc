"""Say what of a property runs had nothing to do with: silence is no innocence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from choreomon.core.run import Exercise
from choreomon.core.suggestion import listed
from choreomon.sentences.wording import counted

MOST_RULES: Final = 10
"""The most rules of which it is said how far they came, those that came least far."""


def exercise_sentences(exercises: Iterable[Exercise | None], runs: str = "run") -> list[str]:
    """Sentences on how far each rule came that was formed in no run, and if there is one, which
    labels no event had; empty if nobody watched. `runs` is the word for a run."""
    watched = [each for each in exercises if each is not None]
    if not watched:
        return []
    steps = watched[0].steps
    best = [max(each.far[place] for each in watched) for place in range(len(steps))]
    unformed = [place for place, far in enumerate(best) if far < steps[place]]
    told = []
    for place in sorted(unformed, key=lambda place: best[place])[:MOST_RULES]:
        name = f"sequence {place + 1}" if len(steps) > 1 else "the forbidden sequence"
        if watched[0].names:
            name = f"rule {watched[0].names[place]}"
        far = best[place]
        times = sum(each.far[place] == far for each in watched)
        of = f" in {times:,} of {len(watched):,} {runs}s" if len(watched) > 1 else ""
        if far:
            told.append(f"{name} came {far} of {counted(steps[place], 'step')} far{of}")
        else:
            told.append(f"no step of {name} was made")
    if len(unformed) > MOST_RULES:
        told.append(
            f"{counted(len(unformed) - MOST_RULES, 'more sequence')} came as far or farther"
        )
    never = [
        label
        for place, (label, _) in enumerate(watched[0].labels)
        if not any(each.labels[place][1] for each in watched)
    ]
    if never and unformed:
        nowhere = f"in no {runs}" if len(watched) > 1 else f"nowhere in this {runs}"
        verb = "they occur" if len(never) > 1 else "it occurs"
        told.append(f"not exercised, since {verb} {nowhere}: {listed(never)}")
    return [f"{sentence[0].upper()}{sentence[1:]}." for sentence in told]
