"""Whether a schedule kept the laws, by what its processes left behind.

The real order of events is that of the ticks in the agents, by the machine's monotonic clock. An
event that its agent was never told happened when its service went on. One that was told only after
its service had gone on, under the policy `buffer`, is looked at in both places: nothing may be
missed in either.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from benchmarks.faults.acts import Act, Acts, read_acts
from benchmarks.faults.committed import Committed, Tick, read_rows, replay, store_name
from benchmarks.faults.plan import Premises
from benchmarks.faults.system import Moment
from choreomon.agent_files.agent_config import AgentConfig
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.agent_files.clocks.text import KEY_BYTES, decode_clocks_untrusted
from choreomon.agent_files.verdict_json import decode_verdict_untrusted
from choreomon.core.binding import Binding
from choreomon.core.errors import MalformedMessage
from choreomon.core.live import LiveVerdict
from choreomon.core.message import Label
from choreomon.core.vector_clock import VectorClock, by_name
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN
from tests.laws.formed_instances import formed_at

Law: TypeAlias = Literal[
    "declared",
    "no false alarm",
    "acknowledged",
    "counted once",
    "clocks",
    "words",
    "durable",
    "traced",
    "of its instance",
    "secret",
    "honest",
    "quiet",
]

HARMLESS = frozenset({"held", "closing", "connections", "paused", "routing-id", "session"})
"""Why an honest agent may refuse another one, or its service, something. `held`: it waits for a
buffer; `closing`: a lease was over, or a newer connection was there; `paused`: its disk was full
for longer than it keeps frames, which are repeated; `session`: it was there when what came along
the older one was read."""

GRAVE = {WITHDRAWN: 0, POSSIBLY_VIOLATED: 1, VIOLATED: 2}

SLACK = 20_000
"""Microseconds by which times of commits may be wrong."""


class Broken(NamedTuple):
    law: Law
    what: str


@dataclass
class Judged:
    """`events` happened, `told` of them were acknowledged, `ticks` are in the journals; `lost`:
    they happened, and nobody will ever tell of them; `missing`: they were acknowledged, and are in
    no journal. `formed`: at how many events the property was formed, of which `declared` were
    declared; `false`: violated was said of an event that formed nothing. `hits`: of the moments at
    which something was done, how many hit an unanswered inquiry or an unacknowledged event."""

    events: int = 0
    told: int = 0
    ticks: int = 0
    lost: int = 0
    formed: int = 0
    declared: int = 0
    false: int = 0
    missing: int = 0
    moments: int = 0
    hits: int = 0
    words: Counter[str] = field(default_factory=Counter)
    broken: list[Broken] = field(default_factory=list)
    untraced: int = 0
    """Ticks that are not in the trace: the agent was killed in between."""


def judge(premises: Premises, moments: Sequence[Moment]) -> Judged:
    """Read everything in the folder. All processes have ended."""
    return _Judge(premises).judge(moments)


class _Judge:
    def __init__(self, premises: Premises) -> None:
        self.premises = premises
        self.names = premises.plan.names
        self.found = Judged()
        self.configs: dict[str, AgentConfig] = {}
        self.acts: dict[str, Acts] = {}
        self.committed: dict[str, Committed] = {}
        self.verdicts: dict[str, list[LiveVerdict]] = {}
        for name in self.names:
            config = self.configs[name] = load_agent_config(premises.config(name))
            rows = read_rows(premises.store(name))
            tables = [premises.tables[name]]
            if premises.followers:
                tables.append(premises.followers[name])
            self.committed[name] = replay(config, tables, rows, store_name(premises.store(name)))
            self.acts[name] = read_acts(premises.acts(name), name)
            self.verdicts[name] = [*self._verdicts(name)]

    def judge(self, moments: Sequence[Moment]) -> Judged:
        for name in self.names:
            self._acknowledged(name)
            self._counts(name)
            self._clocks(name)
            self._traced(name)
            self._words(name)
            self._instances(name)
        self._formed()
        self.found.moments = len(moments)
        self.found.hits = sum(map(self._is_hit, moments))
        return self.found

    def _breaks(self, law: Law, what: str) -> None:
        self.found.broken.append(Broken(law, what))

    def _verdicts(self, name: str) -> Iterator[LiveVerdict]:
        path = self.premises.verdicts(name)
        lines = path.read_bytes().split(b"\n") if path.exists() else []
        for line in lines:
            try:
                yield decode_verdict_untrusted(line)
            except MalformedMessage:
                continue  # it was interrupted there, and came again

    # ---------------------------------------------------------------- events

    def _ticks_of(self, name: str) -> dict[tuple[str, int], Tick]:
        return {(each.session, each.number): each for each in self.committed[name].ticks}

    def _acknowledged(self, name: str) -> None:
        """What was acknowledged is there, with the clock that was answered."""
        ticks = self._ticks_of(name)
        for act in self.acts[name].acts:
            tick = ticks.get((act.session, act.number))
            self.found.events += act.left is not None or tick is not None
            if act.how == "told":
                self.found.told += 1
                if tick is None:
                    self.found.missing += 1
                    self._breaks("acknowledged", f"{act} was answered and is not there")
                elif tick.label != act.label or self._clock(act.clock) != tick.clock:
                    self._breaks("acknowledged", f"{act} is there as {tick}")
                elif self._binding(act) != tick.said:
                    self._breaks("of its instance", f"{act} is there as {tick}")
            elif act.left is not None and tick is None:
                self.found.lost += 1

    def _counts(self, name: str) -> None:
        """One tick for one act, and a higher count for each."""
        ticks = self.committed[name].ticks
        self.found.ticks += len(ticks)
        acts = {(act.session, act.number): act for act in self.acts[name].acts if act.number}
        count, told = 0, set[tuple[str, int]]()
        for tick in ticks:
            key = (tick.session, tick.number)
            if tick.count <= count:
                self._breaks("counted once", f"{name}: {tick} after {count}")
            if key in told or key not in acts:
                self._breaks("counted once", f"{name}: {tick} is no act of its own")
            elif acts[key].label != tick.label:
                self._breaks("counted once", f"{name}: {tick} of {acts[key]}")
            told.add(key)
            count = tick.count

    def _clock(self, text: str) -> VectorClock:
        key = bytes.fromhex(self.premises.system)[:KEY_BYTES]
        return decode_clocks_untrusted(text)[key]

    def _clocks(self, name: str) -> None:
        """What a service is answered never goes back, neither does what it carries."""
        own = self.names.index(name)
        answered: VectorClock = (0,) * len(self.names)
        count = 0
        left = [act for act in self.acts[name].acts if act.left is not None]
        for act in sorted(left, key=lambda act: act.place):
            clock = self._clock(act.clock)
            if act.how == "told":
                if clock[own] <= answered[own] or not _reached(answered, clock):
                    self._breaks("clocks", f"{name}: {act}: {clock} after {answered}")
                answered = clock
            if clock[own] < count and act.life == max(each.life for each in left):
                self._breaks("clocks", f"{name}: {act}: {clock} after {count}")
            count = clock[own] if act.how == "told" else count

    def _traced(self, name: str) -> None:
        """Every line of the trace is a tick of the journal, and only as many are missing as could
        be on their way when the agent was killed."""
        ticks = {tick.count: tick for tick in self.committed[name].ticks}
        traced = set[int]()
        path = self.premises.trace(name)
        for line in path.read_text(encoding="ascii").splitlines() if path.exists() else ():
            event = json.loads(line)
            count = event["clock"][name]
            traced.add(count)
            tick = ticks.get(count)
            clock = {} if tick is None else by_name(tick.clock, self.names)
            if tick is None or tick.at != round(event["time"] * 1000) or clock != event["clock"]:
                self._breaks("durable", f"{name}: {line} in the trace is {tick} in the journal")
        untraced = sorted(ticks.keys() - traced)
        self.found.untraced += len(untraced)
        if untraced and not self.committed[name].starts:
            self._breaks("traced", f"{name}: not {untraced}")

    # ---------------------------------------------------------------- words

    def _words(self, name: str) -> None:
        """Of one event: what is the same word has the same content, however often it is told; a
        provisional one comes before the last; nothing comes after `violated` but itself."""
        contents: dict[str, LiveVerdict] = {}
        by_count: dict[tuple[str, int], list[LiveVerdict]] = {}
        for verdict in self.verdicts[name]:
            known = contents.get(verdict.id)
            if known is not None:
                if _untimed(known) != _untimed(verdict):
                    self._breaks("words", f"{known} and then {verdict}")
                continue
            contents[verdict.id] = verdict
            earlier = by_count.setdefault((verdict.system, verdict.count), [])
            if any(not each.provisional for each in earlier) or len(earlier) > 1:
                self._breaks("words", f"{verdict} after {earlier}")
            if any(each.verdict == VIOLATED for each in earlier) and verdict.verdict != VIOLATED:
                self._breaks("words", f"{verdict} after {earlier}")
            if verdict.verdict == WITHDRAWN and not earlier:
                self._breaks("words", f"{verdict} after nothing")
            earlier.append(verdict)
            self.found.words["provisional" if verdict.provisional else verdict.verdict] += 1
        committed = {word.id for word in self.committed[name].words}
        if contents.keys() - committed:
            self._breaks("durable", f"{name}: {sorted(contents.keys() - committed)} only told")
        if committed - contents.keys():
            self._breaks("words", f"{name}: {sorted(committed - contents.keys())} never told")

    def _instances(self, name: str) -> None:
        """A verdict says the values that the service said with its event, and no frame of another
        agent has one."""
        said = {tick.count: tick.said for tick in self.committed[name].ticks}
        for verdict in self.verdicts[name]:
            expected = {} if verdict.unseen else dict(said.get(verdict.count, ()))
            if verdict.instance != expected:
                self._breaks("of its instance", f"{name}: {verdict} is about {expected}")
        values = {
            value.encode()
            for acts in self.acts.values()
            for act in acts.acts
            for value in act.values.values()
        }
        for frame in self.committed[name].heard:
            if any(value in frame for value in values):
                self._breaks("secret", f"{name} was told {frame!r}")

    def _binding(self, act: Act) -> Binding | None:
        parameters = self.premises.plan.parameters
        return () if parameters is None else parameters.binding(act.label, act.values)

    # ---------------------------------------------------------------- what it comes to

    def _order(self, *, by_leaving: bool) -> list[tuple[int, int, Label, str, Tick | Act]]:
        """All events in the order in which they happened: time, then how much they knew."""
        order: list[tuple[int, int, Label, str, Tick | Act]] = []
        for name in self.names:
            acts = {(act.session, act.number): act for act in self.acts[name].acts if act.number}
            ticked = self._ticks_of(name)
            for key, tick in ticked.items():
                act = acts.get(key)
                at = tick.at
                if by_leaving and act is not None and act.left is not None:
                    at = min(at, act.left)
                order.append((at, sum(tick.clock), tick.label, name, tick))
            order += [
                (act.left, 0, act.label, name, act)
                for act in self.acts[name].acts
                if act.left is not None and (act.session, act.number) not in ticked
            ]
        order.sort(key=lambda each: each[:2])
        return order

    def _formed(self) -> None:
        last: dict[tuple[str, int], LiveVerdict] = {}
        for name in self.names:
            for verdict in self.verdicts[name]:
                if not verdict.provisional and not verdict.unseen:
                    known = last.get((name, verdict.count))  # two systems may speak of it
                    if known is None or GRAVE[verdict.verdict] > GRAVE[known.verdict]:
                        last[name, verdict.count] = verdict
        automaton = self.premises.plan.automaton
        for by_leaving in (False, True):
            order = self._order(by_leaving=by_leaving)
            valued = [
                (label, dict(what.said) if isinstance(what, Tick) else what.values)
                for _, _, label, _, what in order
            ]
            really = set[tuple[str, int]]()
            for place in formed_at(automaton, self.premises.plan.parameters, valued):
                at, _, label, name, what = order[place]
                if isinstance(what, Tick):
                    really.add((name, what.count))
                    said = last.get((name, what.count))
                    declared = said is not None and said.verdict in (VIOLATED, POSSIBLY_VIOLATED)
                else:
                    declared = self._unseen_after(name, at)
                if not declared:
                    self._breaks("declared", f"{name}: {label} {what} formed it ({by_leaving=})")
                if not by_leaving:
                    self.found.formed += 1
                    self.found.declared += declared
            if not by_leaving:
                for (name, count), verdict in last.items():
                    if verdict.verdict == VIOLATED and (name, count) not in really:
                        self.found.false += 1
                        self._breaks("no false alarm", f"{name}: {verdict}")

    def _unseen_after(self, name: str, at: int) -> bool:
        """Whether there was a word for what happened there and then, in a gap that ended later."""
        gaps = {gap.count for gap in self.committed[name].gaps if gap.at >= at - SLACK}
        return any(each.unseen and each.count in gaps for each in self.verdicts[name])

    # ---------------------------------------------------------------- what was hit

    def _is_hit(self, moment: Moment) -> bool:
        at, agents, services = moment
        for name in agents | services:
            for act in self.acts[name].acts:
                if act.began < at and (act.ended is None or act.ended > at):
                    return True  # it was waiting for its answer
        for name in agents:
            if self.committed[name].asked_at(at):
                return True
        return any(each.asked_at(at) & agents for each in self.committed.values())


def _reached(earlier: VectorClock, later: VectorClock) -> bool:
    return all(a <= b for a, b in zip(earlier, later, strict=True))


def _untimed(verdict: LiveVerdict) -> tuple[object, ...]:
    return tuple(getattr(verdict, name) for name in verdict.__dataclass_fields__ if name != "time")
