"""What happened before what, from what logs say and nothing else.

The events of one process are in the order of its log. A send is before its reception: by the
message id where there is one; else by counting, since k receptions of a message from one process
need k sends of it. Where an event has a vector clock, that says what it knows. Times order nothing.

Of every process it is kept how many items (`choreomon.audit.items`) of each process it knows; what
the property does not mention changes that, and leaves nothing else behind. A reception whose send
was not read yet waits, and with it the rest of its process's log; so does an item whose clock knows
events that were not read.

Not guaranteed: that what a process without clocks heard through messages that its log does not show
is known here (then events count as concurrent that are not); that a send in an event without clock
is matched to a reception by counting when the sender's log does not say to whom it went.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, NoReturn, TypeAlias

from choreomon.audit.items import Clock, Gap, Item
from choreomon.core.errors import DocumentError, Problem
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, Label
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent, Strange

MAX_WAITING: Final = 10_000
"""Events of one process that wait, above which they are gone on with as they are."""

MAX_IN_FLIGHT: Final = 100_000
"""Messages that were sent and not received, above which the oldest one's send is forgotten."""

LOOKED_FOR_CYCLES: Final = 100
"""How often it is looked for a cycle before the end, since every queue is looked through."""

REMEMBERED: Final = 10_000
"""Message ids of receptions that are remembered to tell when one comes again, at least."""

_Channel: TypeAlias = tuple[str, str, str]
_Awaited: TypeAlias = "str | _Channel | _Process"

NOWHERE: Final = Place("", 0)


class _Process:
    """What is known of one process. `index`: in clocks, None where the property has no label of it.
    `last` is the number of its last event, and `item_numbers` those of its items from number
    `forgotten` + 1 on. `told` is its last vector clock, where `known` does not have it yet."""

    __slots__ = (
        *("name", "index", "watched", "last", "last_place", "known", "told", "raw", "heard"),
        *("item_numbers", "forgotten", "items", "queue", "awaits", "awaited_by"),
    )

    def __init__(self, name: str, index: int | None, size: int) -> None:
        self.name = name
        self.index = index
        self.watched: dict[tuple[str, str], tuple[Label, ...]] | None = None
        self.last: float = 0
        self.last_place: Place | None = None
        self.known: Clock = (0,) * size
        self.told: Mapping[str, int] | None = None
        self.raw: Mapping[str, int] | None = None
        self.heard: Clock | None = None
        self.item_numbers: list[float] = []
        self.forgotten = 0
        self.items = 0
        self.queue: deque[RecordedEvent] = deque()
        self.awaits: _Awaited | None = None
        self.awaited_by: list[_Process] | None = None


