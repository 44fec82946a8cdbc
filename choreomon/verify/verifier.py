"""One verifier for all modes: it chooses who decides.

Whoever states how to search gets that search (`choreomon.verify.papers`). All other questions
come to whoever has the answer soonest:

- `choreomon.verify.nested_loops`, for short logs where loops are nested hundreds deep, in every
  mode;
- the search, for all else of `test` and `simulate`, which are defined by one; but
  `choreomon.verify.layers` for logs of thousands of actions in the mode `test`;
- `choreomon.verify.quick`, where one clock saw everything, or nothing orders actions across
  lifelines, or nobody can tell;
- `choreomon.verify.exact`, for everything else and for `slice`.

Logs of thousands of actions of interactions with loops whose iterations are not in order
(`loopP`, `loopC(r)`) go to `exact` at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction, Operator, subterms
from choreomon.multitrace.coded import LONG
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.exact import ExactDecider
from choreomon.verify.exact_search import Limits
from choreomon.verify.layers import LayeredTest
from choreomon.verify.nested_loops import NestedLoops
from choreomon.verify.papers.engine import Searcher
from choreomon.verify.papers.options import Method, Options, Reason
from choreomon.verify.papers.portfolio import Portfolio, advised
from choreomon.verify.quick.decider import Quick
from choreomon.verify.verdict import Answer, Mode, Verdict

Asked: TypeAlias = Callable[[], Reason | None]
"""Asked from time to time; a reason that it returns ends the decision with Inconc."""

LARGE: Final = 2_000
"""Of interactions with so many symbols multi-prefixes are looked for before slices are: they are
slices as well, and found without looking at all the places where a log may begin."""

KEPT: Final = 16
"""Verifiers of what short logs leave of nested loops."""


class Verifier:
    """Decides multi-traces of one interaction in one mode.

    - `method`: for `multiprefix` only; anything but "auto" is done by search.
    - `options`: how to search; None for what is quickest. Its `method` counts, not the other one.
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
        method: Method = "auto",
        options: Options | None = None,
        portfolio: bool = False,
        should_stop: Asked | None = None,
    ) -> None:
        if mode != "multiprefix" and method != "auto":
            raise ValueError(f"the method {method} is one of multiprefix, not of {mode}")
        self.interaction = interaction
        self.mode: Mode = mode
        self._asking = None if should_stop is None else _Asking(should_stop)
        self._limits = Limits(should_stop=self._asking)
        self._searcher: Searcher | Portfolio | None = None
        self._exact: ExactDecider | None = None
        self._quick: Quick | None = None
        self._nested: NestedLoops | None = None
        self._layered: LayeredTest | None = None
        asked = options is not None or portfolio or method != "auto"
        if not asked and NestedLoops.are_in(interaction):
            self._nested = NestedLoops(interaction, mode, _Acceptance(should_stop))
        if not asked and mode == "test":
            self._layered = LayeredTest(interaction, should_stop)
        if options is None and (
            portfolio or method != "auto" or mode == "test" or mode == "simulate"
        ):
            options = Options(method=method)
        if options is not None:
            if should_stop is not None:
                options = replace(options, should_stop=should_stop)
            self._searcher = (
                Portfolio(interaction, mode, advised(options))
                if portfolio
                else Searcher(interaction, mode, options)
            )
            return
        assert mode != "test"
        assert mode != "simulate"
        self._exact = ExactDecider(interaction, mode)
        # Where iterations are not in order, quick deciders run far ahead with some components.
        self._unordered = any(
            part.operator is Operator.LOOP_C and part.region
            for part in subterms(normal(interaction))
        )
        if mode != "slice":
            self._quick = Quick(interaction, mode)
        elif interaction.size >= LARGE:
            self._quick = Quick(interaction, "multiprefix")

    def decide(self, multitrace: MultiTrace) -> Answer:
        """The verdict on a multi-trace, over any partition that the method allows.

        Lifelines of the interaction that no component is about count as observed and silent; an
        action that is not the interaction's never fits. Raises ValueError where lifeline removal
        is asked for and several lifelines share a clock.
        """
        if self._asking is None:
            return self._decided(multitrace)
        self._asking.reason = None
        answer = self._decided(multitrace)
        if answer.verdict is Verdict.INCONC and self._asking.reason is not None:
            return answer._replace(reason=self._asking.reason)
        return answer

    def _decided(self, multitrace: MultiTrace) -> Answer:
        """The answer of whoever has it soonest."""
        if self._layered is not None and multitrace.length >= LONG:
            found = self._layered.decide(multitrace)
            if found is not None:
                return found
        if self._nested is not None:
            found = self._nested.decide(multitrace, self._limits)
            if found is not None:
                return found
        if self._searcher is not None:
            result = self._searcher.search(multitrace)
            return Answer(result.verdict, result.reason, result.vertices)
        assert self._exact is not None
        if self._quick is not None and not (self._unordered and multitrace.length >= LONG):
            found = self._quick.decide(multitrace, self._asking)
            # Only a multi-prefix is a slice for sure.
            if found is not None and not (self.mode == "slice" and found.verdict is Verdict.FAIL):
                return found
        return self._exact.decide(multitrace, self._limits)


class _Asking:
    """Whether to stop, and the `reason` that was told last; None where there was none.

    Apart from the verifier: what a verifier holds must not hold the verifier. Commands have no
    cycle collector that would take both away.
    """

    def __init__(self, should_stop: Asked) -> None:
        self._should_stop = should_stop
        self.reason: Reason | None = None

    def __call__(self) -> bool:
        self.reason = self._should_stop()
        return self.reason is not None


class _Acceptance:
    """Decides `accept` of one interaction after the other, and keeps some verifiers of them."""

    def __init__(self, should_stop: Asked | None) -> None:
        self._should_stop = should_stop
        self._verifiers: dict[Interaction, Verifier] = {}

    def __call__(self, interaction: Interaction, multitrace: MultiTrace) -> Answer:
        verifier = self._verifiers.get(interaction)
        if verifier is None:
            if len(self._verifiers) >= KEPT:
                self._verifiers.clear()
            verifier = Verifier(interaction, "accept", should_stop=self._should_stop)
            self._verifiers[interaction] = verifier
        return verifier.decide(multitrace)
