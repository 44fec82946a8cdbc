"""Executions of hosts in which things go wrong at random: gaps, lost, repeated and reordered
monitoring messages, hosts that give up or forget. All from one `Random`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from choreomon.core.message import Message
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from tests.laws.course import Step
from tests.laws.drawn import draw_automaton, draw_scripts, processes
from tests.laws.interleaving import ANY_TEMPO, Script, Tempo
from tests.laws.unreliable import (
    DELIVERS,
    ENDS,
    EXPIRES,
    FORGETS,
    GIVES_UP,
    GOES_ON,
    OPENS,
    WORKS,
    Execution,
    Setting,
)

SENDS: Final = "sends"
HANDLES: Final = "handles"
LOSES: Final = "loses"
COPIES: Final = "copies"
ASKS_AGAIN: Final = "asks again"
KEEPS_BACK: Final = "keeps back"


class Faults(NamedTuple):
    """What goes wrong, and how often in a run at most. `hiding`: how likely an event in a gap is
    one that the host is not told. `kept_back`: gaps that are found out when they are half over,
    or over. `dead`: so many monitors neither hear nor say anything."""

    gaps: int = 0
    kept_back: int = 0
    hiding: float = 0.8
    losses: int = 0
    copies: int = 0
    repeats: int = 0
    give_ups: int = 0
    amnesia: int = 0
    dead: int = 0


NO_FAULTS: Final = Faults()


class Move(NamedTuple):
    """What may happen next at a process, or in the channel to it from `sender`."""

    kind: str
    process: int
    which: int = 0
    sender: int = 0


class Player:
    """Draws what happens next in an execution, with one taste a run: how eager events, queued
    events, monitoring messages and faults are."""

    def __init__(
        self,
        execution: Execution,
        scripts: Sequence[Script],
        faults: Faults,
        random: Random,
        tempo: Tempo | None = None,
    ) -> None:
        self._run = execution
        self._tempo = tempo or {}
        self._scripts: list[list[Message]] = [list(script) for script in scripts]
        self._left = {
            OPENS: faults.gaps,
            KEEPS_BACK: faults.kept_back,
            LOSES: faults.losses,
            COPIES: faults.copies,
            ASKS_AGAIN: faults.repeats,
            GIVES_UP: faults.give_ups,
            FORGETS: faults.amnesia,
        }
        self._hiding = faults.hiding
        self._random = random
        self._eager: dict[str, float] = {}
        self._endless = [random.random() < 0.2 for _ in scripts]

    def play(self) -> Execution:
        """Perform moves until there are none, and settle."""
        random, eager = self._random, self._eager
        while moves := self._moves():
            for move in moves:
                if move.kind not in eager:
                    eager[move.kind] = random.choice(self._tempo.get(move.kind, ANY_TEMPO))
            self._perform(random.choices(moves, [eager[move.kind] for move in moves])[0])
        return self._run.settles()

    def _moves(self) -> list[Move]:
        run, left = self._run, self._left
        found = [Move(SENDS, p) for p, script in enumerate(self._scripts) if script]
        found += [Move(HANDLES, p, i) for p, box in enumerate(run.inboxes) for i in range(len(box))]
        for (sender, receiver), channel in run.channels.items():
            reachable = min(len(channel), 1) if run.setting.in_order else len(channel)
            for which in range(reachable):
                kinds = [DELIVERS, *(kind for kind in (LOSES, COPIES) if left[kind])]
                found += [Move(kind, receiver, which, sender) for kind in kinds]
        found += [Move(EXPIRES, p, count) for p, count in run.deadlines]
        found += [Move(GOES_ON, p) for p in sorted(run.behind)]
        for p, state in enumerate(run.states):
            if state.monitor.unprocessed:
                found.append(Move(WORKS, p))
            kept_back = run.since[p] is not None
            if (run.is_open[p] or kept_back) and not self._endless[p]:
                found.append(Move(ENDS, p))
            if kept_back or (left[OPENS] > 0 and not run.is_open[p]):
                found.append(Move(OPENS, p))
            if left[KEEPS_BACK] and not run.is_open[p] and not kept_back:
                found.append(Move(KEEPS_BACK, p))
            if left[FORGETS] and not kept_back and self._forgettable(p):
                found.append(Move(FORGETS, p))
            if left[ASKS_AGAIN] and state.monitor.inspections:
                found.append(Move(ASKS_AGAIN, p))
            if left[GIVES_UP]:
                found += [Move(GIVES_UP, p, c) for c in run.setting.hosts[p].inspected(state)]
        return found

    def _perform(self, move: Move) -> None:
        run, (kind, process, which, sender) = self._run, move
        if kind in self._left:
            self._left[kind] -= 1
        match kind:
            case "sends":
                run.sends(self._scripts[process].pop(0), told=self._tells(process))
            case "handles":
                message = run.inboxes[process][which].message
                run.handles(message, which, told=self._tells(process))
            case "works":
                run.works(process)
            case "delivers":
                run.delivers(sender, process, which)
            case "expires":
                run.expires(process, which)
            case "goes on":
                run.goes_on(process)
            case "opens":
                run.opens(process)
            case "keeps back":
                run.keeps_back(process)
            case "ends":
                run.ends(process, lost=run.hidden[process] or self._random.random() < 0.5)
            case "loses":
                run.channels[sender, process].pop(which)
            case "copies":
                channel = run.channels[sender, process]
                channel.append(channel[which])
            case "asks again":
                run.asks_again(process)
            case "gives up":
                run.gives_up(process, which)
            case _:
                run.forgets(self._random.choice(self._forgettable(process)))

    def _tells(self, process: int) -> bool:
        if self._run.since[process] is not None:
            return False
        return not self._run.is_open[process] or self._random.random() >= self._hiding

    def _forgettable(self, process: int) -> list[Step]:
        """What a host has done since it last came back; that it did come back is not forgotten."""
        mine = [step for step in self._run.steps if step.process == process]
        last = max((i for i, step in enumerate(mine) if step.kind == FORGETS), default=-1)
        return mine[last + 1 :]


def draw_execution(
    random: Random,
    faults: Faults = NO_FAULTS,
    *,
    count: tuple[int, int] = (2, 5),
    events: tuple[int, int] = (4, 14),
    deadline: bool = False,
    most_open: int | None = None,
    rules: Rules = SOUND,
) -> Execution:
    """A random property, and a random run with such faults."""
    names = processes(random.randint(*count))
    automaton = draw_automaton(random, names)
    scripts = draw_scripts(random, automaton, names, events=events)
    setting = Setting(
        automaton,
        names,
        rules,
        in_order=random.random() < 0.5,
        queued=random.random() < 0.3,
        deadline=deadline,
        most_open=most_open,
    )
    dead = random.sample(range(len(names)), min(faults.dead, len(names)))
    return Player(Execution(setting, dead=dead), scripts, faults, random).play()


def executions(number: int, faults: Faults = NO_FAULTS, **settings: Any) -> Iterator[Execution]:
    """The runs of the seeds 0, 1, ..."""
    for seed in range(number):
        yield draw_execution(Random(seed), faults, **settings)
