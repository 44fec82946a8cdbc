"""Applications as protocols: whatever clocks, networks and schedulers do.

Messages from one process to another arrive in the order in which they were sent, those of the
environment to one process in the order of their times; nothing else is known of when anything
happens. Between two sends of one handler others may do what they like.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple, TypeAlias, TypeVar

from choreomon.actors.compilation import CompiledApplication, Route, Sending
from choreomon.actors.program import perform
from choreomon.core.message import ENVIRONMENT, Label
from choreomon.possible.protocol import Events

T = TypeVar("T")

_Channel: TypeAlias = tuple[str, tuple[Route, ...]]
"""The messages from one sender to one receiver that are not handled yet, the oldest first."""


class Situation(NamedTuple):
    """The state of an application between two events.

    - `variables`: of each process, by slot;
    - `unsent`: what each process still sends in the handler that it is in;
    - `channels`: for each receiver the channels that hold something, by sender;
    - `started`: how many messages of the environment are in channels, or were.
    """

    variables: tuple[tuple[int | bool, ...], ...]
    unsent: tuple[tuple[Sending, ...], ...]
    channels: tuple[tuple[_Channel, ...], ...]
    started: int = 0


class ApplicationProtocol:
    """The runs of an application, in all orders. Values that messages carry are left out: handlers
    do not depend on them."""

    def __init__(self, application: CompiledApplication) -> None:
        self._application = application
        self._starts = sorted(application.starts, key=lambda start: start.at)
        self.processes = application.processes
        sends = [send for p in application.programs for block in p for send in block.sends]
        taken = [each.routes for each in application.starts] + [send.routes for send in sends]
        handled = (route.label for routes in taken for route in routes)
        self.labels = frozenset((*(send.label for send in sends), *handled))

    def loosened(self, watched: Collection[Label]) -> None:
        """Loosens nothing: what handlers do depends on all that happened."""

    def initial(self) -> tuple[Situation, ...]:
        empty: tuple[tuple[_Channel, ...], ...] = ((),) * len(self.processes)
        nothing: tuple[Sending, ...] = ()
        unsent = (nothing,) * len(self.processes)
        return (self._until_a_choice(Situation(self._application.variables, unsent, empty)),)

    def may_end(self, state: Situation) -> bool:
        there = state.started < len(self._starts)
        return not there and not any(state.unsent) and not any(state.channels)

    def _until_a_choice(self, state: Situation) -> Situation:
        """The state when all messages of the environment are in channels up to the first one of
        which there is a choice of replicas: all these at once would be too many states."""
        channels, started = state.channels, state.started
        for start in self._starts[started:]:
            if len(start.routes) > 1:
                break
            channels = _routed(channels, ENVIRONMENT, start.routes[0])
            started += 1
        return state._replace(channels=channels, started=started)

    def steps(self, state: Situation) -> Iterator[tuple[Events, Situation]]:
        """The steps that a process may take next: send what it still has to, to any replica of its
        receiver, or handle the oldest message of one of its senders. And without an event, the next
        message of the environment goes to one of several replicas."""
        variables, unsent, channels, started = state
        for route in self._starts[started].routes if started < len(self._starts) else ():
            held = _routed(channels, ENVIRONMENT, route)
            yield (), self._until_a_choice(state._replace(channels=held, started=started + 1))
        for own, sends in enumerate(unsent):
            if sends:
                rest_unsent = _put(unsent, own, sends[1:])
                for route in sends[0].routes:
                    channels_after = _routed(channels, self.processes[own], route)
                    after = Situation(variables, rest_unsent, channels_after, started)
                    yield (sends[0].label,), after
                continue
            for place, (sender, (route, *later)) in enumerate(channels[own]):
                changed = [*variables[own]]
                told = perform(self._application.programs[route.program], changed)
                left = ((sender, tuple(later)),) if later else ()
                rest = (*channels[own][:place], *left, *channels[own][place + 1 :])
                yield (
                    (route.label,),
                    Situation(
                        _put(variables, own, tuple(changed)),
                        _put(unsent, own, told),
                        _put(channels, own, rest),
                        started,
                    ),
                )


def _routed(
    channels: tuple[tuple[_Channel, ...], ...], sender: str, route: Route
) -> tuple[tuple[_Channel, ...], ...]:
    """Channels with a message more."""
    to = route.receiver
    return _put(channels, to, _with(channels[to], sender, route))


def _with(channels: tuple[_Channel, ...], sender: str, route: Route) -> tuple[_Channel, ...]:
    """The channels to one receiver with a message more; sorted, so that equal ones are equal."""
    held = dict(channels)
    held[sender] = (*held.get(sender, ()), route)
    return tuple(sorted(held.items(), key=_sender))


def _sender(channel: _Channel) -> str:
    return channel[0]


def _put(values: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    return (*values[:place], value, *values[place + 1 :])
