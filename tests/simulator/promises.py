"""What a generated document promises, recomputed from the document, slowly and without a look at
how it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations

from choreomon.actors.delays import Constant, LinkDelays
from choreomon.core.message import SEND, Message
from choreomon.core.run import RunEvent
from choreomon.documents.read import Document, parse_document
from choreomon.documents.scenario_text import document_as_yaml, scenario_document
from choreomon.documents.shape import ApplicationDocument, IfStatement, SendStatement, Statement
from simulator.generation.parameters import Parameters
from simulator.generation.scenario import generated_scenario
from simulator.generation.schedule import DELAY, MEAN
from simulator.run import simulation

Chain = tuple[Message, ...]


def document_text(parameters: Parameters, seed: int) -> str:
    """The document of a generated scenario."""
    made = generated_scenario(parameters, seed)
    stated = (made.application, DELAY, made.sequences, made.parameters, made.replicas)
    return document_as_yaml(scenario_document("made", *stated))


def read_back(text: str) -> Document:
    """By the project's own reader."""
    return parse_document(text, "made.yaml")


def sends_in(statements: Iterable[Statement]) -> Iterator[tuple[str, str]]:
    """Receivers and names of all that is sent, in both branches."""
    for statement in statements:
        match statement:
            case SendStatement(send=send):
                yield send.to, send.message
            case IfStatement(then=then, otherwise=otherwise):
                yield from sends_in(then)
                yield from sends_in(otherwise)


def communication_chains(application: ApplicationDocument) -> list[Chain]:
    """One for every way from a start to a handler that sends nothing: the messages between
    processes on it."""
    handlers = {process.id: process.handlers for process in application.processes}
    found: list[Chain] = []
    for start in application.start:
        ways: list[tuple[Chain, str, str]] = [((), start.to, start.message)]
        while ways:
            chain, process, name = ways.pop()
            assert len(chain) <= 1_000, "handlers send to each other without end"
            sends = [*sends_in(handlers[process][name])]
            if chain and not sends:
                found.append(chain)
            for to, message in sends:
                ways.append(((*chain, Message(process, message, to)), to, message))
    return found


def sent_at_mean_delays(document: Document) -> Counter[Message]:
    """How often each message is sent when every message takes the mean time."""
    sent: Counter[Message] = Counter()
    roles = document.replicas.roles

    def note(event: RunEvent) -> None:
        if event.kind == SEND:
            sent[roles.of_roles(event.label).message] += 1

    prepared = replace(simulation(document), delays=LinkDelays(Constant(MEAN)))
    prepared.run(0, recorder=note)
    return sent


def is_subsequence(part: Iterable[Message], whole: Iterable[Message]) -> bool:
    left = iter(whole)
    return all(message in left for message in part)


def rounded(share: float, number: int) -> tuple[int, ...]:
    """The whole numbers that are nearest to a share of a number."""
    low = int(share * number)
    distances = {low: abs(share * number - low), low + 1: abs(low + 1 - share * number)}
    least = min(distances.values())
    return tuple(value for value, distance in distances.items() if distance <= least + 1e-9)


def broken_promises(document: Document, parameters: Parameters) -> set[str]:
    """Those that the document does not keep, in words."""
    application = document.application
    assert application is not None
    return {
        *(["the reader warns of nothing"] if document.warnings else ()),
        *_broken_by_application(application, parameters),
        *_broken_by_chains(communication_chains(application), parameters),
        *_broken_by_sequences(document, parameters),
        *_broken_by_cancellations(document, parameters),
    }


def _broken_by_application(
    application: ApplicationDocument, parameters: Parameters
) -> Iterator[str]:
    if len(application.processes) != parameters.processes:
        yield "processes"
    if {len(process.handlers) for process in application.processes} != {parameters.handlers}:
        yield "handlers"
    bodies = [body for process in application.processes for body in process.handlers.values()]
    sending = [body for body in bodies if [*sends_in(body)]]
    branching = [
        body
        for body in sending
        if any(isinstance(s, IfStatement) and [*sends_in([s])] for s in body)
    ]
    if len(branching) not in rounded(parameters.branching, len(sending)):
        yield "share of branching"
    for process in application.processes:
        for body in process.handlers.values():
            if any(to == process.id for to, _ in sends_in(body)):
                yield "nobody sends to itself"
    chains = communication_chains(application)
    handled = {(m.receiver, m.name) for chain in chains for m in chain}
    handled |= {(start.to, start.message) for start in application.start}
    if handled != {(p.id, name) for p in application.processes for name in p.handlers}:
        yield "every handler can run"