class Causality:
    """Reads events and gives items: `add` for each event, `finish` at the end.

    - `processes`: those of the property; clocks have their order.
    - `labels`: what the property watches.
    - `on_item` is called with each item; those of one process in its order, and each after all that
      it knows and that was read in time.
    - `on_lacking` is called with a gap that may be anywhere in the log of one process.
    - `on_diagnostic` is called with what is strange.
    - `incomplete`: processes whose sends are not counted, since some may be missing.

    Raises `DocumentError` for logs that contradict themselves: a process whose own numbers do not
    grow, and happened-before with a cycle.
    """

    def __init__(
        self,
        processes: Sequence[str],
        labels: Iterable[Label],
        *,
        on_item: Callable[[Item], None],
        on_lacking: Callable[[int, Gap], None],
        on_diagnostic: Callable[[Diagnostic], None],
        incomplete: Collection[str] = (),
        max_waiting: int = MAX_WAITING,
    ) -> None:
        self._size = len(processes)
        self._on_item = on_item
        self._on_lacking = on_lacking
        self._on_diagnostic = on_diagnostic
        self._max_waiting = max_waiting
        self._processes: dict[str, _Process] = {}
        self._watching: list[_Process] = []
        self._senders: dict[tuple[str, str], set[str]] = {}
        for index, name in enumerate(processes):
            process = _Process(name, index, self._size)
            process.watched = {}
            self._watching.append(process)
        for label in labels:
            process = self._watching[list(processes).index(label.process)]
            assert process.watched is not None
            key = (label.kind, label.message.name)
            process.watched[key] = (*process.watched.get(key, ()), label)
        self._sent: dict[str, tuple[Clock, Place]] = {}
        self._channels: dict[_Channel, deque[Clock]] = {}
        self._unaddressed: set[tuple[str, str]] = set()
        self._uncounted = frozenset(incomplete)
        self._received: set[str] = set()
        self._received_earlier: set[str] = set()
        self._waiting_for: dict[str | _Channel, list[_Process]] = {}
        self._ready: deque[_Process] = deque()
        self._silent: set[str] = {ENVIRONMENT}
        self._numbered = 0
        self._finishing = False
        self._queued: set[str | _Channel] | None = None
        self._given_up = 0
        self.events = 0

    # Reading

    def add(self, event: RecordedEvent) -> None:
        self.events += 1
        process = self._processes.get(event.process)
        if process is None:
            process = self._appeared(event.process)
        if process.queue:
            process.queue.append(event)
            if len(process.queue) > self._max_waiting:
                self._give_up(process)
        elif not self._take(process, event, False):
            process.queue.append(event)
        if self._ready:
            self._go_on()

    def waits(self, name: str) -> bool:
        """Whether events of this process have to wait for others, which should be read first."""
        process = self._processes.get(name)
        return process is not None and bool(process.queue)

    def seen(self, index: int) -> bool:
        """Whether the log has events of the process with this index."""
        return self._watching[index].name in self._processes

    def knowledge(self, index: int) -> Clock:
        """What the process with this index knows now: every later event of it knows that, too."""
        process = self._watching[index]
        return self._known(process) if process.told is not None else process.known

    def finish(self) -> None:
        """No more events come: what waits is gone on with, and logs that end early are gaps."""
        self._finishing = True
        while blocked := [each for each in self._processes.values() if each.queue]:
            before = [len(each.queue) for each in blocked]
            self._ready.extend(blocked)
            self._go_on()
            if before != [len(each.queue) for each in blocked]:
                continue
            self._give_up(self._without_send(blocked))
        self._ends()

    def _appeared(self, name: str) -> _Process:
        found = next((each for each in self._watching if each.name == name), None)
        process = found or _Process(name, None, self._size)
        self._processes[name] = process
        return process

    def _take(self, process: _Process, event: RecordedEvent, released: bool) -> bool:
        """The next event of the process; False where it has to wait, and then nothing changed.
        `released`: it waits no longer."""
        clock = event.clock
        told: float = process.last + 1
        if clock is not None:
            own = clock.get(process.name)
            if own is not None:
                told = own
            else:
                self._without_own_entry(event)
                clock = None
        elif event.number is not None:
            told = event.number
        if clock is None and event.number is None and process.raw is not None:
            # Clocks do not count it, so who knows the next one knows it, and nobody else.
            told = process.last + 0.5 if process.last == int(process.last) else process.last
        labels = None if process.watched is None else process.watched.get((event.kind, event.name))
        jumps = told != process.last + 1 and told != process.last + 0.5
        ends_gap = jumps and process.index is not None and not released
        if ends_gap and process.raw is not None and self._ahead(process, process.raw):
            return False  # the gap begins with all that the process knew before it
        heard: Clock | None = None
        if clock is not None:
            if labels is not None and not released and self._ahead(process, clock):
                return False
            if event.message_id is not None and event.kind == HANDLE:
                self._sent.pop(event.message_id, None)
        elif event.kind == HANDLE:
            heard = self._heard(process, event, released)
            if heard is None:
                return False
        if jumps:
            self._jumped(process, event, told)
        if heard is not None and heard is not process.heard:
            process.heard = heard
            known = process.known
            process.known = tuple([a if a >= b else b for a, b in zip(known, heard)])  # noqa: B905
        process.last = told
        process.last_place = event.place
        if clock is not None:
            process.told = process.raw = clock
        if labels is not None:
            self._labelled(process, event, labels)
        if event.kind == SEND:
            self._send(process, event)
        if process.awaited_by is not None:
            self._ready.extend(process.awaited_by)
            process.awaited_by = None
        return True

    def _without_own_entry(self, event: RecordedEvent) -> None:
        name = event.process
        told = f"{_named(event)}: its clock has no entry for {name} itself, so it is not used"
        self._strange("not-understood", told, event.place)

    # Items

    def _labelled(self, process: _Process, event: RecordedEvent, labels: tuple[Label, ...]) -> None:
        if event.peer is not None:
            sending = event.kind == SEND
            labels = tuple(
                label
                for label in labels
                if event.peer == (label.message.receiver if sending else label.message.sender)
            )
        if len(labels) == 1:
            self._item(process, event, labels[0])
        elif labels:
            reason = (
                f"{_named(event)} does not say {'to' if event.kind == SEND else 'from'} whom, and "
                f"the property has {' and '.join(map(str, labels))}"
            )
            self._strange("not-understood", f"{reason}: give the other end", event.place)
            self._marks(process, Gap(process.name, reason, event.place, event.place))

    def _item(self, process: _Process, event: RecordedEvent, label: Label) -> None:
        self._tick(process)
        assert process.index is not None
        number = self._numbered
        self._on_item(Item(process.index, process.items, process.known, number, label, event))

    def _tick(self, process: _Process) -> None:
        index = process.index
        assert index is not None
        known = self._known(process) if process.told is not None else process.known
        process.items += 1
        self._numbered += 1
        process.known = (*known[:index], process.items, *known[index + 1 :])
        numbers = process.item_numbers
        numbers.append(process.last)
        if len(numbers) >= 2_000:
            self._forget(process)

    def _marks(self, process: _Process, gap: Gap, *, ends: bool = True) -> None:
        assert process.index is not None
        for opens in (True, False) if ends else (True,):
            self._tick(process)
            numbers = (process.items, process.known, self._numbered)
            self._on_item(Item(process.index, *numbers, None, None, gap, opens))

    def _known(self, process: _Process) -> Clock:
        """With what its last vector clock says, in numbers of items."""
        told = process.told
        assert told is not None
        known = [*process.known]
        settled = True
        for index, other in enumerate(self._watching):
            count = told.get(other.name)
            if count and other is not process:
                items = other.forgotten + bisect_right(other.item_numbers, count)
                if items > known[index]:
                    known[index] = items
                if count >= other.last:  # of its last event more may be to come
                    settled = False
        if settled:
            process.told = None
        process.known = tuple(known)
        return process.known

    def _forget(self, process: _Process) -> None:
        """The numbers of items that every process knows need not be looked up any more."""
        assert process.index is not None
        least = min(
            self.knowledge(each.index)[process.index] if each.index is not None
            else each.known[process.index] if each.raw is None
            else process.forgotten
            + bisect_right(process.item_numbers, each.raw.get(process.name, 0))
            for each in (*self._watching, *self._processes.values())
        )  # fmt: skip
        settled = least - 1 - process.forgotten
        if settled > 0:
            del process.item_numbers[:settled]
            process.forgotten += settled

    # Gaps

    def _jumped(self, process: _Process, event: RecordedEvent, told: float) -> None:
        last = int(process.last)
        if told == process.last != last or told == last + 1:
            return  # without clock among others with clocks
        if told <= last:
            problem = (
                f"{_named(event)} is number {told} of {process.name}, after number {last} "
                f"({process.last_place}): the numbers of a process have to grow with its events"
            )
            raise DocumentError((Problem(event.place.file, event.place.line, "", problem),))
        told = int(told)
        missing = told - last - 1
        lost = f"event {last + 1}" if missing == 1 else f"events {last + 1} to {told - 1}"
        lack = "is" if missing == 1 else "are"
        reason = f"{lost} of {process.name} {lack} not in its log"
        self._strange("gap", reason, event.place)
        if process.index is not None:
            kept = process.last
            process.last = told  # what knows the event after the gap knows its end
            self._marks(process, Gap(process.name, reason, process.last_place, event.place))
            process.last = kept

    def _lacks_send(self, process: _Process, event: RecordedEvent) -> None:
        """The reception has no send. Its sender's log lacks it, we do not know where."""
        name = event.peer
        told = f" from {name}" if name else ""
        self._strange(
            "reception-without-send",
            f"{_named(event)}: its send{told} is in no log that was read",
            event.place,
        )
        if name is not None:
            self._silent |= set() if name in self._processes else {name}
            suspects = [name]
        else:
            labels = [label for each in self._watching for group in (each.watched or {}).values()
                      for label in group]  # fmt: skip
            suspects = [
                label.message.sender
                for label in labels
                if (label.message.name, label.message.receiver) == (event.name, process.name)
            ]
        for index, each in enumerate(self._watching):
            if each.name in suspects:
                reason = f"the log of {each.name} lacks the send of {event.name} to {process.name}"
                self._on_lacking(index, Gap(each.name, reason))

    def _ends(self) -> None:
        told = [each.raw for each in self._processes.values() if each.raw is not None]
        for process in self._watching:
            if process.name not in self._processes:
                if process.watched:
                    reason = f"no log has any event of {process.name}"
                    self._strange("log-missing", reason, NOWHERE)
                    assert process.index is not None
                    self._on_lacking(process.index, Gap(process.name, reason))
                continue
            most = max((clock.get(process.name, 0) for clock in told), default=0)
            if most > process.last:
                reason = (
                    f"the log of {process.name} ends with event {int(process.last)}, and others "
                    f"know of event {most}"
                )
                self._strange("gap", reason, process.last_place or NOWHERE)
                self._marks(process, Gap(process.name, reason, process.last_place), ends=False)
        if self._sent:
            place = next(iter(self._sent.values()))[1]
            others = f", and {len(self._sent) - 1} more" if len(self._sent) > 1 else ""
            self._strange(
                "send-without-reception",
                f"the message {next(iter(self._sent))} was received by nobody{others}",
                place,
            )

    # Messages

    def _send(self, process: _Process, event: RecordedEvent) -> None:
        key: str | _Channel | None = event.message_id
        if key is None and event.clock is not None:
            return
        known = self._known(process) if process.told is not None else process.known
        if isinstance(key, str):
            earlier = self._sent.get(key)
            if earlier is not None:
                self._strange(
                    "two-sends", f"message {key} is sent again, after {earlier[1]}", event.place
                )
                known = tuple(map(min, known, earlier[0]))
            self._sent[key] = (known, event.place)
            if len(self._sent) > MAX_IN_FLIGHT:
                del self._sent[next(iter(self._sent))]
        elif event.peer is None:
            self._unaddressed.add((process.name, event.name))
        else:
            key = (process.name, event.name, event.peer)
            sends = self._channels.setdefault(key, deque())
            # The older one's knowledge is less, and so right for either.
            sends.append(sends[-1] if len(sends) > MAX_IN_FLIGHT else known)
        if self._waiting_for and key in self._waiting_for:
            self._ready.extend(self._waiting_for.pop(key))

    def _heard(self, process: _Process, event: RecordedEvent, released: bool) -> Clock | None:
        """What the message of a reception tells: what its sender knew. None: wait for the send."""
        key: str | _Channel
        if event.message_id is not None:
            key = event.message_id
            sent = self._sent.pop(key, None)
            if sent is not None:
                self._received.add(key)
                if len(self._received) > REMEMBERED:
                    self._received_earlier, self._received = self._received, set()
                return sent[0]
            if key in self._received or key in self._received_earlier:
                self._strange("two-receptions", f"message {key} is received again", event.place)
                return process.known
        else:
            if (
                event.peer is None
                or event.peer in self._uncounted
                or (event.peer, event.name) in self._unaddressed
            ):
                return process.known
            key = (event.peer, event.name, process.name)
            sends = self._channels.get(key)
            if sends:
                return sends.popleft()
            sender = self._processes.get(event.peer)
            if sender is not None and sender.raw is not None:
                return process.known  # who has clocks is not counted
        if event.peer in self._silent:
            return process.known
        if released:
            self._lacks_send(process, event)
            return process.known
        waiting = self._waiting_for.setdefault(key, [])
        if process not in waiting:
            waiting.append(process)
        process.awaits = key
        return None

    # Waiting

    def _ahead(self, process: _Process, clock: Mapping[str, int]) -> bool:
        """Whether the clock knows events that were not read and may still come."""
        for other in self._watching:
            count = clock.get(other.name, 0)
            if count <= other.last or other is process:
                continue
            if self._finishing and not (other.queue and self._number(other) <= count):
                continue
            if other.awaited_by is None:
                other.awaited_by = []
            if process not in other.awaited_by:
                other.awaited_by.append(process)
            process.awaits = other
            return True
        return False

    def _number(self, process: _Process) -> float:
        event = process.queue[0]
        if event.clock is not None:
            return event.clock.get(process.name, process.last + 1)
        return process.last + 1 if event.number is None else event.number

    def _go_on(self) -> None:
        while self._ready:
            process = self._ready.popleft()
            queue = process.queue
            while queue:
                event = queue[0]
                if not self._take(process, event, False):
                    break
                queue.popleft()

    def _give_up(self, process: _Process) -> None:
        """The first event of the process waits no longer. Raises `DocumentError` where it waits
        for what in turn waits for it."""
        self._given_up += 1
        if self._given_up <= LOOKED_FOR_CYCLES or self._queued is not None:
            self._refuse_cycle(process)
        self._take(process, process.queue[0], True)
        process.queue.popleft()
        self._ready.append(process)

    def _without_send(self, blocked: Collection[_Process]) -> _Process:
        """One that waits for something that no other one of these has in its queue; the first of
        them where there is none."""
        for again in (False, True):
            if again or self._queued is None:
                self._queued = self._sends_in_queues()
            for process in blocked:
                awaited = process.awaits
                if not isinstance(awaited, _Process) and awaited not in self._queued:
                    return process
        return next(iter(blocked))

    def _sends_in_queues(self) -> set[str | _Channel]:
        queued: set[str | _Channel] = set()
        for process in self._processes.values():
            for event in process.queue:
                if event.kind == SEND and event.message_id is not None:
                    queued.add(event.message_id)
                elif event.kind == SEND and event.peer is not None:
                    queued.add((process.name, event.name, event.peer))
        return queued

    def _owner(self, awaited: _Awaited | None) -> _Process | None:
        """In whose queue it is that is waited for."""
        if isinstance(awaited, _Process):
            return awaited if awaited.queue else None
        for process in self._processes.values():
            for event in process.queue:
                if event.kind == SEND and awaited in (
                    event.message_id,
                    (process.name, event.name, event.peer),
                ):
                    return process
        return None

    def _refuse_cycle(self, process: _Process) -> None:
        path: list[_Process] = []
        following: _Process | None = process
        while following is not None and following not in path:
            path.append(following)
            following = self._owner(following.awaits) if following.queue else None
        if following is not None:
            _refuse([each.queue[0] for each in path[path.index(following) :]])

    def _strange(self, kind: Strange, message: str, place: Place) -> None:
        self._on_diagnostic(Diagnostic(kind, message, place))


def _named(event: RecordedEvent) -> str:
    what = {"send": "the send of ", "handle": "the reception of "}.get(event.kind, "")
    return f"{what}{event.name} at {event.process}"


def _refuse(cycle: Sequence[RecordedEvent]) -> NoReturn:
    told = "; ".join(f"{_named(event)} ({event.place})" for event in cycle)
    place = cycle[0].place
    message = f"happened-before has a cycle, each of these is before itself: {told}"
    raise DocumentError((Problem(place.file, place.line, "", message),))
