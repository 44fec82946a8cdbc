"""Activities of an application: its handlers, and to which of them each sends.

An *activity* is what one message of the environment sets off: a communication chain of messages,
each but the first sent by the handler of the one before it. The longest chains come first, then
activities of one message, then of none.

An activity of one message may end at a handler at which other activities end; apart from that no
handler belongs to two. So no communication chain contains messages of two activities: they are
causally unrelated. The paper leaves open whether the order of actions within a process counts, too;
here only messages count, as in its "chain of message handlers".
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from choreomon.core.message import Message
from simulator.generation.draws import below, shuffled
from simulator.generation.parameters import Parameters, single_messages


class Handler(NamedTuple):
    """The handler of a process for one message name."""

    process: str
    name: str


class Activity(NamedTuple):
    """Handlers, each but the last of which sends to the next; the environment starts the first."""

    handlers: tuple[Handler, ...]

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages in the order in which they are sent: message number k by handler number
        k."""
        pairs = zip(self.handlers, self.handlers[1:], strict=False)
        return tuple(Message(sender.process, to.name, to.process) for sender, to in pairs)


def process_names(parameters: Parameters) -> list[str]:
    return [f"p{number}" for number in range(1, parameters.processes + 1)]


def handlers_of(parameters: Parameters) -> list[list[Handler]]:
    """The handlers of each process; all names are different."""
    each = parameters.handlers
    return [
        [Handler(process, f"m{place * each + number}") for number in range(1, each + 1)]
        for place, process in enumerate(process_names(parameters))
    ]


def drawn_activities(parameters: Parameters, random: Random) -> list[Activity]:
    """Draw activities such that every handler of the application is in at least one:
    `parameters.chains` of `parameters.chain` messages, then as many of one message as can be told
    apart, then those of no message. No two of their messages are the same."""
    free = [shuffled(random, own) for own in handlers_of(parameters)]
    chains = [_chain(free, parameters.chain, random) for _ in range(parameters.chains)]
    singles = _singles(free, chains, random)
    used = {handler for activity in (*chains, *singles) for handler in activity.handlers}
    idle = [Activity((h,)) for own in handlers_of(parameters) for h in own if h not in used]
    return [*chains, *singles, *idle]


def _chain(free: list[list[Handler]], length: int, random: Random) -> Activity:
    """A chain through different processes, which takes handlers where most are left, so that the
    rest stays balanced. Only if every process sends in it, it ends at one of them."""
    most_first = shuffled(random, range(len(free)))
    most_first.sort(key=lambda process: -len(free[process]))
    if length < len(free):
        path = shuffled(random, most_first[: length + 1])
    else:
        end = most_first[0]
        path = shuffled(random, [p for p in range(len(free)) if p != end])
        # It may send at any place but the last: no process sends to itself.
        path.insert(below(random, len(path)), end)
        path.append(end)
    return Activity(tuple(free[process].pop() for process in path))


def _singles(free: list[list[Handler]], chains: list[Activity], random: Random) -> list[Activity]:
    """Make as many activities of one message as the remaining handlers allow. They end at the ends
    of chains, and at as few other handlers as possible."""
    names = [own[0].process if own else None for own in free]
    targets = [(chain.handlers[-1], chain.handlers[-2].process) for chain in chains]
    outside = [sum(name not in (end.process, last) for end, last in targets) for name in names]
    _, ends = single_messages([*map(len, free)], outside)
    for own, number in zip(free, ends, strict=True):
        targets += [(end, end.process) for end in own[:number]]
    made: list[Activity] = []
    for name, own, number in zip(names, free, ends, strict=True):
        allowed = [end for end, last in targets if name not in (end.process, last)]
        pairs = zip(own[number:], shuffled(random, allowed), strict=False)
        made += [Activity((start, end)) for start, end in pairs]
    return made
