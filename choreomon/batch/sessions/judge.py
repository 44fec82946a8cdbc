"""Judging of sessions, many at a time.

Where the protocol has an automaton, sessions are decided together (`ManyLogs`), or, where one clock
saw everything, one after the other by following the automaton (`Stepper`). Those that are left, and
all of an interaction without an automaton, are decided each alone, as `choreomon verify` decides a
multi-trace.
"""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from choreomon.automata.automaton import Automaton, States
from choreomon.automata.emptiness import trimmed
from choreomon.automata.logs import WHOLE, Missing
from choreomon.automata.many_logs import EXPLAINED, REFUTED, UNDECIDED, ManyLogs
from choreomon.automata.stepping import Stepper
from choreomon.batch.bounds import Bounds, bounds_for, seconds_for
from choreomon.batch.sessions.chunk import Chunk
from choreomon.batch.sessions.logs import Arranged, arranged, conflicts, multi_trace_of
from choreomon.batch.sessions.question import SessionsQuestion
from choreomon.core.action import Action
from choreomon.interaction.lifelines import names
from choreomon.interaction.term import forget_steps
from choreomon.interaction_files.offline_json import read_interaction_json
from choreomon.multitrace.multitrace import MultiTrace, multi_trace
from choreomon.multitrace.projection import Partition
from choreomon.verify.automaton_verifier import MISSING, AutomatonVerifier
from choreomon.verify.verdict import Answer, Verdict
from choreomon.verify.verifier import Verifier

LAYOUTS: Final = 16
"""Ways to spread lifelines over clocks of which what was found out is kept."""

FEW: Final = 4
"""Sessions with the same way to spread lifelines over clocks: so few are decided alone."""

_UNKNOWN: Final = Answer(Verdict.INCONC, "OutOfMemory")


class Judged(NamedTuple):
    """The results for the sessions of a chunk: each name, and its answer or problem. `alone`: how
    many were decided alone; `actions`: those that occur in them."""

    names: list[str]
    answers: list[Answer | str]
    alone: int
    actions: tuple[Action, ...] = ()


