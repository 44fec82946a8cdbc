"""The service's side of the protocol with its agent, without sockets, loops or clocks.

A driver makes connections, moves bytes and tells the time; the session decides what is written,
who may go on, and when something is due:

    event, abandon      something happens in the service, or does not after all
    opened, broken      a connection is there, or gone
    receive             a message came in
    expire, due         time went by; when there is something to do next
    output, settled     what to write; whose tickets are settled

Time is monotonic, in seconds. What keeps the verdicts right is in `choreomon.agent_files.local`
(numbers, the lease) and `choreomon.sdk.knowledge` (what is heard).

An event that no table mentions needs no report. Another one waits for its answer, unless the
policy lets it leave: `fire-and-forget` always, `buffer` and `let-go` once the agent is unavailable
and the lease is over. Before the first `Welcome` nothing leaves: the agent knows no policy.

Under `let-go` an event that leaves is never reported, as the agent might take it when it has
answered later ones. Under `buffer` it may be, as an agent without a promise answers nobody until
the buffer has arrived.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, assert_never

from choreomon.agent_files.clocks.text import ClockText
from choreomon.agent_files.local import (
    VERSIONS,
    AgentMessage,
    ClientMessage,
    Clock,
    Farewell,
    Goodbye,
    Hello,
    Policy,
    RefusalReason,
    Refused,
    Renewed,
    Welcome,
    encode,
)
from choreomon.agent_files.values import NO_VALUES, Given, told_values
from choreomon.core.errors import MalformedMessage
from choreomon.core.message import EventKind
from choreomon.sdk.journal import GAP, Entry, Journal, Ticket
from choreomon.sdk.knowledge import Knowledge, joined
from choreomon.sdk.lease import GREETING_SECONDS, NEVER, Lease
from choreomon.sdk.mentioned import Mentioned, mentioned

Phase: TypeAlias = Literal["away", "greeting", "open"]

AWAY: Final[Phase] = "away"
GREETING: Final[Phase] = "greeting"
"""A hello was said and not yet answered."""
OPEN: Final[Phase] = "open"

_LEAVING: Final[tuple[Policy, ...]] = ("buffer", "let-go")
_POISONED: Final[tuple[RefusalReason, ...]] = ("malformed", "number", "process")
"""Reasons for which a repeated message would be refused again."""


class Session:
    """The session of a service with its agent, over any number of connections.

    Args:
        policy: what to do while the agent is unavailable.
        deadline: seconds after which a waiting event fails under the policy `block`; `None`
            waits as long as it takes.
        buffer: how many events are kept at most that left without an answer.
        token: said to the agent with each hello; it may change.

    `process` is the name that the agent gave, "" before the first welcome. `trouble` is what
    last went wrong, "" after a welcome; `refusal` the reason where the agent said so. `lost`
    counts the events that were never told, as far as is known.
    """

    def __init__(
        self, *, policy: Policy, deadline: float | None = None, buffer: int = 0, token: str = ""
    ) -> None:
        self.policy: Final = policy
        self.phase: Phase = AWAY
        self.process = ""
        self.trouble = ""
        self.refusal: RefusalReason | None = None
        self.lost = 0
        self.knowledge: Final = Knowledge()
        self.token = token
        self.deadline: Final = NEVER if deadline is None or policy != "block" else deadline
        self._buffer = buffer
        self._session = ""
        self._mentioned: Mentioned = {}
        self._journal = Journal()
        self._next = 1
        self._answered = 0
        self._window = 1
        self._lease = Lease(promises=policy != "fire-and-forget")
        self._greeting_until = NEVER
        self._waiting = 0
        self._output: list[bytes] = []
        self._settled: list[Ticket] = []

    # What happens in the service

    def event(
        self,
        kind: EventKind,
        peer: str,
        name: str,
        heard: ClockText,
        now: float,
        values: Given = NO_VALUES,
    ) -> Ticket | None:
        """A message is about to leave, or was taken. `peer` is its other end, `heard` the
        clock that came with it, `values` what its message carries (`told_values`).

        `None`: go on at once; `clock()` is what to carry. Else go on when the ticket is settled,
        with its clock; where it has failed, the message must not leave.

        Raises `ValueError`, and nothing has happened, where the values are not those.
        """
        knowledge, carried = self.knowledge, self._mentioned.get((kind, peer, name))
        given = NO_VALUES
        if carried is not None and (values or carried):
            given = told_values(values, carried, f"{kind} {name}")
        heard = knowledge.admit(heard) if heard else heard
        if carried is None:
            knowledge.hear(heard)
            return None
        entry = Entry(kind, peer, name, knowledge.to_tell(heard), given)
        if self.policy == "fire-and-forget" or self._may_leave(now):
            self._release()
            self._leave(entry)
            self._write(now)
            return None
        ticket = entry.waits(now)
        self._waiting += 1
        self._journal.append(entry)
        self._write(now)
        return ticket

    def untold(self, heard: ClockText, now: float) -> Ticket | None:
        """Note an event that cannot be reported, of a message that came with `heard`: the agent
        learns of a gap. As `event`, but nothing is refused."""
        if heard:
            self.knowledge.hear(self.knowledge.admit(heard))
        gap = self._journal.lose()
        self.lost += 1
        ticket = None
        if self.policy != "fire-and-forget" and not self._may_leave(now):
            ticket = gap.waits(now)
            self._waiting += 1
        self._write(now)
        return ticket

    def clock(self) -> ClockText:
        """The whole knowledge, for a message whose sending was not reported."""
        return self.knowledge.current()

    def abandon(self, ticket: Ticket) -> None:
        """Abandon an event: nobody waits for it any more, and its message will not be sent. If the
        agent may have it already, it stays an event, and its message counts as lost."""
        entry = ticket.entry
        if ticket.clock is not None or ticket not in entry.tickets:
            return
        entry.tickets.remove(ticket)
        self._waiting -= 1
        if entry.kind == GAP:
            return
        if entry.number:
            self.knowledge.left(entry.heard)
        else:
            self._tell_later(entry.heard, self._journal.remove(entry))

    def _tell_later(self, heard: ClockText, later: Entry | None) -> None:
        """A report of `heard` will not be made; `later` is the next one, if there is one yet."""
        if later is None:
            self.knowledge.take_back(heard)
        else:
            self.knowledge.left(heard)
            later.heard = joined(heard, later.heard)

    # What happens to the connection

    def opened(self, now: float) -> None:
        """Begin on a new connection."""
        self.phase = GREETING
        self._greeting_until = now + GREETING_SECONDS
        lost = self._journal.greet()
        self._say(Hello(self.policy, session=self._session, lost=lost, token=self.token))

    def broken(self) -> None:
        """End the connection. Unanswered messages will be repeated."""
        self.phase = AWAY
        self._lease.broken()
        self._output.clear()
        self._journal.unwrite()

    def receive(self, message: AgentMessage, now: float) -> None:
        """Take a message of the agent. If `phase` is `AWAY` afterwards, drop the connection."""
        try:
            match message:
                case Clock():
                    self._receive_clock(message)
                case Renewed():
                    self._lease.granted(message.lease, message.grant, now)
                case Welcome():
                    self._receive_welcome(message, now)
                case Refused():
                    self._receive_refusal(message)
                case Farewell():
                    self.broken()
                case _:
                    assert_never(message)
        except MalformedMessage as error:
            self.trouble = str(error)
            self.broken()
        self._write(now)

    def _receive_clock(self, message: Clock) -> None:
        entry = self._journal.answered(message.number)
        if entry is None:
            raise MalformedMessage(f"an answer to number {message.number}, out of turn")
        self._answered = message.number
        self.knowledge.answered(message.clock)
        self._settle(entry, message.clock)

    def _receive_welcome(self, message: Welcome, now: float) -> None:
        if self.phase != GREETING:
            raise MalformedMessage("a welcome that nobody asked for")
        if message.version not in VERSIONS:
            raise MalformedMessage(f"version {message.version}; this is {VERSIONS[-1]}")
        if self.process not in ("", message.process):
            raise MalformedMessage(f"the agent of {message.process}, not of {self.process}")
        numbered = self._journal.numbered()
        if not self._continues(message, numbered):
            self.broken()
            self._begin_again()
            return
        self._session, self.process, self.trouble = message.session, message.process, ""
        self.refusal = None
        self._answered = numbered[0].number - 1 if numbered else message.number
        self._next = (numbered[-1].number if numbered else message.number) + 1
        self._window = message.window
        self._mentioned = mentioned(message.labels)
        self.knowledge.welcomed(message.clock)
        for entry in self._journal:
            entry.heard = self.knowledge.admit(entry.heard)
        self.phase = OPEN
        self._lease.welcomed(message.lease, message.grant, now)
        told = self._journal.greeted()
        if told is not None:
            self._settle(told, self.clock())

    def _continues(self, message: Welcome, numbered: list[Entry]) -> bool:
        """Return whether the agent remembers all that it answered, and nothing that was not
        told."""
        if message.session != self._session:
            return not self._session and message.number == 0
        if numbered:
            return numbered[0].number - 1 <= message.number <= numbered[-1].number
        return message.number >= self._answered

    def _receive_refusal(self, message: Refused) -> None:
        within = self.phase == OPEN
        self.broken()
        self.refusal = message.reason
        self.trouble = f"{message.reason}: {message.message}"
        if message.reason == "session" or (within and message.reason in _POISONED):
            self._begin_again()

    def _begin_again(self) -> None:
        """Start a new session. Events that the old one may have taken are lost, since repeating
        them might count them twice. Calls that wait continue once the agent knows of the gap."""
        self._session = ""
        self._answered = 0
        lost = self._journal.doubt()
        later = self._journal.first_event()
        for entry in lost:
            self._tell_later(entry.heard, later)
        self.lost += len(lost)
        self.knowledge.doubted()

    # What happens by itself

    def expire(self, now: float) -> None:
        """Do what is due at `now`. Call it when `due` says so; calling it earlier does no harm."""
        if self.phase == GREETING and now >= self._greeting_until:
            self.trouble = f"no welcome within {GREETING_SECONDS:g} seconds"
            self.broken()
        if self.phase == OPEN and now >= self._lease.until:
            self.trouble = "the lease was not renewed in time"
            self.broken()
        if self._may_leave(now):
            self._release()
        if self._waiting and self.deadline != NEVER:
            self._fail_until(now - self.deadline)
        self._write(now)

    def due(self, now: float) -> float | None:
        """The time when `expire` has something to do next, if nothing else happens before."""
        due = NEVER
        if self.phase == GREETING:
            due = self._greeting_until
        elif self.phase == OPEN:
            due = self._lease.due(now)
        if self._waiting:
            if self.phase != OPEN and self.policy in _LEAVING:
                due = min(due, self._lease.until)
            if self.deadline != NEVER:
                oldest = next(entry.tickets[0] for entry in self._journal if entry.tickets)
                due = min(due, oldest.since + self.deadline)
        return None if due == NEVER else due

    def _may_leave(self, now: float) -> bool:
        return self.phase != OPEN and now >= self._lease.until and self.policy in _LEAVING

    def _leave(self, entry: Entry) -> None:
        """The message of `entry` leaves unanswered: keep the event to be told, or lose it."""
        if self.policy != "let-go" and self._journal.kept < self._buffer:
            self.knowledge.left(entry.heard)
            entry.released = True
            self._journal.append(entry)
        else:
            self.knowledge.take_back(entry.heard)
            self._journal.lose()
            self.lost += 1

    def _release(self) -> None:
        """End the lease: all that wait go on."""
        if not self._waiting:
            return
        tickets = [ticket for entry in self._journal for ticket in entry.tickets]
        kept: list[Entry] = []
        if self.policy == "let-go":
            lost = self._journal.let_go()
        else:
            kept, lost = self._journal.release(self._buffer)
        for entry in kept:
            self.knowledge.left(entry.heard)
        for entry in lost:
            self.knowledge.take_back(entry.heard)
        self.lost += len(lost)
        clock = self.clock()
        for ticket in tickets:
            ticket.entry.tickets.clear()
            ticket.clock = clock
        self._settled += tickets
        self._waiting = 0

    def _fail_until(self, since: float) -> None:
        tickets = [ticket for entry in self._journal for ticket in entry.tickets]
        late = [ticket for ticket in tickets if ticket.since <= since]
        for ticket in late:
            self.abandon(ticket)
            ticket.failed = True
        self._settled += late

    # What the driver does

    @property
    def idle(self) -> bool:
        """True if everything was told and answered."""
        return not len(self._journal)

    def give_up(self) -> None:
        """Give up: no answer will come, and every waiting call fails."""
        self._fail_until(NEVER)

    @property
    def in_flight(self) -> int:
        """The number of reports and gaps on the connection, unanswered."""
        return self._journal.written

    def goodbye(self) -> None:
        """End the session, properly if it is `idle`."""
        if self.phase == OPEN:
            self._say(Goodbye())

    @property
    def has_output(self) -> bool:
        return bool(self._output)

    def output(self) -> bytes:
        """The frames to be written now, in order; they are not returned again."""
        output, self._output = self._output, []
        return b"".join(output)

    def settled(self) -> list[Ticket]:
        """The tickets that were settled or have failed since the last call."""
        settled, self._settled = self._settled, []
        return settled

    def _settle(self, entry: Entry, clock: ClockText) -> None:
        for ticket in entry.tickets:
            ticket.clock = clock
        self._settled += entry.tickets
        self._waiting -= len(entry.tickets)

    def _say(self, message: ClientMessage) -> None:
        self._output.append(encode(message))

    def _write(self, now: float) -> None:
        if self.phase != OPEN:
            return
        journal = self._journal
        while journal.written < self._window and journal.written < len(journal):
            entry = journal.unwritten()
            self._next += entry.take(self._next)
            journal.written += 1
            self._say(entry.message(self._answered))
        if self._lease.wants_renewal(now) and journal.everything_left_is_written():
            self._say(self._lease.renewal())
