"""Causality: what happened before what, from what logs say and nothing else.

The events of one process are in the order of its log. A send is before its reception: by the
message id where there is one; else by counting, since k receptions of a message from one process
need k sends of it. Where an event has a vector clock, that says what it knows. Times order nothing.

Of every process it is kept how many items (`choreomon.audit.items`) of each process it knows; what
the property does not mention changes that, and leaves nothing else behind. A reception whose send
was not read yet waits, and with it the rest of its process's log; so does an item whose clock knows
events that were not read.

Not guaranteed: that what a process without clocks heard through messages that its log does not show
is known here (then events count as concurrent that are not), nor that what it heard from others
without clocks is known to those whose clocks count its events; that a send in an event without
clock is matched to a reception by counting when the sender's log does not say to whom it went.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from choreomon.audit.gaps import (
    ended_early,
    missing_from_all,
    never_logged,
    number_unsaid,
    numbers_missing,
    send_missing,
    without_own_entry,
)
from choreomon.audit.items import Clock, Gap, Item
from choreomon.audit.labelling import Labelling
from choreomon.audit.messages import Messages, Told
from choreomon.audit.numbers import Numbering
from choreomon.audit.process import (
    Key,
    Process,
    Queued,
    event_name,
    known_items,
    next_number,
    now_numbered,
    refuse_cycle,
    senders_of,
    sends_in_queues,
    stated_number,
    watched_labels,
    with_clock,
)
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, Label
from choreomon.core.recorded import UNCOUNTED, Diagnostic, Place, RecordedEvent, Strange
from choreomon.core.roles import NO_ROLES, Roles

MAX_WAITING: Final = 10_000
"""Events of one process that wait, above which they are gone on with as they are."""

LOOKED_FOR_CYCLES: Final = 100
"""Most searches for a cycle before the end, since each looks through every queue."""

NOWHERE: Final = Place("", 0)


class Causality:
    """Reads events and gives items: `add` for each event, `finish` at the end.

    - `processes`: those of the property; clocks have their order.
    - `labels`: what the property watches.
    - `on_item` is called with each item; those of one process in its order, and each after all that
      it knows and that was read in time.
    - `on_lacking` is called with a gap that may be anywhere in the log of one process.
    - `on_diagnostic` is called with what is strange.
    - `incomplete`: processes whose sends are not counted, since some may be missing.
    - `numbering`: of one session of several, what numbers say that go on through all of them.
    - `roles`: those of the processes, with the replicas that logs have.

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
        numbering: Numbering | None = None,
        roles: Roles = NO_ROLES,
    ) -> None:
        self._roles = roles
        self._numbering = numbering
        self._size = len(processes)
        self._on_lacking = on_lacking
        self._on_diagnostic = on_diagnostic
        self._max_waiting = max_waiting
        self._processes: dict[str, Process] = {}
        self._watching: list[Process] = []
        for name, watched in watched_labels(tuple(processes), tuple(labels)).items():
            process = Process(name, len(self._watching), self._size)
            process.watched = watched
            self._watching.append(process)
        self._labelling = Labelling(
            self._watching, on_item=on_item, on_diagnostic=on_diagnostic, roles=roles
        )
        self._messages = Messages(incomplete, on_diagnostic, self._release, roles)
        self._waiting_for: dict[Key, list[Process]] = {}
        self._ready: deque[Process] = deque()
        self._silent: set[str] = {ENVIRONMENT}
        self._finishing = False
        self._queued: Queued | None = None
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
        """Return whether events of this process have to wait for others, which should be read
        first."""
        process = self._processes.get(name)
        return process is not None and bool(process.queue)

    def look_again(self) -> None:
        """Goes on with what waits no longer, as the `numbering` knows more by now."""
        self._ready.extend(each for each in self._processes.values() if each.queue)
        self._go_on()

    def seen(self, index: int) -> bool:
        """Return whether the log has events of the process with this index."""
        return self._watching[index].name in self._processes

    def knowledge(self, index: int) -> Clock:
        """The present knowledge of the process with this index; all its later events know as
        much."""
        process = self._watching[index]
        return known_items(process, self._watching)

    def finish(self, logged: Collection[str] = ()) -> None:
        """Go on with everything that waits; logs that end early are gaps. See `Auditor.finish`."""
        self._finishing = True
        while blocked := [each for each in self._processes.values() if each.queue]:
            before = [len(each.queue) for each in blocked]
            self.look_again()
            if before != [len(each.queue) for each in blocked]:
                continue
            self._give_up(self._without_send(blocked))
        for event in self._messages.lacking(self._processes):
            self._lacks_send(event)
        self._ends(logged)

    def _appeared(self, name: str) -> Process:
        found = next((each for each in self._watching if each.name == name), None)
        process = self._processes[name] = found or Process(name, None, self._size)
        return process

    def _take(self, process: Process, event: RecordedEvent, released: bool) -> bool:
        """The next event of the process; False where it has to wait, and then nothing changed.
        `released`: it waits no longer."""
        clock, stated = event.clock, stated_number(event)
        if clock is not None and process.name not in clock:
            clock = None
        if event.number == UNCOUNTED and process.last < 1:
            process.numbered = True  # so number 1 is still to come, and others know of it
        if (whole := self._numbering) is not None:
            process.whole = whole if whole.counts_all(process.name) else None
        told: float = process.last + 1
        if stated is not None:
            told = stated
        elif process.numbered or process.whole:
            # Clocks do not count it, so whoever knows the next event knows it, and nobody else.
            told = int(process.last) + 0.5
        labels = None if process.watched is None else process.watched.get((event.kind, event.name))
        jumps = stated is not None and stated - process.last > 1 and not released
        if jumps and process.whole is not None:
            jumps = process.whole.missing(process.name, process.last, stated) is not None
        ends_gap = jumps and process.index is not None and process.raw is not None
        if ends_gap and self._ahead(process, process.raw or {}):
            return False  # the gap begins with all that the process knew before it
        heard: Clock | None = None
        if clock is not None:
            if labels is not None and not released and self._ahead(process, clock):
                return False
            if event.kind == HANDLE:
                self._messages.take(event)
        elif not released and process.told is not None and self._ahead(process, process.told):
            return False  # what it heard before its clock fell silent
        elif event.kind == HANDLE:
            heard = self._heard(process, event, released)
            if heard is None:
                return False
        if clock is None and event.clock is not None:
            self._strange("not-understood", without_own_entry(event), event.place)
        if stated is None:
            if process.numbered:
                self._messages.stop_counting(process.name)
        elif stated != process.last + 1 or not process.numbered:
            self._numbered_now(process, event, stated)
        if heard is not None and heard is not process.heard:
            process.heard = heard
            known = process.known
            process.known = tuple([a if a >= b else b for a, b in zip(known, heard)])  # noqa: B905
        process.last = told
        process.last_place = event.place
        if clock is not None:
            process.told = process.raw = clock
        if labels is not None:
            self._labelling.labelled(process, event, labels)
        if event.kind == SEND:
            self._send(process, event)
        if process.awaited_by is not None:
            self._ready.extend(process.awaited_by)
            process.awaited_by = None
        return True

    # Gaps

    def _numbered_now(self, process: Process, event: RecordedEvent, told: int) -> None:
        """The event says that it has this number."""
        last, unsure = now_numbered(process, event, told)
        if process.whole:  # missing events are reported for all sessions at once
            reason = missing_from_all(self._numbering, process.name, last, told)
        elif reason := "" if told == last + 1 else numbers_missing(process.name, last, told):
            reason = number_unsaid(reason) if unsure else reason
            self._strange("gap", reason, event.place)
        if reason or unsure:
            self._messages.stop_counting(process.name)
        if not reason:
            return
        if process.index is not None and unsure:
            self._on_lacking(process.index, Gap(process.name, reason))
        elif process.index is not None:
            gap = Gap(process.name, reason, process.last_place, event.place)
            process.last = told  # whoever knows the event after the gap knows its end
            self._labelling.marks(process, gap)

    def _lacks_send(self, event: RecordedEvent) -> None:
        """The reception has no send. Its sender's log lacks it, we do not know where."""
        name = event.peer
        told = f" from {name}" if name else ""
        self._strange(
            "reception-without-send",
            f"{event_name(event)}: its send{told} is in no log that was read",
            event.place,
        )
        if name is not None and name not in self._processes and name not in self._roles.slots:
            self._silent.add(name)
        suspects = senders_of(event, self._watching, self._roles)
        for index, each in enumerate(self._watching):
            if each.name in suspects:
                self._on_lacking(index, Gap(each.name, send_missing(each.name, event)))

    def _ends(self, logged: Collection[str]) -> None:
        told = [each.raw for each in self._processes.values() if each.raw is not None]
        for process in self._watching:
            assert process.index is not None
            if process.name not in self._processes:
                if process.watched and process.name not in logged:
                    reason = never_logged(process.name)
                    self._strange("log-missing", reason, NOWHERE)
                    self._on_lacking(process.index, Gap(process.name, reason))
                continue
            if process.whole:
                reason = missing_from_all(self._numbering, process.name, process.last)
            else:
                most = max((clock.get(process.name, 0) for clock in told), default=0)
                if reason := ended_early(process.name, process.last, most):
                    self._strange("gap", reason, process.last_place or NOWHERE)
            if reason and process.last == int(process.last):
                gap = Gap(process.name, reason, process.last_place)
                self._labelling.marks(process, gap, ends=False)
            elif reason:
                self._on_lacking(process.index, Gap(process.name, reason))
        if (left := self._messages.never_received()) is not None:
            self._on_diagnostic(left)

    # Messages

    def _send(self, process: Process, event: RecordedEvent) -> None:
        # Perhaps not all of its last clock was read.
        key = self._messages.send(event, Told(process.known, event.place, process.told))
        if key is not None and self._waiting_for and key in self._waiting_for:
            self._ready.extend(self._waiting_for.pop(key))

    def _heard(self, process: Process, event: RecordedEvent, released: bool) -> Clock | None:
        """The knowledge of the sender that the message of a reception carries. None: wait for the
        send."""
        told, key = self._messages.reception(event)
        if key is None:
            if told is None:
                return process.known
            if told.clock is None:
                return told.known
            if not released and self._ahead(process, told.clock):
                self._messages.put_back(event, told)
                return None
            return with_clock(told.known, told.clock, self._watching)[0]
        if event.peer in self._silent:
            return process.known
        if released:
            if not self._sent_otherwise(event):
                self._lacks_send(event)
            return process.known
        waiting = self._waiting_for.setdefault(key, [])
        if process not in waiting:
            waiting.append(process)
        process.awaits = key
        return None

    def _sent_otherwise(self, reception: RecordedEvent) -> bool:
        """Return whether the missing send may be waiting under a key that the reception does not
        ask for."""
        if reception.message_id is not None and self._messages.without_id(reception):
            return True
        queued = self._queued
        if queued is None:
            sender = None if reception.peer is None else self._processes.get(reception.peer)
            queued = sends_in_queues(() if sender is None else (sender,), self._roles)
        return queued.otherwise(reception)

    # Waiting

    def _release(self, process: str) -> None:
        """Stop waiting for some messages of the process."""
        for key in [*self._waiting_for]:
            if isinstance(key, str) or key[0] == process:
                self._ready.extend(self._waiting_for.pop(key))

    def _ahead(self, process: Process, clock: Mapping[str, int]) -> bool:
        """Return whether the clock knows events that may still be read."""
        for other in self._watching:
            count = clock.get(other.name, 0)
            if count <= other.last or other is process:
                continue
            if self._numbering is not None:
                count = self._numbering.last_up_to(other.name, count)
                if count <= other.last:
                    continue
            if self._finishing and not (other.queue and next_number(other) <= count):
                continue
            if other.awaited_by is None:
                other.awaited_by = []
            if process not in other.awaited_by:
                other.awaited_by.append(process)
            process.awaits = other
            return True
        return False

    def _go_on(self) -> None:
        while self._ready:
            process = self._ready.popleft()
            queue = process.queue
            while queue:
                event = queue[0]
                if not self._take(process, event, False):
                    break
                queue.popleft()

    def _give_up(self, process: Process) -> None:
        """The first event of the process waits no longer. Raises `DocumentError` where it waits
        for what in turn waits for it."""
        self._given_up += 1
        if self._given_up <= LOOKED_FOR_CYCLES or self._queued is not None:
            refuse_cycle(self._processes.values(), process, self._roles)
        self._take(process, process.queue[0], True)
        process.queue.popleft()
        self._ready.append(process)

    def _without_send(self, blocked: Collection[Process]) -> Process:
        """Choose a process whose next event waits for something that no queue of the others holds;
        else the first."""
        for again in (False, True):
            if again or self._queued is None:
                self._queued = sends_in_queues(self._processes.values(), self._roles)
            for process in blocked:
                awaited = process.awaits
                if not isinstance(awaited, Process) and awaited not in self._queued.keys:
                    return process
        return next(iter(blocked))

    def _strange(self, kind: Strange, message: str, place: Place) -> None:
        self._on_diagnostic(Diagnostic(kind, message, place))
