"""Several searches side by side; the first answer wins.

The removal paper, section 6.2: who does not know whether a multi-trace is right runs one analysis
with partial-order reduction and local analyses, and one with the reduction only. Here they take
turns, a vertex each, so the answer does not depend on a scheduler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.papers.engine import Searcher
from choreomon.verify.papers.graph import SearchResult
from choreomon.verify.papers.options import LocalAnalyses, Options
from choreomon.verify.verdict import Mode, Verdict


def advised(options: Options) -> tuple[Options, Options]:
    """The two searches that the removal paper advises: as given with local analyses (of all actions
    left, where none were asked for), and without any."""
    return (
        replace(options, local=options.local or LocalAnalyses()),
        replace(options, local=None),
    )


class Portfolio:
    """Searchers that take turns on each multi-trace, the first one first."""

    def __init__(self, interaction: Interaction, mode: Mode, choices: Sequence[Options]) -> None:
        if not choices:
            raise ValueError("a portfolio needs at least one search")
        self._searchers = [Searcher(interaction, mode, options) for options in choices]

    def search(self, multitrace: MultiTrace) -> SearchResult:
        """The result of the search that first has an answer: any but Inconc, or WeakPass where
        it is not known whether it is a Pass. Without one, the best of the results, the earlier
        one among equals. `vertices` and `checked` are those of the search whose result it is.
        """
        running = [searcher.start(multitrace) for searcher in self._searchers]
        turns = [(one, one.visits()) for one in running]
        over: list[SearchResult] = []
        while turns:
            going = []
            for one, visits in turns:
                if next(visits, _OVER) is not _OVER:
                    going.append((one, visits))
                    continue
                result = one.result()
                if result.verdict is not Verdict.INCONC and not result.reason:
                    return result
                over.append(result)
            turns = going
        return next((one for one in over if one.verdict.passes), over[0])


_OVER = object()
