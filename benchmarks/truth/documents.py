"""Documents drawn by a family and a number: few labels on many transitions, many events open at
once, a network that is slower than the processes. The same ones on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from choreomon.core.errors import DocumentError, PropertyError
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.documents.read import parse_document
from choreomon.documents.scenario_text import document_as_json, scenario_document
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from simulator.generation.parameters import Parameters, Unfit
from simulator.generation.scenario import generated_scenario
from simulator.generation.schedule import DELAY
from tests.laws.drawn import NOISE, draw_automaton, processes

_Document: TypeAlias = dict[str, Any]

SCENARIOS: Final = tuple(
    path
    for path in sorted(Path(__file__).parents[2].joinpath("scenarios").glob("*.yaml"))
    if not path.stem.startswith("orders")  # of each order, which is not compared here
)

SLOW: Final = (
    {"uniform": [20, 200]},
    {"exponential": 60},
    {"lognormal": [60, 0.8]},
)
"""Delays of networks, in milliseconds."""

PACES: Final = ((0, 0, 1, 1, 2, 3), (0, 0, 1, 2, 4, 10), (0, 1, 2, 5, 20, 60))
"""From one start of a burst to the next, in milliseconds."""


NEAR: Final = (
    *("01 0", "01 1", "01 2", "03 1", "04 1", "12 1", "12 2", "12 3"),
    *("23 3", "24 2", "24 3", "34 2"),
    *("43 0", "10 2", "10 3", "40 3", "30 1"),
)
"""Ways of an automaton, from state to state with a label, that bursts once got wrong verdicts by:
evidence that was cut at one event was used for another one as if it were whole."""


def document_of(family: str, number: int) -> tuple[str, str]:
    """The text of a document, JSON or YAML, and what its file is called."""
    if family == "scenarios":
        path = SCENARIOS[number % len(SCENARIOS)]
        return path.read_text(encoding="utf-8"), str(path)
    random = Random(f"truth {family} {number}")
    while True:
        try:
            text = document_as_json({"name": f"{family}-{number}"} | FAMILIES[family](random))
            parse_document(text, family)
        except (DocumentError, Unfit):  # a property that says nothing, or no room for what is asked
            continue
        return text, f"{family}-{number}.json"


def _dense(random: Random) -> _Document:
    names = processes(random.choice((2, 2, 3)))
    return _automaton_burst(random, names, dense_automaton(random, names, 0.1))


def _near(random: Random) -> _Document:
    """`NEAR`, with up to two ways left out and up to two added."""
    names = processes(2)
    labels = [Label(SEND, Message("P1", name, "P2")) for name in ("m0", "m2", "m3")]
    labels.insert(1, Label(SEND, Message("P2", "m1", "P1")))
    ways = [(int(way[0]), int(way[1]), int(label)) for way, label in map(str.split, NEAR)]
    for _ in range(random.randint(0, 2)):
        ways.remove(random.choice(ways))
    for _ in range(random.randint(0, 2)):
        source, target = random.sample(range(5), 2)
        ways.append((source, target, random.randrange(len(labels))))
    stated = [
        StatedTransition(f"q{source}", labels[label], f"q{target}")
        for source, target, label in dict.fromkeys(ways)
    ]
    try:
        automaton = sequence_automaton(initial=["q0"], final=["q4"], transitions=stated)
    except PropertyError:
        return _near(random)
    return _automaton_burst(random, names, automaton, events=(8, 14))


def _handles(random: Random) -> _Document:
    names = processes(random.choice((2, 2, 3)))
    return _automaton_burst(random, names, dense_automaton(random, names, 0.6))


def _reactions(random: Random) -> _Document:
    names = processes(random.choice((2, 3)))
    automaton = dense_automaton(random, names, 0.3)
    return _automaton_burst(random, names, automaton, reacting=0.4)


def _ends(random: Random) -> _Document:
    """Often several initial states and several final ones."""
    names = processes(random.choice((2, 3)))
    return _automaton_burst(random, names, draw_automaton(random, names, handled=0.2))


def _many(random: Random) -> _Document:
    names = processes(random.randint(4, 7))
    return _automaton_burst(random, names, draw_automaton(random, names))


def _sequences(random: Random) -> _Document:
    """The shorthand, with cancellations by messages that are steps, too."""
    names = processes(random.choice((2, 2, 3)))
    labels = _labels(random, names, random.randint(2, 4), 0.2)
    sequences = []
    for _ in range(random.choice((1, 1, 2))):
        steps = random.choices(labels, k=random.randint(2, 4))
        cancel = []
        for _ in range(random.randint(0, 2)):
            least = random.randint(1, len(steps) - 1)
            most = random.randint(least, len(steps) - 1)
            back = random.randrange(least)
            on = str(random.choice(labels))
            cancel.append({"on": on, "after": [least, most], "back_to": back})
        sequences.append({"steps": [*map(str, steps)], "cancel": cancel})
    return _burst(random, names, labels, {"sequences": sequences})


def _generated(random: Random) -> _Document:
    """As `choreomon generate` writes them; the network as it does, or slow."""
    handlers = random.randint(2, 4)
    parameters = Parameters(
        processes=random.randint(2, 4),
        handlers=handlers,
        chain=random.randint(2, handlers),
        sequences=random.choice((1, 2)),
        length=random.randint(2, 4),
        cancellations=random.choice((0.3, 1.0)),
    )
    drawn = generated_scenario(parameters, random.randrange(1 << 31))
    document = scenario_document("generated", drawn.application, DELAY, drawn.sequences)
    if random.random() < 0.5:
        document["network"] = _network(random)
    del document["name"]
    return document


FAMILIES: Final[Mapping[str, Callable[[Random], _Document]]] = MappingProxyType(
    {
        "near": _near,
        "dense": _dense,
        "ends": _ends,
        "handles": _handles,
        "reactions": _reactions,
        "sequences": _sequences,
        "many": _many,
        "generated": _generated,
    }
)


def dense_automaton(random: Random, names: Sequence[str], handled: float) -> SequenceAutomaton:
    """3 to 5 states in a row with 2 to 4 labels, each on many of the ways forward; one to four ways
    back. `handled`: the share of labels that are handles."""
    while True:
        states = [f"q{number}" for number in range(random.randint(3, 5))]
        labels = _labels(random, names, random.randint(2, 4), handled)
        pairs = [(i, j) for i in range(len(states)) for j in range(i + 1, len(states))]
        stated = [
            StatedTransition(states[i], label, states[j])
            for i, j in pairs
            for label in labels
            if random.random() < (0.55 if j == i + 1 else 0.2)
        ]
        for i, j in random.sample(pairs, random.randint(1, min(4, len(pairs)))):
            back = random.sample(labels, random.choice((1, 1, 2)))
            stated += [StatedTransition(states[j], label, states[i]) for label in back]
        try:
            return sequence_automaton(initial=states[:1], final=states[-1:], transitions=stated)
        except PropertyError:
            continue


def _labels(random: Random, names: Sequence[str], count: int, handled: float) -> list[Label]:
    labels = []
    for number in range(count):
        sender, receiver = random.sample(names, 2)
        kind = HANDLE if random.random() < handled else SEND
        labels.append(Label(kind, Message(sender, f"m{number}", receiver)))
    return labels


def _automaton_burst(
    random: Random,
    names: Sequence[str],
    automaton: SequenceAutomaton,
    *,
    events: tuple[int, int] = (6, 13),
    reacting: float = 0.0,
) -> _Document:
    stated = {
        "initial": sorted(automaton.initial),
        "final": sorted(automaton.final),
        "transitions": [
            {"from": each.source, "to": each.target, "on": str(each.label)}
            for each in (*automaton.forward, *automaton.backward)
        ],
    }
    labels = automaton.labels
    return _burst(random, names, labels, {"automaton": stated}, events=events, reacting=reacting)


def _burst(
    random: Random,
    names: Sequence[str],
    labels: Iterable[Label],
    stated: _Document,
    *,
    events: tuple[int, int] = (6, 13),
    reacting: float = 0.0,
) -> _Document:
    """The environment tells processes to send messages of the property, and now and then another
    one, faster than any of them arrives. `reacting`: the share of messages whose handler sends a
    later one, so that chains of these end."""
    sender, receiver = random.sample(names, 2)
    messages = [*dict.fromkeys(label.message for label in labels)]
    messages.append(Message(sender, NOISE, receiver))
    handlers: dict[str, dict[str, list[_Document]]] = {name: {} for name in names}
    for place, message in enumerate(messages):
        own = handlers[message.receiver].setdefault(message.name, [])
        later = [each for each in messages[place + 1 :] if each.sender == message.receiver]
        if later and random.random() < reacting:
            own.append(_send(random.choice(later)))
        handlers[message.sender][f"go-{message.name}"] = [_send(message)]
    at, pace = 0.0, random.choice(PACES)
    weights = [random.choice((1, 1, 3, 6)) for _ in messages[:-1]]
    weights.append(1)
    start = []
    for _ in range(random.randint(*events)):
        (message,) = random.choices(messages, weights)
        start.append({"to": message.sender, "message": f"go-{message.name}", "at": round(at, 3)})
        at += random.choice(pace)
    return {
        "application": {
            "processes": [{"id": name, "handlers": handlers[name]} for name in names],
            "start": start,
        },
        "network": _network(random),
        "property": stated,
    }


def _send(message: Message) -> _Document:
    return {"send": {"to": message.receiver, "message": message.name}}


def _network(random: Random) -> _Document:
    monitoring: _Document = {"in_order": random.random() < 0.25}
    if random.random() < 0.5:
        monitoring["service"] = {"constant": random.choice((1, 3))}
    if random.random() < 0.2:
        monitoring["deadline"] = random.choice((5, 50))
    return {"delay": random.choice(SLOW), "monitoring": monitoring}
