"""Agents beside replicas, which lease slots, answer for vacant ones, and are fenced.

An agent has for each of its slots the state in memory, the inputs that are not committed, and the
outputs that wait for that. Where nothing waits for a commit, outputs leave at once, as in
`choreomon.runtime.driver`. Every bug that can be planted is a name in `BUGS`.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Final, NamedTuple

from choreomon.agent_files import local
from choreomon.agent_files.clocks.text import decode_clocks_untrusted, encode_clocks
from choreomon.agent_files.wire import encode
from choreomon.core.message import SEND, Label, Message
from choreomon.core.roles import Roles, at_slot
from choreomon.core.vector_clock import VectorClock, merge
from choreomon.monitor.host import Host
from choreomon.monitor.messages import Inquiry, Response, Waiting
from choreomon.monitor.pull import Monitor
from choreomon.monitor.rules import Rules
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.roles import automaton_over_slots
from choreomon.properties.tables import transition_tables
from choreomon.runtime.inputs import (
    BegunAnew,
    Delivered,
    FromPeer,
    Hello,
    Input,
    Recovered,
    Report,
)
from choreomon.runtime.leases.ends import Fenced
from choreomon.runtime.leases.moving import Forgotten, Told, answer_there, must_be_fenced
from choreomon.runtime.leases.rules import may_be_taken, reached_before
from choreomon.runtime.outputs import (
    Answer,
    Ask,
    AskAgain,
    Decided,
    LeftUnsettled,
    Output,
    Reply,
    Ticked,
)
from choreomon.runtime.sidecar import Sidecar
from tests.laws.leased.engine import Engine
from tests.laws.leased.replicas import Agent, Beside, Service, Waits

SYSTEM: Final = bytes(range(16))

BUGS: Final = (
    "a commit without a check",
    "a check that takes no lock",
    "a fenced agent answers",
    "a fenced agent acknowledges",
    "a fenced agent commits",
    "an answer before its commit",
    "nobody answers for vacant slots",
    "only slots in use are asked",
    "an heir promises for its own slot",
    "told again to another slot",
    "asked before the slot is fenced",
    "two lives count alike",
    "an idle agent never notices",
)


class Frame(NamedTuple):
    """A frame on its way, from a slot of an agent; `fenced`: it was somebody else's by then."""

    sender: Agent
    to: Agent | None
    slot: str
    message: Inquiry | Response | Waiting
    fenced: bool


class Committed(NamedTuple):
    """An event, as it was committed."""

    slot: str
    uid: int
    label: Label
    clock: VectorClock