class SessionJudge:
    """Answers a question about sessions. What it finds out is kept for the next ones. Not for
    several threads at once."""

    def __init__(self, question: SessionsQuestion) -> None:
        self._question = question
        self._automaton = question.automaton
        self._many: OrderedDict[tuple[Partition, Missing], ManyLogs] = OrderedDict()
        self._whole = None if self._automaton is None else trimmed(self._automaton)
        self._stepper: Stepper[States] | None = None
        if question.interaction is not None:
            self._interaction = read_interaction_json(question.interaction)
            seconds = seconds_for(self._interaction, question.budget)
            self._bounds = bounds_for(self._interaction, seconds, question.memory)
            self._lifelines = names(self._interaction.lifelines)
        else:
            assert question.automaton is not None
            self._bounds = Bounds(question.budget, question.memory)
            self._lifelines = question.automaton.lifelines
        self._alone = self._made_to_decide()

    def _made_to_decide(self) -> Callable[[MultiTrace], Answer]:
        question = self._question
        if question.interaction is not None:
            decider = Verifier(self._interaction, question.mode, should_stop=self._bounds)
            return decider.decide
        assert question.automaton is not None
        return AutomatonVerifier(question.automaton, question.mode, should_stop=self._bounds).decide

    def judge(self, chunk: Chunk) -> Judged:
        """Judge each session, in order."""
        answers: list[Answer | str | None] = [None] * len(chunk.names)
        for place, told in (conflicts(chunk) | dict(chunk.problems)).items():
            answers[place] = told
        if self._automaton is not None:
            self._decide_together(self._automaton, chunk, answers)
        begins = (chunk.lengths.cumsum() - chunk.lengths).tolist()
        alone = 0
        finished: list[Answer | str] = []
        for place, answer in enumerate(answers):
            if answer is None:
                alone += 1
                answer = self._decided_alone(chunk, place, begins[place])
            finished.append(answer)
        return Judged(chunk.names, finished, alone, chunk.alphabet)

    def _decide_together(
        self, automaton: Automaton, chunk: Chunk, answers: list[Answer | str | None]
    ) -> None:
        """Fills in what can be said of many at a time."""
        pending = np.array([answer is None for answer in answers], np.bool_)
        strange = [action not in automaton.letter_numbers for action in chunk.alphabet]
        if any(strange):
            of = np.repeat(np.arange(len(chunk.names)), chunk.lengths)
            for place in np.unique(of[np.array(strange)[chunk.actions]]).tolist():
                if pending[place]:
                    answers[place] = _FAIL
                    pending[place] = False
        question = self._question
        for layout in arranged(chunk, automaton, question.together, pending):
            if len(layout.sessions) <= FEW and chunk.clocks is not None:
                continue
            found = self._found(automaton, layout, WHOLE)
            if question.mode == "accept":
                _fill(answers, layout.sessions, found, _FAIL)
                continue
            _fill(answers, layout.sessions, found, None)
            # What is undecided of whether it is whole is decided alone: Pass or WeakPass.
            refuted = found == REFUTED
            if refuted.any():
                rest = _chosen(layout, refuted)
                weak = self._found(automaton, rest, MISSING[question.mode])
                _fill(answers, rest.sessions, weak, _FAIL, _WEAK_PASS)

    def _found(
        self, automaton: Automaton, layout: Arranged, missing: Missing
    ) -> npt.NDArray[np.int8]:
        """Find for each session whether it is explained, refuted, or left undecided."""
        if len(layout.groups) == 1 and not missing.before:
            return self._followed(layout, missing)
        key = (layout.groups, missing)
        known = self._many.get(key)
        if known is None:
            known = self._many[key] = ManyLogs(automaton, layout.groups, missing)
            if len(self._many) > LAYOUTS:
                self._many.popitem(last=False)
        self._many.move_to_end(key)
        return known.decide(layout.letters, layout.ends)

    def _followed(self, layout: Arranged, missing: Missing) -> npt.NDArray[np.int8]:
        """Decide sessions that one clock saw by following each, without a search."""
        whole = self._whole
        assert whole is not None
        if self._stepper is None:
            self._stepper = Stepper(
                len(whole.letters),
                whole.initial or None,
                lambda states, letter: whole.after(states, letter) or None,
            )
        narrow = len(whole.letters) <= 256
        letters = layout.letters.astype(np.uint8).tobytes() if narrow else layout.letters.tolist()
        found = np.full(len(layout.sessions), REFUTED, np.int8)
        follow = self._stepper.follow
        begin = 0
        for place, end in enumerate(layout.ends[:, 0].tolist()):
            states, _ = follow(letters[begin:end])
            if states is not None and (missing.after or states & whole.final):
                found[place] = EXPLAINED
            begin = end
        return found

    def _decided_alone(self, chunk: Chunk, place: int, begin: int) -> Answer | str:
        if self._bounds.is_tight:
            self._alone = self._made_to_decide()
            self._many.clear()
            forget_steps()
            gc.collect()
        self._bounds.start()
        try:
            logs = multi_trace_of(chunk, place, begin, self._question.together)
            return self._alone(multi_trace(logs.components, self._lifelines))
        except MemoryError:
            return _UNKNOWN


_PASS: Final = Answer(Verdict.PASS)
_WEAK_PASS: Final = Answer(Verdict.WEAK_PASS)
_FAIL: Final = Answer(Verdict.FAIL)


def _fill(
    answers: list[Answer | str | None],
    sessions: npt.NDArray[np.int64],
    found: npt.NDArray[np.int8],
    refuted: Answer | None,
    explained: Answer = _PASS,
) -> None:
    """Writes down what was found of sessions; of those that are undecided nothing."""
    said = {EXPLAINED: explained, REFUTED: refuted, UNDECIDED: None}
    for place, one in zip(sessions.tolist(), found.tolist(), strict=True):
        answers[place] = said[one]


def _chosen(layout: Arranged, chosen: npt.NDArray[np.bool_]) -> Arranged:
    """Select some of the sessions, with their logs."""
    ends = layout.ends
    lengths = np.diff(ends.ravel(), prepend=0).reshape(ends.shape)
    kept = lengths[chosen]
    return Arranged(
        layout.groups,
        layout.sessions[chosen],
        layout.letters[np.repeat(chosen, lengths.sum(axis=1))],
        kept.ravel().cumsum().reshape(kept.shape),
    )