def _broken_by_chains(chains: list[Chain], parameters: Parameters) -> Iterator[str]:
    longest = max(map(len, chains), default=0)
    if longest > parameters.chain:
        yield "no chain is too long"
    if longest < parameters.chain:
        yield "the chain length is reached"
    for chain in chains:
        if len({message.sender for message in chain}) < len(chain):
            yield "processes of a chain differ"
    if max(Counter(m for chain in chains for m in chain).values(), default=0) > 2:
        yield "two chains per message"


def _broken_by_sequences(document: Document, parameters: Parameters) -> Iterator[str]:
    sequences = steps_of(document)
    if len(sequences) != parameters.sequences:
        yield "number of sequences"
    if len({*sequences}) < len(sequences):
        yield "sequences differ"
    if any(len(sequence) < parameters.length for sequence in sequences):
        yield "minimum length"
    if any(len(sequence) > parameters.length for sequence in sequences):
        yield "exact length"
    assert document.application is not None
    chains = communication_chains(document.application)
    often = Counter(message for chain in chains for message in chain)
    if sent_at_mean_delays(document) != often:
        yield "all is sent at mean delays"
    if any(Counter(sequence) - often for sequence in sequences):
        yield "steps can be sent"
    if not all(_is_well_made(sequence, chains, parameters) for sequence in sequences):
        yield "a chain, then unrelated messages"


def steps_of(document: Document) -> list[Chain]:
    """The messages of each sequence, whose labels all speak of sending."""
    assert document.property is not None
    sequences = document.property.sequences
    assert all(label.kind == SEND for sequence in sequences for label in sequence.steps)
    return [tuple(label.message for label in sequence.steps) for sequence in sequences]


def related(one: Message, other: Message, chains: Iterable[Chain]) -> bool:
    """Whether some chain contains both."""
    return any(one in chain and other in chain for chain in chains)


def _is_well_made(sequence: Chain, chains: list[Chain], parameters: Parameters) -> bool:
    """Whether it has as much of one of the longest chains as fits, in its order, and for the rest
    messages that no chain contains together with another one of the sequence."""
    for chain in {*chains}:
        own = [message for message in sequence if message in chain]
        rest = [message for message in sequence if message not in chain]
        if len(chain) == parameters.chain and len(own) == min(parameters.chain, parameters.length):
            pairs = [*combinations(sorted({*rest}), 2), *((a, b) for a in rest for b in own)]
            if is_subsequence(own, chain) and not any(related(a, b, chains) for a, b in pairs):
                return True
    return False


def _broken_by_cancellations(document: Document, parameters: Parameters) -> Iterator[str]:
    assert document.property is not None
    assert document.application is not None
    sequences = document.property.sequences
    chains = communication_chains(document.application)
    sent = {message for chain in chains for message in chain}
    places = [(n, i) for n, sequence in enumerate(sequences) for i in range(1, len(sequence.steps))]
    cancelled: list[tuple[int, int]] = []
    for number, sequence in enumerate(sequences):
        steps = [label.message for label in sequence.steps]
        apart = [m for m in sent if not any(related(m, step, chains) for step in steps)]
        for cancellation in sequence.cancel:
            first, last = cancellation.after
            cancelled += [(number, done) for done in range(first, last + 1)]
            message = cancellation.on.message
            if message not in sent or message == steps[first]:
                yield "what cancels can be sent, and is not the next step"
            if apart and message not in apart:
                yield "what cancels is unrelated where that can be"
    if len({*cancelled}) < len(cancelled) or not {*cancelled} <= {*places}:
        yield "one cancellation at a place"
    if len(cancelled) not in rounded(parameters.cancellations, len(places)):
        yield "share of cancellations"
