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
    - `channels`: for each receiver the channels that hold something, by sender.
    """

    variables: tuple[tuple[int | bool, ...], ...]
    unsent: tuple[tuple[Sending, ...], ...]
    channels: tuple[tuple[_Channel, ...], ...]


class ApplicationProtocol:
    """The runs of an application, in all orders. Values that messages carry are left out: handlers
    do not depend on them."""

    def __init__(self, application: CompiledApplication) -> None:
        self._application = application
        self.processes = application.processes
        sends = [send for p in application.programs for block in p for send in block.sends]
        taken = [each.routes for each in application.starts] + [send.routes for send in sends]
        handled = (route.label for routes in taken for route in routes)
        self.labels = frozenset((*(send.label for send in sends), *handled))

    def loosened(self, watched: Collection[Label]) -> None:
        """Loosens nothing: what handlers do depends on all that happened."""

    def initial(self) -> tuple[Situation, ...]:
        empty: tuple[tuple[_Channel, ...], ...] = ((),) * len(self.processes)
        found = dict.fromkeys([empty])
        for start in sorted(self._application.starts, key=lambda start: start.at):
            found = dict.fromkeys(
                _routed(channels, ENVIRONMENT, route)
                for channels in found
                for route in start.routes
            )
        nothing: tuple[Sending, ...] = ()
        unsent = (nothing,) * len(self.processes)
        variables = self._application.variables
        return tuple(Situation(variables, unsent, channels) for channels in found)

    def may_end(self, state: Situation) -> bool:
        return not any(state.unsent) and not any(state.channels)

    def steps(self, state: Situation) -> Iterator[tuple[Events, Situation]]:
        """The steps that a process may take next: send what it still has to, to any replica of its
        receiver, or handle the oldest message of one of its senders."""
        variables, unsent, channels = state
        for own, sends in enumerate(unsent):
            if sends:
                rest_unsent = _put(unsent, own, sends[1:])
                for route in sends[0].routes:
                    channels_after = _routed(channels, self.processes[own], route)
                    after = Situation(variables, rest_unsent, channels_after)
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
