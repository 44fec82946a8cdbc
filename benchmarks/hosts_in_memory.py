"""Hosts of monitors that hear each other at once, without sockets, as benchmarks measure them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from choreomon.core.binding import Binding
from choreomon.core.message import Label
from choreomon.monitor.effects import Send
from choreomon.monitor.host import Host
from choreomon.monitor.of_instances.monitor import InstanceMonitor
from choreomon.monitor.pull import Monitor


class HostsInMemory:
    """The hosts of these monitors, by process, and how many messages they sent to each other."""

    def __init__(self, monitors: Mapping[str, Monitor | InstanceMonitor]) -> None:
        self._hosts = {process: Host(monitor) for process, monitor in monitors.items()}
        self._states = {process: host.initial() for process, host in self._hosts.items()}
        self.messages = 0

    def event(self, label: Label, binding: Binding = ()) -> None:
        """It happens, and all that it asks is answered."""
        own = label.process
        self._states[own], _, effects = self._hosts[own].report(self._states[own], label, binding)
        queue = [*effects]
        while queue:
            effect = queue.pop()
            if type(effect) is Send:
                self.messages += 1
                to = effect.message.receiver
                self._states[to], more = self._hosts[to].receive(self._states[to], effect.message)
                queue += more

    def timed(self, events: Iterable[tuple[Label, Binding]]) -> float:
        """Seconds of processor time that these take, one after the other."""
        began = time.process_time()
        for label, binding in events:
            self.event(label, binding)
        return time.process_time() - began
