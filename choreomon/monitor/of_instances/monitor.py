"""The monitor of a property for each instance, as a step function.

`step(state, clock, input) -> (state, clock, effects)`, as `choreomon.monitor.pull` has it, which
steps each instance. What is one for all of them is here: the promises to those who ask and to
oneself, gaps, the bounds for what is open and what waits, and that what is decided at one binding
lets inquiries go on that wait at another.

The rules have to be `precise`. Events do not queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from immutables import Map

from choreomon.core.binding import Binding
from choreomon.core.errors import InternalError
from choreomon.core.message import Label
from choreomon.core.vector_clock import VectorClock, zero
from choreomon.monitor.effects import Declared, Effect, Send, Unfinished
from choreomon.monitor.gap_bounds import gap_ended, gap_opened
from choreomon.monitor.inspection import unanswered_inquiries
from choreomon.monitor.messages import Inquiry, Waiting
from choreomon.monitor.of_instances.forgetting import unseen
from choreomon.monitor.of_instances.messages import AboutOne, InstanceMessage
from choreomon.monitor.of_instances.open_events import NONE_OPEN, OpenEvent
from choreomon.monitor.of_instances.state import (
    NOTHING,
    Instance,
    InstanceEvent,
    InstancesState,
    Shared,
)
from choreomon.monitor.of_instances.view import (
    Homes,
    Names,
    OneInstance,
    Part,
    homes_of,
    taken_back,
    viewed,
)
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.pull import ANSWERS_IN_A_SLICE, WAITING_PER_OPEN
from choreomon.monitor.rules import Rules
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import (
    Expire,
    GapEnds,
    GapOpens,
    GiveUp,
    GoOn,
    Input,
    MonitorState,
)

InstanceInput: TypeAlias = (
    InstanceEvent | InstanceMessage | Expire | GiveUp | GoOn | GapOpens | GapEnds
)
Stepped: TypeAlias = tuple[InstancesState, VectorClock, list[Effect]]

Cold: TypeAlias = Callable[[Binding], Instance | None]

_GO_ON: Final = GoOn()


def nowhere(binding: Binding) -> Instance | None:
    """Return the instance of a monitor whose states have all instances."""
    return None


@dataclass(frozen=True)
class InstanceMonitor(MonitorSetup):
    """The pulling monitor of one process, for a property for each instance. It has no state of its
    own. `most_open` and what may wait are bounded over all instances. `cold` finds instances that
    its states need not have, as they are in a store; they must stay so as long as states are used
    that were made with them (`checkpoint`)."""

    rules: Rules = PRECISE
    cold: Cold = field(default=nowhere, repr=False)
    one: OneInstance = field(init=False, repr=False)
    homes: Homes = field(init=False, repr=False)
    forgets: frozenset[Names] = field(init=False, repr=False)
    carried: Mapping[Label, Names] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.rules.together:
            raise InternalError(f"{self.process}: instances are judged by the precise rules")
        # What is open is bounded here: in a view the oldest event may be another binding's.
        one = OneInstance(
            self.table,
            self.processes,
            self.rules,
            has_deadline=self.has_deadline,
            in_slices=self.in_slices,
        )
        homes = homes_of(self.table)
        carried = {label: tuple(sorted(names)) for label, names in self.table.carries.items()}
        object.__setattr__(self, "one", one)
        object.__setattr__(self, "homes", Homes([homes[each] for each in self.references]))
        object.__setattr__(self, "carried", carried)
        forgetting = self.table.forgetting
        forgets = frozenset[Names]() if forgetting is None else forgetting.bindings
        object.__setattr__(self, "forgets", forgets)

    def unseen(self, shared: Shared, binding: Binding) -> Instance:
        """Return the knowledge about an instance that left no memory: nothing, or that it may have
        been forgotten."""
        until = shared.forgotten.until
        if not until or tuple([name for name, _ in binding]) not in self.forgets:
            return NOTHING
        places = self.homes.path(binding)[-1][1]
        references = [self.references[place] for place in places]
        return Instance(unseen(until, references, [self.remembers[place] for place in places]))

    def initial(self) -> InstancesState:
        return InstancesState(Shared((0,) * len(self.readers)), Map())

    def step(self, state: InstancesState, clock: VectorClock, input_: InstanceInput) -> Stepped:
        """The next state, the merged clock, and what to do. Raises `InternalError` for the end of a
        gap that never opened, which is a mistake of the driver."""
        turn = Turn(self, state, clock)
        turn.take(input_)
        if turn.shared is state.shared and not turn.changed:
            return state, turn.clock, turn.effects
        instances = state.instances
        for binding, instance in turn.changed.items():
            if instance != NOTHING or self.cold(binding) is not None:
                instances = instances.set(binding, instance)
            elif binding in instances:
                instances = instances.delete(binding)
        return InstancesState(turn.shared, instances), turn.clock, turn.effects

    def open_inquiries(
        self, state: InstancesState, clock: VectorClock
    ) -> Iterator[InstanceMessage]:
        """Yield what others were asked and have not answered, oldest event first: what to ask again
        after a restart, or where it may have been lost."""
        turn = Turn(self, state, clock)
        for event, binding, *_ in state.shared.open:
            view = turn.view(binding)
            for inspection in state.instances[binding].inspections:
                if inspection.event == event:
                    for inquiry in unanswered_inquiries(self.one, view, inspection, clock):
                        if inquiry.receiver != self.process:
                            yield turn.addressed(inquiry, binding)


def resumed(
    monitor: InstanceMonitor,
    shared: Shared,
    instances: Iterable[tuple[Binding, Instance]],
) -> InstancesState:
    """Rebuild the state from these instances, which are in memory. What is open and what waits in
    `shared` is computed from them."""
    empty = shared._replace(open=NONE_OPEN, waiting=Map(), postponed=0)
    state = InstancesState(empty, Map(instances))
    turn = Turn(monitor, state, zero(len(monitor.processes)))
    for binding, instance in state.instances.items():
        turn.note(binding, NOTHING, instance)
    return state._replace(shared=turn.shared)


def checkpoint(state: InstancesState) -> tuple[InstancesState, dict[Binding, Instance]]:
    """Split a state: the part that stays in memory, and the idle instances that go into a store. A
    stored `NOTHING` removes the row of its instance. Use the smaller state only once
    `InstanceMonitor.cold` has the rows."""
    idle = {binding: each for binding, each in state.instances.items() if each.is_idle}
    left = Map({binding: each for binding, each in state.instances.items() if not each.is_idle})
    return InstancesState(state.shared, left), idle


class Turn:
    """Step in the making: what `changed` (to `NOTHING` where nothing is left to remember), and what
    is `shared` after it."""

    def __init__(self, monitor: InstanceMonitor, state: InstancesState, clock: VectorClock) -> None:
        self.shared = state.shared
        self.clock = clock
        self.changed: dict[Binding, Instance] = {}
        self.effects: list[Effect] = []
        self._monitor = monitor
        self._instances = state.instances
        self._to_wake: dict[Binding, None] = {}

    def take(self, input_: InstanceInput) -> None:
        """Do all that follows from this input; once."""
        # What is common goes first and by type, as in `Monitor.step`.
        if type(input_) is InstanceMessage:
            self.step_at(input_.binding, input_.message)
        elif type(input_) is InstanceEvent:
            event = input_.event
            self.step_at(input_.binding, event, event.clock[self._monitor.own])
            self._give_up_above(event.clock)
        else:
            self._take_rarer(input_)
        self.wake()
        if self.shared.unfinished:
            self.effects.append(Unfinished())

    def _take_rarer(self, input_: InstanceInput) -> None:
        match input_:
            case Expire(event) | GiveUp(event):
                found = self._opened_at(event)
                if found is not None:
                    self.step_at(found.binding, input_)
            case GoOn():
                self._go_on()
            case GapOpens(since):
                self.note_gaps(gap_opened(self._monitor, self._of_gaps(), since or self.clock))
            case GapEnds(until, since):
                state, verdicts = gap_ended(self._monitor, self._of_gaps(), until, since)
                self.note_gaps(state)
                self.effects += verdicts

    def view(self, binding: Binding) -> MonitorState:
        """Return the part of the memory that concerns this binding."""
        monitor = self._monitor
        return viewed(self.shared, self._parts(binding), len(monitor.homes), monitor.own, None)

    def _parts(self, binding: Binding) -> list[Part]:
        path = self._monitor.homes.path(binding)
        return [Part(each, places, self._remembered(each)) for each, places in path]

    def addressed(self, message: AboutOne, binding: Binding) -> InstanceMessage:
        """The message with its binding, which promises for all instances."""
        if not isinstance(message, Waiting):
            opened = self.shared.open.first
            oldest = self.clock if opened is None else opened.event
            message = message._replace(settled=oldest[self._monitor.index_of[message.receiver]])
        return InstanceMessage(message, binding)

    def _remembered(self, binding: Binding) -> Instance:
        found = self.changed.get(binding) or self._instances.get(binding)
        found = found or self._monitor.cold(binding) or NOTHING
        if self.shared.forgotten.until and found == NOTHING:
            return self._monitor.unseen(self.shared, binding)
        return found

    def step_at(self, binding: Binding, input_: Input, next_count: int | None = None) -> None:
        """Step one instance; the caller wakes what waits for it."""
        monitor = self._monitor
        parts = self._parts(binding)
        view = viewed(self.shared, parts, len(monitor.homes), monitor.own, next_count)
        if type(input_) is Inquiry and not any(part.instance.has_records for part in parts):
            self.shared = self.shared._replace(unknown=self.shared.unknown + 1)
        after, self.clock, effects = monitor.one.step(view, self.clock, input_)
        if (
            type(input_) is Inquiry
            and len(after.postponed) > len(view.postponed)
            and monitor.most_open is not None
            and self.shared.postponed >= WAITING_PER_OPEN * monitor.most_open
        ):
            after = after._replace(postponed=view.postponed)  # its asker will repeat it
        if after.settled != view.settled:
            self.shared = self.shared._replace(promises=after.settled[:-1])
        if after is not view:
            self._put(parts, after)
        for effect in effects:
            if isinstance(effect, Send):
                assert isinstance(effect.message, AboutOne)
                self.effects.append(Send(self.addressed(effect.message, binding)))
            elif isinstance(effect, Declared):
                self.effects.append(effect._replace(binding=binding))
            elif isinstance(effect, Unfinished):
                self._unfinished(binding)
            else:
                self.effects.append(effect)

    def _put(self, parts: Sequence[Part], after: MonitorState) -> None:
        binding, _, before = parts[-1]
        found = taken_back(after, parts, self._monitor.carried)
        if found is before:
            return
        has, had, shared = found.has_records, before.has_records, self.shared
        if not has and found.is_bare:
            found = NOTHING
        if not had and before.is_bare:
            before = NOTHING
        if found is before:
            return
        self.changed[binding] = found
        records = found.records - before.records
        if records or has != had:
            self.shared = shared._replace(
                records=shared.records + records,
                created=shared.created + (has and not had),
                emptied=shared.emptied + (had and not has),
            )
        if found.inspections != before.inspections:
            for each in self.shared.waiting.get(binding, ()):
                self._to_wake[each] = None
        self.note(binding, before, found)

    def note(self, binding: Binding, before: Instance, after: Instance) -> None:
        """Note the open events and waiting inquiries of an instance that changed."""
        if (after.inspections, after.decisions) != (before.inspections, before.decisions):
            self._note_open(binding, before, after)
        if after.postponed != before.postponed:
            self._note_waiting(binding, before, after)

    def _note_open(self, binding: Binding, before: Instance, after: Instance) -> None:
        """Note which events are under inspection now, and how far each is."""
        told = {each.event: each.told for each in after.decisions}
        now = {
            event: OpenEvent(event, binding, waiting, plan.final, told.get(event))
            for event, plan, waiting, *_ in after.inspections
        }
        opened, own = self.shared.open, self._monitor.own
        for event in dict.fromkeys([*[each.event for each in before.inspections], *now]):
            opened = opened.noted(event[own], now.get(event))
        if opened is not self.shared.open:
            self.shared = self.shared._replace(open=opened)

    def _note_waiting(self, binding: Binding, before: Instance, after: Instance) -> None:
        """Note whether inquiries wait here for decisions about bindings above."""
        waiting = self.shared.waiting
        if bool(before.postponed) != bool(after.postponed):
            for each, _ in self._monitor.homes.path(binding)[:-1]:
                there = waiting.get(each, Map())
                there = there.set(binding, None) if after.postponed else there.delete(binding)
                waiting = waiting.set(each, there) if there else waiting.delete(each)
        postponed = self.shared.postponed + len(after.postponed) - len(before.postponed)
        self.shared = self.shared._replace(waiting=waiting, postponed=postponed)

    # What is decided at one binding lets others go on.

    def wake(self) -> None:
        """Try again the inquiries that waited for a decision; in slices only some of them now."""
        woken = 0
        while self._to_wake:
            binding = next(iter(self._to_wake))
            del self._to_wake[binding]
            if self._monitor.in_slices and woken >= ANSWERS_IN_A_SLICE:
                self._unfinished(binding)
                continue
            woken += 1
            self.step_at(binding, _GO_ON)

    def _unfinished(self, binding: Binding) -> None:
        if binding not in self.shared.unfinished:
            self.shared = self.shared._replace(unfinished=(*self.shared.unfinished, binding))

    def _go_on(self) -> None:
        if self.shared.unfinished:
            first, *rest = self.shared.unfinished
            self.shared = self.shared._replace(unfinished=tuple(rest))
            self.step_at(first, _GO_ON)

    # Bounds.

    def _give_up_above(self, newest: VectorClock) -> None:
        """Give up the oldest events while more than allowed are open; never the newest one."""
        most = self._monitor.most_open
        while most is not None and len(self.shared.open) > most:
            oldest = self.shared.open.first
            if oldest is None or oldest.event == newest:
                break
            self.step_at(oldest.binding, GiveUp(oldest.event))
            self.wake()

    def _opened_at(self, event: VectorClock) -> OpenEvent | None:
        found = self.shared.open.at(event[self._monitor.own])
        return found if found is not None and found.event == event else None

    # Gaps are those of the process.

    def _of_gaps(self) -> MonitorState:
        return self._monitor.one.initial()._replace(gaps=self.shared.gaps)

    def note_gaps(self, state: MonitorState) -> None:
        self.shared = self.shared._replace(gaps=state.gaps)
