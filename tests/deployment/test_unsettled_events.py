"""Of an event that its monitor leaves unsettled the run is told which it is."""

from __future__ import annotations

from unittest.mock import Mock

from choreomon.deployment.observation import MonitorObserver
from choreomon.monitor.effects import Unsettled
from choreomon.runtime.outputs import LeftUnsettled
from tests.runtime.test_sidecar import HOST, SIDECAR


def test_events_that_are_left_unsettled_are_told_with_the_costs() -> None:
    observer = MonitorObserver(lambda told: None)
    agent = Mock()
    agent.node.driver.sidecar = SIDECAR
    beside = agent.node.observer
    observer.attach(agent)
    observer.happened(LeftUnsettled(0, 4))
    observer.happened(LeftUnsettled(0, 7))
    process = HOST.monitor.process
    assert observer.cost().unsettled == ((process, 4), (process, 7))
    assert beside.happened.call_count == 2


def test_an_unsettled_event_is_named_by_its_count() -> None:
    clock = tuple(range(3, 3 + len(HOST.monitor.processes)))
    _, outputs = SIDECAR._done(SIDECAR.initial(), 0, [Unsettled(clock)])
    assert outputs == [LeftUnsettled(0, clock[HOST.monitor.own])]
