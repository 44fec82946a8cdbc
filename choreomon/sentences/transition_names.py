"""Names of transitions in explanations of verdicts. In a property written as sequences a transition
is a step: "step 2 of sequence 1". States are named only on request, and if the property was written
as an automaton.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from choreomon.properties.sequences import steps_of


class TransitionNames:
    """Names of forward and backward transitions, each given as `(source, target)`.

    `sequences`: how many steps each sequence of the property has; empty for an automaton. With
    `verbose` a step is named with its states, too. `rule`: the name of the rule that all of them
    belong to, if the property was written as rules.
    """

    def __init__(
        self, sequences: Sequence[int] = (), *, verbose: bool = False, rule: str = ""
    ) -> None:
        self._steps = steps_of(sequences)
        self._several = len(sequences) > 1
        self._verbose = verbose
        self._rule = rule

    @property
    def by_steps(self) -> bool:
        """True if forward transitions are steps of sequences."""
        return bool(self._steps)

    @property
    def kind(self) -> str:
        return "step" if self._steps else "transition"

    @property
    def happened(self) -> str:
        """The verb for a step, or for a transition."""
        return "happened" if self._steps else "fired"

    def called(self, transition: tuple[str, str]) -> str:
        """`step 2 of sequence 1`, or `transition q1 -> q2`."""
        step = self._steps.get(transition)
        if step is None:
            return f"transition {arrow(transition)}"
        of = self._rule or f"sequence {step.sequence}"
        return f"step {step.number} of {of}{self._states(transition)}"

    def listed(self, transitions: Iterable[tuple[str, str]], joint: str = "and") -> str:
        """The names of the transitions, listed."""
        return f" {joint} ".join(map(self.called, transitions))

    def sequences(self, transitions: Iterable[tuple[str, str]]) -> str:
        """The forbidden sequences that they belong to: `sequence 1 or sequence 2`, or a rule; if
        there is only one, `the forbidden sequence`."""
        if self._rule:
            return self._rule
        numbers = {self._steps[each].sequence: None for each in transitions if each in self._steps}
        if self._several and numbers:
            return " or ".join(f"sequence {number}" for number in numbers)
        return "the forbidden sequence"

    @property
    def formed(self) -> str:
        """The word for a formed sequence, or rule."""
        return "violated" if self._rule else "formed"

    def needs_beginning(self, transition: tuple[str, str]) -> bool:
        """Tell whether a transition is known to be a step with another one before it: if it fires
        without any event before it, the beginning of the run allows it."""
        step = self._steps.get(transition)
        return step is not None and step.number > 1

    def before(self, transition: tuple[str, str], of: str) -> str:
        """The transition that comes before the one that is called `of`, as a noun."""
        if not self._steps:
            return f"transition before {of}, {arrow(transition)},"
        return f"step before {of}{self._states(transition)}"

    def cancelling(self, transitions: Sequence[tuple[str, str]]) -> str:
        """The backward transitions that cancel something, and a blank; empty for sequences, where
        the event says it."""
        named = " and ".join(map(arrow, transitions))
        return f"by {named} " if self._verbose or not self._steps else ""

    def _states(self, transition: tuple[str, str]) -> str:
        """A blank and the states of a step in parentheses, if asked for."""
        return f" ({arrow(transition)})" if self._verbose else ""


def arrow(transition: tuple[str, str]) -> str:
    """`q1 -> q2`."""
    return f"{transition[0]} -> {transition[1]}"


def beginning(sentence: str) -> str:
    """The sentence with a capital letter."""
    return sentence[:1].upper() + sentence[1:]
