"""Replicas of roles that come and go while a world runs (`choreomon.actors.membership`).

A replica that is killed loses its mailbox and its variables; its monitor goes on as it was when the
lease is over, on another machine. What the clock of its slot says stays, as a store does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from choreomon.actors.balancing import Replicas
from choreomon.actors.membership import Move
from choreomon.actors.randomness import Streams
from choreomon.core.roles import slot_name
from simulator.event_queue import APPLICATION
from simulator.sidecars.run_context import Silence
from simulator.world import World


class MovingReplicas:
    """Moves the replicas of a world, until its application is at its end. `silences` are
    those of monitors, by process."""

    def __init__(
        self, world: World, replicas: Replicas, seed: int, silences: Mapping[str, Silence]
    ) -> None:
        self._world = world
        self._replicas = replicas
        self._silences = silences
        self._schedule = world.event_queue.schedule_of(APPLICATION)
        streams = Streams(seed)
        for role, membership in replicas.memberships.items():
            self._next(role, membership.moves(role, streams))

    def _next(self, role: str, moves: Iterator[Move]) -> None:
        move = next(moves, None)
        if move is not None:
            self._schedule(move.at, self._move, (role, move, moves))

    def _move(self, what: tuple[str, Move, Iterator[Move]]) -> None:
        if not self._goes_on():
            return
        world = self._world
        role, (at, happening, slot), moves = what
        process = slot_name(role, slot)
        place = world.processes.index(process)
        if happening == "join":
            world.renew(place)
            world.balancers[role].add(slot)
        else:
            world.balancers[role].leave_out(slot)
        if happening == "kill":
            world.kill(place)
            if process in self._silences:
                self._silences[process](at + self._replicas.memberships[role].lease)
        self._next(role, moves)

    def _goes_on(self) -> bool:
        """True if anything is left of the application but what is planned here."""
        return any(
            rank == APPLICATION and callback != self._move
            for _, rank, _, callback, _ in self._world.event_queue.entries
        )
