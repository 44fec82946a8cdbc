"""The judge: reads, decides and explains one multi-trace after the other, in this process."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from choreomon.automata.automaton import Automaton
from choreomon.batch.bounds import Bounds, bounds_for, seconds_for
from choreomon.batch.question import Question, Source
from choreomon.core.action import Action
from choreomon.core.errors import ChoreomonError, DocumentError, Problem
from choreomon.documents.interactions import load_interaction
from choreomon.interaction.lifelines import names
from choreomon.interaction.measures import actions_of
from choreomon.interaction.term import Interaction, forget_steps
from choreomon.interaction_files.loading import load_multi_trace, load_signature
from choreomon.multitrace.coded import CodedTrace
from choreomon.multitrace.multitrace import MultiTrace, multi_trace
from choreomon.verify.outcome import MOST_STRANGE, Outcome
from choreomon.verify.synthesis import TooLarge
from choreomon.verify.verdict import Answer, Verdict
from choreomon.verify.verifier import Verifier

# Modules needed only for failures, searches or explanations are imported there:
# most commands say Pass of a few files, and are done.
if TYPE_CHECKING:
    from choreomon.verify.blame import Blame
    from choreomon.verify.explanation import Explanation
    from choreomon.verify.fault import Fault
    from choreomon.verify.papers.graph import SearchResult


def letters_of(protocol: Interaction | Automaton) -> tuple[Action, ...]:
    """The actions that should happen, each once, sorted."""
    if isinstance(protocol, Automaton):
        return tuple(sorted(protocol.letters))
    return actions_of(protocol)


def read_protocol(question: Question) -> Interaction | Automaton:
    """The interaction or the automaton that logs are asked about. Raises DocumentError for one that
    cannot be used, and ValueError where not one of the two is given, or what is asked does not fit
    an automaton."""
    if (question.interaction is None) is (question.automaton is None):
        raise ValueError("the protocol is an interaction or an automaton: give one of the two")
    if question.locations is not None and not isinstance(question.automaton, str):
        raise ValueError("locations are of the letters of an automaton's file: leave them out")
    if question.interaction is not None:
        if isinstance(question.interaction, str):
            signature = None if question.signature is None else load_signature(question.signature)
            return load_interaction(question.interaction, signature)
        return question.interaction
    if question.analysis.search is not None or question.analysis.portfolio:
        raise ValueError("an automaton is not searched as the papers search: leave that out")
    if isinstance(question.automaton, Automaton):
        return question.automaton
    from choreomon.interaction_files.automaton_file import load_automaton, load_locations

    assert question.automaton is not None
    places = None if question.locations is None else load_locations(question.locations)
    return load_automaton(question.automaton, places)


class Judge:
    """Answers a question about one multi-trace after the other; what it finds out of the
    interaction it keeps.

    Raises DocumentError for an interaction, an automaton or a signature that cannot be used,
    ValueError where the analysis does not fit its mode or the automaton, or `on_search` the
    analysis.
    """

    def __init__(self, question: Question) -> None:
        self._question = question
        signature = question.signature
        self._signature = None if signature is None else load_signature(signature)
        self._protocol = read_protocol(question)
        if isinstance(self._protocol, Automaton):
            self._lifelines = self._protocol.lifelines
            self._seconds = question.budget
            self._bounds = Bounds(self._seconds, question.memory)
        else:
            self._lifelines = names(self._protocol.lifelines)
            self._seconds = seconds_for(self._protocol, question.budget)
            self._bounds = bounds_for(self._protocol, self._seconds, question.memory)
        self._letters = {letter: 1 << n for n, letter in enumerate(letters_of(self._protocol))}
        self._searched: SearchResult | None = None
        self._blame: Blame | None = None
        self._slices: Callable[[MultiTrace], Answer] | None = None
        self._begins: Callable[[MultiTrace], Answer]
        """Decides whether a log may begin as it does; made with `_slices`."""
        self._decide = self._made_to_decide()

    @property
    def _protocol_file(self) -> str:
        given = self._question.interaction
        return given if isinstance(given, str) else "the interaction"

    def _made_to_decide(self) -> Callable[[MultiTrace], Answer]:
        return self._decider() if self._question.on_search is None else self._recorder()

    def _decider(self) -> Callable[[MultiTrace], Answer]:
        """The procedure that gives exact verdicts, or the search that the analysis asks for."""
        analysis = self._question.analysis
        if isinstance(self._protocol, Automaton):
            from choreomon.verify.automaton_verifier import AutomatonVerifier

            return AutomatonVerifier(
                self._protocol,
                analysis.mode,
                procedure=analysis.procedure or "reduced",
                max_states=analysis.max_states,
                should_stop=self._bounds,
            ).decide
        try:
            return self._verifier().decide
        except TooLarge as error:
            told = f"{error}, and {analysis.procedure} needs its automaton; choreomon synthesize"
            told += " says which loop makes it so large"
            raise DocumentError((Problem(self._protocol_file, 0, "", told),)) from None

    def _verifier(self) -> Verifier:
        analysis = self._question.analysis
        assert not isinstance(self._protocol, Automaton)
        return Verifier(
            self._protocol,
            analysis.mode,
            options=analysis.search,
            portfolio=analysis.portfolio,
            procedure=analysis.procedure or "auto",
            max_states=analysis.max_states,
            should_stop=self._bounds,
        )

    def _recorder(self) -> Callable[[MultiTrace], Answer]:
        """A search that keeps its graph until the next one."""
        analysis = self._question.analysis
        if analysis.search is None or analysis.portfolio:
            raise ValueError("only one search has a graph: say how to search, and no portfolio")
        assert not isinstance(self._protocol, Automaton)  # which has no search
        from choreomon.verify.papers.engine import Searcher

        options = replace(analysis.search, record=True, should_stop=self._bounds)
        searcher = Searcher(self._protocol, analysis.mode, options)

        def decide(multitrace: MultiTrace) -> Answer:
            self._searched = found = searcher.search(multitrace)
            method = searcher.decided_by(multitrace)
            return Answer(found.verdict, found.reason, found.vertices, method)

        return decide

    def judge(self, source: Source) -> Outcome:
        """Judge a multi-trace. One that cannot be read, that the analysis does not fit, or about
        which `on_search` complains, has a `problem` and no answer."""
        name = source if isinstance(source, str) else source[0]
        mode = self._question.analysis.mode
        begun = time.perf_counter()

        def failed(problem: str) -> Outcome:
            return Outcome(name, mode, None, time.perf_counter() - begun, problem=problem)

        self._searched = None  # where memory runs out there is no graph
        self._make_room()
        multitrace: MultiTrace | None = None
        self._bounds.start()
        try:
            multitrace = self._read(source)
            answer = self._decide(multitrace)
        except DocumentError as error:
            return failed(str(error))
        except MemoryError:
            answer = Answer(Verdict.INCONC, "OutOfMemory")
        except ValueError as error:  # the analysis does not fit the multi-trace
            return failed(f"{name}: {error}")
        seconds = time.perf_counter() - begun
        on_search = self._question.on_search
        if on_search is not None and self._searched is not None:
            assert not isinstance(self._protocol, Automaton)
            try:
                on_search(name, self._protocol, self._searched)
            except ChoreomonError as error:
                problem = f"{name}: is {answer.verdict.value}, but {error}"
                return Outcome(name, mode, None, seconds, problem=problem)
        if multitrace is None:
            return Outcome(name, mode, answer, seconds)
        explanation = self._explanation(multitrace, answer.verdict)
        failed_it = answer.verdict is Verdict.FAIL
        fault = self._fault(multitrace) if failed_it else None
        late = mode in ("prefix", "multiprefix") and self._fits_late(multitrace, fault)
        recorded = tuple(
            lifeline
            for part in multitrace.components
            if part.actions
            for lifeline in part.lifelines
        )
        return Outcome(
            name,
            mode,
            answer,
            seconds,
            explanation=explanation,
            recorded=recorded,
            fault=fault,
            fits_late=late,
            **self._occurring(multitrace),
        )

    def _occurring(self, multitrace: MultiTrace) -> dict[str, Any]:
        """The fields `strange` and `unseen` of an outcome."""
        unseen = (1 << len(self._letters)) - 1
        strange: dict[Action, None] = {}
        for part in multitrace.components:
            for action in _different(part.actions):
                bit = self._letters.get(action)
                if bit is not None:
                    unseen &= ~bit
                elif len(strange) < MOST_STRANGE:
                    strange[action] = None
        return {"strange": tuple(strange), "unseen": unseen}

    def _explanation(self, multitrace: MultiTrace, verdict: Verdict) -> Explanation | None:
        if not self._question.explain:
            return None
        from choreomon.batch.explaining import explained

        self._make_room()
        return explained(
            self._protocol,
            multitrace,
            self._question.analysis.mode,
            verdict,
            seconds=self._seconds,
            megabytes=self._question.memory,
        )

    def _fault(self, multitrace: MultiTrace) -> Fault | None:
        """Find out who is to blame, in as much time as the verdict may take."""
        self._make_room()
        self._bounds.start()
        try:
            if self._blame is None:
                from choreomon.verify.blame import Blame

                mode = self._question.analysis.mode
                self._blame = Blame(self._protocol, mode, should_stop=self._bounds)
            return self._blame.fault(multitrace)
        except MemoryError:
            return None

    def _fits_late(self, multitrace: MultiTrace, fault: Fault | None) -> bool:
        """Return whether a log is wrong by itself from its first action on, and all is a slice, as
        far as that is known within the bounds of the verdict. The first is quick to ask."""
        if fault is None or fault.kind != "LocalError":
            return False
        begun = [
            MultiTrace((one._replace(actions=one.actions[:1]),))
            for one in multitrace.components
            if one.lifelines in fault.locations
        ]
        self._make_room()
        self._bounds.start()
        try:
            if self._slices is None:
                if isinstance(self._protocol, Automaton):
                    from choreomon.verify.automaton_verifier import AutomatonVerifier

                    automaton, stop = self._protocol, self._bounds
                    self._begins = AutomatonVerifier(
                        automaton, "multiprefix", should_stop=stop
                    ).decide
                    self._slices = AutomatonVerifier(automaton, "slice", should_stop=stop).decide
                else:
                    stop = self._bounds
                    self._begins = Verifier(self._protocol, "multiprefix", should_stop=stop).decide
                    self._slices = Verifier(self._protocol, "slice", should_stop=stop).decide
            if all(self._begins(one).verdict.passes for one in begun):
                return False
            return self._slices(multitrace).verdict.passes
        except MemoryError:
            return False

    def _make_room(self) -> None:
        """Drop everything learned about the interaction if memory is tight."""
        if self._bounds.is_tight:
            self._blame = None
            self._slices = None
            self._decide = self._made_to_decide()
            forget_steps()
            gc.collect()

    def _read(self, source: Source) -> MultiTrace:
        if isinstance(source, str):
            clocks = self._question.clocks
            return load_multi_trace(source, self._lifelines, self._signature, clocks)
        return multi_trace(source[1].components, self._lifelines)


def _different(trace: Sequence[Action]) -> Iterable[Action]:
    """The actions of a trace, of a long one each once."""
    if isinstance(trace, CodedTrace):
        return (trace.alphabet[code] for code in set(trace.codes))
    return trace
