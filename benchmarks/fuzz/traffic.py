"""The good ones: services of `target` and `good` that go on, whatever the rogue does."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.faults.plan import Premises
from choreomon.agent_files.clocks.text import Carried, decode_clocks_untrusted
from choreomon.core.errors import AgentUnavailable
from choreomon.sdk import connect
from choreomon.sdk.process import Process

PLACES: Final = {"good": 0, "target": 1}
EVERY: Final = 4
"""Rounds after which the rogue is asked, too."""
PAUSE: Final = 0.01
PATIENCE: Final = 60.0
"""Seconds until an event must be answered."""


@dataclass
class Traffic:
    """What was done. `formed`: the counts of events at which the property is formed, by process."""

    premises: Premises
    events: int = 0
    unanswered: int = 0
    longest: float = 0.0
    formed: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in PLACES})
    _services: dict[str, Process] = field(default_factory=dict)

    async def start(self) -> None:
        for name in PLACES:
            self._services[name] = await connect(self.premises.local(name), deadline=PATIENCE)

    async def run(self) -> None:
        """Until it is cancelled."""
        rounds = 0
        while True:
            await self.round(ask_rogue=rounds % EVERY == 0)
            rounds += 1
            await asyncio.sleep(PAUSE)

    async def round(self, *, ask_rogue: bool) -> None:
        good, target = self._services["good"], self._services["target"]
        await self._brings(good, "target", "a", target)
        await self._brings(target, "good", "b", good, forms="target")
        await self._brings(target, "good", "e", good)
        await self._brings(good, "target", "f", target, forms="good")
        if ask_rogue:
            await self._sends(target, "rogue", "d")

    def begin_anew(self) -> None:
        """Count from here on."""
        self.events = self.unanswered = 0
        self.longest = 0.0
        for counts in self.formed.values():
            counts.clear()

    async def close(self) -> None:
        for service in self._services.values():
            await service.close()

    async def _brings(
        self, sender: Process, to: str, name: str, receiver: Process, forms: str = ""
    ) -> None:
        carried = await self._sends(sender, to, name)
        if carried is None:
            return
        if forms:
            (clock,) = decode_clocks_untrusted(carried.clock).values()
            self.formed[forms].append(clock[PLACES[forms]])
        await receiver.handling(carried)

    async def _sends(self, sender: Process, to: str, name: str) -> Carried | None:
        began = time.perf_counter()
        self.events += 1
        try:
            return await sender.sending(to, name)
        except AgentUnavailable:
            self.unanswered += 1
            return None
        finally:
            self.longest = max(self.longest, time.perf_counter() - began)

    def words(self) -> Counter[str]:
        """What was said for good of the events at which the property was formed; `nothing` where
        nothing was."""
        found: Counter[str] = Counter()
        for name, counts in self.formed.items():
            said = _last_words(self.premises.verdicts(name))
            found.update(said.get(count, "nothing") for count in counts)
        return found


def _last_words(file: Path) -> dict[int, str]:
    said: dict[int, str] = {}
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            word = json.loads(line)
            if not word["provisional"]:
                said[word["count"]] = word["verdict"]
    return said
