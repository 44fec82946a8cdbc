"""Several searches side by side; the first definite verdict counts.

The removal paper, section 6.2, runs two analyses side by side where nobody knows whether a
multi-trace is right: with partial-order reduction and local analyses, and with the reduction only.
They take turns, a vertex each, so the verdict does not depend on a scheduler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.papers.engine import Searcher
from choreomon.verify.papers.graph import SearchResult
from choreomon.verify.papers.options import LocalAnalyses, Options
from choreomon.verify.verdict import Mode, Verdict


def advised(options: Options) -> tuple[Options, Options]:
    """The two searches that the removal paper advises: with the local analyses of the options (of
    all actions left, where these have none), and without any."""
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

    def decided_by(self, multitrace: MultiTrace) -> Literal["removal", "search"]:
        """The procedure that answers. Raises as `Searcher.method`."""
        return self._searchers[0].decided_by(multitrace)

    def search(self, multitrace: MultiTrace) -> SearchResult:
        """The result of the search that is the first to be definite: neither Inconc, nor a WeakPass
        that may be a Pass. Without one, the best of the results, the earlier one among equals."""
        searches = [searcher.visits(multitrace) for searcher in self._searchers]
        results: list[SearchResult] = []
        while searches:
            for one in list(searches):
                result = next(one)
                if result is None:
                    continue
                if result.verdict is not Verdict.INCONC and not result.reason:
                    return result
                results.append(result)
                searches.remove(one)
        return next((one for one in results if one.verdict.passes), results[0])
