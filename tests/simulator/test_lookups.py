"""What an event costs a monitor that has no row for it, counted in dictionary look-ups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from choreomon.core.message import Label
from choreomon.documents.read import parse_document
from simulator import run as run_module
from simulator.run import simulation
from simulator.world import Watcher, World

DOCUMENT = """
application:
  processes:
    - id: A
      handlers:
        go: [{send: {to: B, message: plain}}, {send: {to: B, message: watched}}]
    - id: B
      handlers: {plain: [], watched: []}
  start: [{to: A, message: go}, {to: A, message: go, at: 100}]
property:
  sequences: [{steps: ["A -> B : watched", "handle A -> B : watched"]}]
"""


class Counting(dict[Label, Watcher]):
    """Counts every way of looking something up in a dictionary, by label."""

    def __init__(self, watchers: dict[Label, Watcher]) -> None:
        super().__init__(watchers)
        self.looked_up: list[Label] = []

    def get(self, key: Label, default: Any = None) -> Any:
        self.looked_up.append(key)
        return super().get(key, default)

    def __getitem__(self, key: Label) -> Watcher:
        self.looked_up.append(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        assert isinstance(key, Label)
        self.looked_up.append(key)
        return super().__contains__(key)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> list[Counting]:
    """The watchers of every process of the next run, counted."""
    made: list[Counting] = []
    make: Callable[..., Any] = run_module.noting_formations

    def counted(*arguments: Any) -> tuple[list[Counting], Any]:
        watching, formed = make(*arguments)
        made[:] = [Counting(dict(watchers)) for watchers in watching]
        return made, formed

    monkeypatch.setattr(run_module, "noting_formations", counted)
    return made


def test_an_event_that_no_row_mentions_costs_one_look_up(counting: list[Counting]) -> None:
    prepared = simulation(parse_document(DOCUMENT, "lookups.yaml"))
    events: list[Label] = []
    run = prepared.run(0, recorder=lambda event: events.append(event.label))
    looked_up = [label for watchers in counting for label in watchers.looked_up]
    unlabelled = [label for label in events if label.message.name != "watched"]
    assert len(unlabelled) == 6
    for label in set(unlabelled):
        assert looked_up.count(label) == unlabelled.count(label) <= 3 * unlabelled.count(label)
    assert run.events == len(looked_up) == 10
    assert not set(unlabelled) & {label for watchers in counting for label in watchers}


def test_the_world_looks_up_nothing_else_for_monitors() -> None:
    """With no watcher at all every event still makes its one look-up, and no more."""
    prepared = simulation(parse_document(DOCUMENT, "lookups.yaml"))
    world = World(prepared.application, 0, prepared.delays)
    watchers = [Counting({}) for _ in world.processes]
    world.watchers[:] = watchers
    world.run()
    assert sum(len(each.looked_up) for each in watchers) == world.events == 10
