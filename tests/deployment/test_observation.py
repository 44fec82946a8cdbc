"""What a monitor's process notes of it."""

from __future__ import annotations

from unittest.mock import Mock

from choreomon.deployment.observation import MonitorObserver
from choreomon.runtime.outputs import LeftUnsettled


def test_events_that_are_left_unsettled_are_told_with_the_costs() -> None:
    observer = MonitorObserver(lambda told: None)
    agent = Mock()
    host = Mock()
    host.monitor.process, host.monitor.plans, host.monitor.table.inspections = "P", {}, {}
    agent.node.driver.sidecar.hosts = (host,)
    beside = agent.node.observer
    observer.attach(agent)
    observer.happened(LeftUnsettled(0, 4))
    observer.happened(LeftUnsettled(0, 7))
    assert observer.cost().unsettled == (("P", 4), ("P", 7))
    assert beside.happened.call_count == 2
