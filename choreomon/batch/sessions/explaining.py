"""Explanations of sessions that do not fit: they are read once more, and explained one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import copy

from choreomon.automata.automaton import Automaton
from choreomon.batch.explaining import blamed, explained
from choreomon.batch.sessions.judging import Judging
from choreomon.batch.sessions.logs import multi_trace_of
from choreomon.batch.sessions.question import SessionsQuestion
from choreomon.interaction.lifelines import names as names_of
from choreomon.interaction.term import Interaction
from choreomon.interaction_files.offline_json import read_interaction_json
from choreomon.multitrace.multitrace import multi_trace
from choreomon.verify.outcome import Outcome
from choreomon.verify.verdict import Answer, Verdict


def explained_failures(judging: Judging, names: Collection[str]) -> Iterator[Outcome]:
    """The outcomes of sessions that are known to fail, with their explanations and who is to blame,
    in the order in which they are read; reading ends at the last one."""
    question = judging.question
    protocol = _protocol(question)
    if isinstance(protocol, Automaton):
        lifelines = protocol.lifelines
    else:
        lifelines = names_of(protocol.lifelines)
    wanted = {*names}
    again = copy(judging)
    again.lost = []  # what could not be read was told
    for chunk in again.chunks():
        begin = 0
        for place, name in enumerate(chunk.names):
            if name in wanted and place not in chunk.problems:
                wanted.remove(name)
                logs = multi_trace_of(chunk, place, begin, question.together)
                whole = multi_trace(logs.components, lifelines)
                why = explained(protocol, whole, question.mode, Verdict.FAIL)
                fault = blamed(protocol, whole, question.mode)
                answer = Answer(Verdict.FAIL)
                yield Outcome(name, question.mode, answer, 0.0, explanation=why, fault=fault)
            begin += int(chunk.lengths[place])
        if not wanted:
            return


def _protocol(question: SessionsQuestion) -> Interaction | Automaton:
    """The interaction, of which explanations say more, where there is one."""
    if question.interaction is not None:
        return read_interaction_json(question.interaction)
    assert question.automaton is not None
    return question.automaton