class World:
    """Everything in memory. What happened is in `events`, in the order of the commits, and what was
    said in `said`, by slot and count."""

    def __init__(
        self,
        random: Random,
        automaton: SequenceAutomaton,
        roles: Roles,
        rules: Rules,
        *,
        lease: int = 25,
        bug: str = "",
    ) -> None:
        assert not bug or bug in BUGS
        self.random, self.by_role, self.roles, self.rules, self.bug = (
            *(random, automaton, roles, rules, bug),
        )
        self.slots = roles.processes(roles.slots)
        self.place = {slot: place for place, slot in enumerate(self.slots)}
        self.automaton = automaton_over_slots(automaton, roles)
        tables = transition_tables(self.automaton, self.slots, rules.name)
        self.sidecars = {
            slot: Sidecar(slot, (SYSTEM,), (Host(Monitor(tables[slot], self.slots, rules)),))
            for slot in self.slots
        }
        (self.key,) = self.sidecars[self.slots[0]].keys
        self.engine = Engine(roles, lease, bug)
        self.agents: list[Agent] = []
        self.frames: list[Frame] = []
        self.inboxes: dict[str, list[tuple[Message, VectorClock]]] = {r: [] for r in roles.slots}
        self.made = 0
        self.events: list[Committed] = []
        self.acknowledged: set[int] = set()
        self.lives: list[tuple[str, int, int]] = []
        """Lives after lost stores: the slot, the number of events before, the count of the gap."""
        self.said: dict[tuple[str, int], str] = {}
        self.unseen: set[tuple[str, int]] = set()
        self.unsettled: set[tuple[str, int]] = set()
        self.problems: list[tuple[str, object]] = []
        self.counts: Counter[str] = Counter()

    # Leases.

    def joins(self, role: str, slot: str, *, loses: bool = False) -> Agent | None:
        """A pod more, whose service gets this slot."""
        self.made += 1
        agent = Agent(f"{role}#{self.made}", Service(f"pod {self.made}", role, len(self.slots)))
        if not self.take(agent, slot, used=True, loses=loses):
            return None
        self.agents.append(agent)
        self.looks_up(agent)
        return agent

    def take(self, agent: Agent, slot: str, *, used: bool, loses: bool = False) -> bool:
        """An agent takes a slot, if it may."""
        found = self.engine.take(slot, agent.pod, agent.name, used=used, loses=loses)
        if found is None:
            return False
        lease, state, lost = found
        sidecar = self.sidecars[slot]
        beside = Beside(lease, sidecar.initial() if state is None else state)
        agent.slots[slot] = beside
        agent.holding = agent.holding.taken(lease)
        agent.book[slot] = agent
        if used:
            agent.service.connection = 0
            agent.service.welcomed = agent.service.greeted = False
        if lost:
            reached = 0 if self.bug == "two lives count alike" else reached_before(lease.lives)
            self.step(agent, slot, BegunAnew(True, reached))
            (host,) = beside.state.hosts
            beside.begun = host.clock[self.place[slot]]
            self.counts["lost stores"] += 1
        elif state is not None:
            self.step(agent, slot, Recovered(False))
        if state is not None:
            beside.held += sidecar.resumed(beside.state)
            self.lets_out(agent, slot)
        self.counts["taken"] += 1
        return True

    def takeable(self, agent: Agent) -> list[str]:
        """The slots that an agent may take for its service."""
        return [
            lease.slot
            for lease in self.engine.look(agent.role)
            if may_be_taken(lease, agent.pod, self.engine.now, used=True)
        ]

    def drops(self, agent: Agent, slots: frozenset[str]) -> None:
        """These slots are not its own any more."""
        if agent.holding.own in slots:
            agent.service.welcomed = agent.service.greeted = False
            agent.service.connection = 0
        agent.holding = agent.holding.without(slots)
        for slot in slots:
            del agent.slots[slot]

    def renews(self, agent: Agent) -> None:
        """An agent renews its leases, and notices which are not its own."""
        others = self.engine.renew(agent.holding.numbers)
        if self.bug != "an idle agent never notices":
            self.counts["noticed"] += len(others)
            self.drops(agent, others)

    def leaves(self, agent: Agent) -> None:
        """A pod ends in order."""
        for slot in [*agent.slots]:
            while slot in agent.slots and agent.slots[slot].batch:
                self.commits(agent, slot)
        self.answers(agent)
        for slot, number in agent.holding.numbers.items():
            self.engine.give_back(slot, number)
        agent.alive = False
        self.counts["leaves"] += 1

    def restarts(self, agent: Agent, slot: str, *, hangs: bool = False) -> Agent | None:
        """Another agent for the same pod. The old one is dead, or it hangs, and goes on later
        without its service."""
        self.made += 1
        after = Agent(f"{agent.role}#{self.made}", agent.service)
        agent.alive, agent.paused, agent.has_service = hangs, hangs, False
        agent.service = Service(agent.pod, agent.role, len(self.slots))
        agent.replies = []
        if not self.take(after, slot, used=True):
            return None
        self.agents.append(after)
        self.looks_up(after)
        self.counts["restarts"] += 1
        return after

    # The service.

    def greets(self, agent: Agent) -> None:
        """A service comes to its agent, perhaps from another slot, whose lease is fenced before its
        sessions are read."""
        service, told, own = agent.service, agent.service.told, agent.holding.own
        if told is not None and told.slot != own:
            if service.waiting is not None and self.bug != "told again to another slot":
                self.looks_there(agent, told)
            service.told = None
        service.greeted = True
        self.made += 1
        service.connection = self.made
        session = service.told.session if service.told is not None else ""
        fresh = f"s{self.made}"
        self.step(agent, own, Hello(service.connection, "block", session, fresh, 0))

    def looks_there(self, agent: Agent, told: Told) -> None:
        """What became of what was told there."""
        service = agent.service
        assert service.waiting is not None
        fences = self.bug != "asked before the slot is fenced"
        if must_be_fenced(told, self.engine.leases[told.slot]) and fences:
            assert self.take(agent, told.slot, used=False)
            self.counts["fenced first"] += 1
        state = self.engine.stores[told.slot].state
        try:
            sessions = {} if state is None else state.sessions
            text = answer_there(told, sessions, service.waiting.number)
        except Forgotten:
            self.counts["forgotten"] += 1
            service.waiting = None
        else:
            if text is not None:
                self.counts["found there"] += 1
                self.is_answered(service, text)

    def happens(self, agent: Agent, label: Label, heard: VectorClock) -> None:
        """An event of a service; its message leaves when it is answered."""
        service = agent.service
        service.carried = merge(service.carried, heard)
        slot = agent.holding.own
        if not self.sidecars[slot].mentions(at_slot(label, slot)):
            self.sends(service, label)
            return
        self.made += 1
        service.waiting = Waits(self.made, service.next, label, service.carried)
        self.tells(agent)

    def tells(self, agent: Agent) -> None:
        """A service tells what it was not answered."""
        service = agent.service
        assert service.waiting is not None
        assert service.told is not None
        uid, number, (kind, (sender, name, receiver)), heard = service.waiting
        self.step(
            agent,
            agent.holding.own,
            Report(
                connection=service.connection,
                session=service.told.session,
                number=number,
                done=number - 1,
                event=kind,
                peer=receiver if kind == SEND else sender,
                name=name,
                heard=encode_clocks({self.key: heard}) if any(heard) else "",
                at=uid,
            ),
        )

    def sends(self, service: Service, label: Label) -> None:
        """The message of an event leaves, where it is one that sends."""
        if label.kind == SEND:
            self.inboxes[label.message.receiver].append((label.message, service.carried))

    def is_answered(self, service: Service, text: str) -> None:
        """A service got the clocks of its event."""
        assert service.waiting is not None
        uid, _, label, _ = service.waiting
        service.waiting = None
        service.next += 1
        service.carried = merge(service.carried, decode_clocks_untrusted(text)[self.key])
        self.acknowledged.add(uid)
        self.sends(service, label)

    def answers(self, agent: Agent) -> None:
        """What an agent said reaches its service."""
        replies, agent.replies = agent.replies, []
        service = agent.service
        for connection, message in replies:
            if connection != service.connection:
                continue
            match message:
                case local.Welcome(session=session, number=last):
                    own = agent.holding.own
                    service.told = Told(own, agent.slots[own].lease.number, session)
                    service.welcomed = True
                    waiting = service.waiting
                    service.next = last + 1
                    if waiting is not None:
                        if waiting.number <= last:  # it was committed; it will be answered again
                            service.next = waiting.number
                        service.waiting = waiting._replace(number=service.next)
                        self.tells(agent)
                case local.Clock(number=number, clock=text):
                    if service.waiting is not None and service.waiting.number == number:
                        self.is_answered(service, text)
                case local.Refused():
                    # Its session was lost with the store; so was what it told, if that happened.
                    self.counts["refused sessions"] += 1
                    service.told = service.waiting = None
                    service.welcomed = service.greeted = False

    # Commits, and what leaves.

    def step(self, agent: Agent, slot: str, input_: Input) -> None:
        """A step of a slot's sidecar; what it gives leaves when it is committed."""
        beside = agent.slots[slot]
        state, outputs = self.sidecars[slot].step(beside.state, input_)
        if state is not beside.state:
            beside.state = state
            beside.batch.append(input_)
        if self.bug == "an answer before its commit":
            for each in outputs:
                if type(each) is Answer:
                    self.lets_one_out(agent, slot, each)
            outputs = [each for each in outputs if type(each) is not Answer]
        beside.held += outputs
        self.lets_out(agent, slot)

    def commits(self, agent: Agent, slot: str, *, dies: bool = False) -> None:
        """A commit, which may be refused; `dies`: right after it."""
        beside, bug = agent.slots[slot], self.bug
        if bug == "a check that takes no lock":
            if not beside.checked:
                beside.checked = self.engine.is_mine(beside.lease)
                if beside.checked:
                    return
            else:
                beside.checked = False
                self.engine.write(beside.lease, beside.state, beside.batch)
                self.is_committed(agent, slot, beside, dies=dies)
                return
        if bug == "a fenced agent commits":
            beside.lease = beside.lease._replace(number=self.engine.leases[slot].number)
        try:
            self.engine.commit(beside.lease, beside.state, beside.batch)
        except Fenced:
            self.counts["commits refused"] += 1
            for output in beside.held:
                if bug == "a fenced agent answers" and type(output) is Answer:
                    self.lets_one_out(agent, slot, output)
                if bug == "a fenced agent acknowledges" and type(output) is Reply:
                    self.lets_one_out(agent, slot, output)
            self.answers(agent)
            self.drops(agent, frozenset([slot]))
        else:
            self.is_committed(agent, slot, beside, dies=dies)

    def is_committed(self, agent: Agent, slot: str, beside: Beside, *, dies: bool) -> None:
        """What is committed has happened, whether or not anybody hears of it."""
        if beside.begun:
            self.lives.append((slot, len(self.events), beside.begun))
            beside.begun = 0
        for output in beside.held:
            if type(output) is Ticked:
                self.events.append(Committed(slot, output.at, output.label, output.clock))
            elif type(output) is LeftUnsettled:
                self.unsettled.add((slot, output.event_count))
        beside.batch = []
        if dies:
            agent.alive = False
            self.counts["deaths after a commit"] += 1
        else:
            self.lets_out(agent, slot)

    def lets_out(self, agent: Agent, slot: str) -> None:
        """What waits leaves, unless something is not committed."""
        beside = agent.slots[slot]
        if beside.batch:
            return
        held, beside.held = beside.held, []
        told = []
        for output in held:
            self.lets_one_out(agent, slot, output)
            if type(output) is Decided and output.declared is not None:
                told.append(output.declared.id)
        if told and self.random.random() < 0.5:
            self.step(agent, slot, Delivered(told))

    def lets_one_out(self, agent: Agent, slot: str, output: Output) -> None:
        """One output leaves."""
        match output:
            case Ask(_, message) | Answer(_, message):
                self.says(agent, slot, message)
            case AskAgain():
                (host,), (state,) = self.sidecars[slot].hosts, agent.slots[slot].state.hosts
                for inquiry in host.outstanding(state):
                    self.says(agent, slot, inquiry)
            case Reply():
                agent.replies.append(output)
            case Decided(event_count=count, declared=declared, provisional=provisional):
                key = (slot, count)
                if declared is not None and declared.verdict.unseen:
                    self.unseen.add(key)
                elif not provisional:
                    word = declared.verdict.kind if declared is not None else "nothing"
                    if self.said.setdefault(key, word) != word:
                        self.problems.append(("said twice, and changed", key))

    def says(self, agent: Agent, slot: str, message: Inquiry | Response | Waiting) -> None:
        """A message of a slot leaves its agent."""
        to = message.receiver
        self.counts[type(message).__name__] += 1
        if type(message) is Inquiry and self.is_left_out(to):
            count = message.event[self.place[slot]]
            none = Response(
                to, slot, message.inspected, count, (), message.clock, 0, named=message.named
            )
            self.frames.append(Frame(agent, agent, to, none, False))
            return
        own = agent.own
        if type(message) is Response and own is not None and self.promises_too_much(agent, slot):
            (mine,) = own.state.hosts
            settled = mine.clock[self.place[to]]
            message = message._replace(settled=settled, clock=merge(message.clock, mine.clock))
        fenced = not self.engine.is_mine(agent.slots[slot].lease)
        self.frames.append(Frame(agent, agent.book.get(to), slot, message, fenced))

    def is_left_out(self, slot: str) -> bool:
        """A bug: vacant slots are taken to have nothing to say."""
        return self.bug == "only slots in use are asked" and not self.engine.leases[slot].used

    def promises_too_much(self, agent: Agent, slot: str) -> bool:
        """A bug: what an agent need not ask about any more is told for all of its slots."""
        return self.bug == "an heir promises for its own slot" and slot != agent.holding.own

    # Other agents.

    def asks_again(self, agent: Agent, slot: str) -> None:
        """What was not answered is asked again, after what waits for a commit."""
        agent.slots[slot].held.append(AskAgain(0))
        self.lets_out(agent, slot)

    def arrives(self, frame: Frame) -> None:
        """A frame arrives, or who gets it has not that slot, and says so."""
        sender, to, slot, message, fenced = frame
        mine = message.receiver
        if to is None or not to.alive or mine not in to.slots:
            sender.book.pop(mine, None)
            self.counts["stale addresses"] += 1
            return
        if type(message) is Inquiry:
            to.book[slot] = sender  # it is answered over the connection over which it came
            if self.bug == "nobody answers for vacant slots" and mine != to.holding.own:
                return
        before = to.slots[mine].state
        self.step(to, mine, FromPeer(slot, encode(message, SYSTEM)))
        is_used = mine in to.slots and to.slots[mine].state is not before
        if fenced and type(message) is Response and is_used:
            self.counts["used answers of fenced agents"] += 1

    def looks_up(self, agent: Agent) -> None:
        """An agent reads where slots are; it may be old the next moment."""
        by_name = {each.name: each for each in self.agents}
        agent.book = {
            lease.slot: by_name[lease.address]
            for lease in self.engine.leases.values()
            if lease.address in by_name
        }
