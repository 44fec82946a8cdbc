"""Small random interactions, and what the laws compare them by."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from random import Random
from types import FrameType, ModuleType

from choreomon.core.action import Action, parse_action
from choreomon.interaction.generation import ALL_OPERATORS, random_interaction
from choreomon.interaction.step import frontier
from choreomon.interaction.term import Interaction, act, seq, strict

LIFELINES = ("l1", "l2", "l3")
MESSAGES = ("a", "b")


def a(text: str) -> Interaction:
    """The interaction of the action written `text`."""
    return act(parse_action(text))


def calls(module: ModuleType, work: Callable[[], object]) -> int:
    """How many functions of the module are called for it."""
    found = 0

    def seen(frame: FrameType, event: str, _: object) -> None:
        nonlocal found
        found += event == "call" and frame.f_code.co_filename == module.__file__

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


def passing(sender: str, message: str, *receivers: str) -> Interaction:
    """A message, or a broadcast."""
    return strict(
        a(f"{sender}!{message}"), seq(*[a(f"{receiver}?{message}") for receiver in receivers])
    )


def word(text: str) -> tuple[Action, ...]:
    """The actions written with blanks between them."""
    return tuple(map(parse_action, text.split()))


def interactions(
    seed: int,
    number: int,
    *,
    lifelines: tuple[str, ...] = LIFELINES,
    operators: tuple[str, ...] = ALL_OPERATORS,
    max_size: int = 10,
) -> Iterator[Interaction]:
    """Interactions of 3 to `max_size` symbols."""
    rng = Random(seed)
    for _ in range(number):
        yield random_interaction(
            rng,
            lifelines=lifelines,
            messages=MESSAGES,
            operators=operators,
            min_depth=2,
            min_size=3,
            max_size=max_size,
        )


def breaches(
    holds: Callable[[Interaction], bool], terms: Iterable[Interaction]
) -> list[Interaction]:
    """Those of `terms` for which a law does not hold."""
    return [term for term in terms if not holds(term)]


def stepped(term: Interaction, length: int) -> set[tuple[Action, ...]]:
    """The accepted traces of at most `length` actions, by executing step after step."""
    situations: set[tuple[tuple[Action, ...], Interaction]] = {((), term)}
    found = {done for done, left in situations if left.terminates}
    for _ in range(length):
        situations = {
            ((*done, step.action), step.follow_up)
            for done, left in situations
            for step in frontier(left)
        }
        found |= {done for done, left in situations if left.terminates}
    return found


Local = tuple[tuple[str, tuple[Action, ...]], ...]


def local_views(trace: tuple[Action, ...], lifelines: Iterable[str]) -> Local:
    """What each of the lifelines sees of a trace: a multi-trace of the discrete partition."""
    return tuple(
        (name, tuple(action for action in trace if action.lifeline == name)) for name in lifelines
    )


def all_local_views(
    traces: Iterable[tuple[Action, ...]], lifelines: Iterable[str] = LIFELINES
) -> set[Local]:
    """The multi-traces of several traces."""
    names = tuple(lifelines)
    return {local_views(trace, names) for trace in traces}


def extended_by(prefixes: dict[str, str], multi_traces: Iterable[Local]) -> bool:
    """Whether a multi-trace continues every one of the local prefixes."""
    wanted = {name: word(text) for name, text in prefixes.items()}
    return any(
        all(view[: len(wanted[name])] == wanted[name] for name, view in views if name in wanted)
        for views in multi_traces
    )
