"""One verifier for all modes: it chooses who decides.

The modes `test` and `simulate` are defined by the papers' search of a graph
(`choreomon.verify.papers`), and whoever states how to search gets that search for the other modes,
too. All other questions have exact answers (`choreomon.verify.exact`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.exact import ExactDecider
from choreomon.verify.papers.engine import Searcher
from choreomon.verify.papers.options import Options, Reason
from choreomon.verify.papers.portfolio import Portfolio, advised
from choreomon.verify.verdict import Answer, Mode


class Verifier:
    """Decides multi-traces of one interaction in one mode.

    - `options`: how the papers' search goes; None for exact verdicts.
    - `portfolio`: whether the two searches that the removal paper advises take turns.
    - `should_stop`: for all multi-traces; may be called very often, so it should be quick.

    What is found out for one multi-trace is kept for the next, within bounds. Not for several
    threads at once. Raises ValueError where the options do not fit the mode.
    """

    def __init__(
        self,
        interaction: Interaction,
        mode: Mode,
        *,
        options: Options | None = None,
        portfolio: bool = False,
        should_stop: Callable[[], Reason | None] | None = None,
    ) -> None:
        self.interaction = interaction
        self.mode: Mode = mode
        self._should_stop = should_stop
        self._searcher: Searcher | Portfolio | None = None
        self._exact: ExactDecider | None = None
        if options is None and not portfolio and mode != "test" and mode != "simulate":
            self._exact = ExactDecider(interaction, mode)
            return
        if options is None:
            options = Options()
        if options.method != "auto" and mode != "multiprefix":
            raise ValueError(f"the method {options.method} is one of multiprefix, not of {mode}")
        if should_stop is not None:
            options = replace(options, should_stop=should_stop)
        self._searcher = (
            Portfolio(interaction, mode, advised(options))
            if portfolio
            else Searcher(interaction, mode, options)
        )

    def decide(self, multitrace: MultiTrace) -> Answer:
        """The verdict on a multi-trace, over any partition that the method allows.

        Lifelines of the interaction that no component is about count as observed and silent; an
        action that is not the interaction's never fits. Raises ValueError where lifeline removal
        is asked for and several lifelines share a clock.
        """
        if self._exact is not None:
            return self._exact.decide(multitrace, self._should_stop)
        assert self._searcher is not None
        result = self._searcher.search(multitrace)
        return Answer(result.verdict, result.reason, result.vertices)
