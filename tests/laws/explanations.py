"""Explanations of random runs, with what `tests.laws.sentences` holds them against.

`python -m tests.laws.explanations SENTENCES [SEED]` reads at least that many sentences and prints
what was counted, and what is untrue.
"""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import ExitStack
from unittest.mock import patch

from choreomon.core.errors import BudgetExceeded
from choreomon.core.message import Event
from choreomon.core.verdict import POSSIBLY_VIOLATED
from choreomon.sentences import explanation as render
from tests.laws.orders import Orders
from tests.laws.sentences import Explained, Reader, Trace, Untrue
from tests.laws.stories import Story, stories


def untrue_of(
    story: Story, seen: Counter[str], *, verbose: bool = False, whole: bool = False
) -> list[Untrue]:
    """What its explanations say and its trace belies. Nothing where there are too many orders.
    `whole`: all events and records are listed, however many there are."""
    automaton = story.automaton
    try:
        events = [Event(each.label, each.clock) for each in story.events]
        trace = Trace(
            automaton,
            Orders(automaton, story.processes, events),
            story.events,
            story.messages,
            story.gaps,
        )
    except BudgetExceeded:
        seen["too many orders"] += 1
        return []
    found: list[Untrue] = []
    for word in story.words:
        verdict = word.verdict
        with ExitStack() as stack:
            if whole:
                for limit in ("MAX_EVENTS", "MAX_RECORDS"):
                    stack.enter_context(patch.object(render, limit, 1_000_000))
            said = render.explanation(
                verdict, story.events, automaton, verbose=verbose, messages=story.messages or ()
            )
        explained = Explained(
            verdict,
            said.headline,
            said.sentences,
            answered=word.last and not story.gives_up,
            settled=story.precise and word.last and not word.unsettled,
            said_before=(verdict.event_index, POSSIBLY_VIOLATED) in story.said,
        )
        found += Reader(trace, explained, seen).untrue()
    seen["runs"] += 1
    seen["verdicts"] += len(story.words)
    return found


def main() -> None:
    sentences, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    seen: Counter[str] = Counter()
    wrong: list[tuple[int, Untrue]] = []
    for number, story in enumerate(stories(seed)):
        if seen["sentences"] >= sentences:
            break
        verbose, whole = number % 3 == 0, number % 2 == 0
        found = untrue_of(story, seen, verbose=verbose, whole=whole)
        wrong += [(number, each) for each in found]
    for kind, times in sorted(seen.items()):
        print(f"{times:>9,}  {kind}")
    print(f"{len(wrong):>9,}  untrue")
    for number, each in wrong[:40]:
        print(f"story {number} of {seed}, event {each.event}: {each.why}: {each.sentence}")


if __name__ == "__main__":
    main()
