"""An agent, its good neighbours, and one rogue after the other; and what is seen meanwhile."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.faults.plan import Premises
from benchmarks.fuzz.premises import prepare
from benchmarks.fuzz.told import Told
from benchmarks.fuzz.traffic import Traffic
from choreomon.agent_files.status_json import decode_status_untrusted
from choreomon.core.live import AgentStatus
from choreomon.runtime.operations.logs import INTERVAL

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = os.sysconf("SC_PAGE_SIZE")
WITHIN: Final = 60.0
QUIET: Final = 0.4
"""Seconds without a change after which a rogue's frames have all arrived."""
WARM: Final = 300
"""Frames to a socket before memory is measured."""

MOST_GROWTH: Final = 24 << 20
"""Bytes by which the agent may grow while it is attacked."""
MOST_FRAME: Final = 0.05
"""Seconds of processor time that what came at once may take."""


@dataclass(frozen=True)
class Way:
    """One socket. `rogue` is what `benchmarks.fuzz.rogue` calls it."""

    told: str
    rogue: str
    curve: bool


WAYS: Final = (
    Way("ROUTER, with CURVE", "asks", True),
    Way("DEALER, with CURVE", "answers", True),
    Way("ROUTER, CURVE, strangers", "strangers", True),
    Way("Unix stream", "streams", True),
    Way("HTTP", "pages", True),
    Way("ROUTER, insecure", "asks", False),
    Way("DEALER, insecure", "answers", False),
    Way("ROUTER, insecure, strangers", "strangers", False),
)


@dataclass
class Attacked:
    """What was seen of one socket. Sizes are bytes, times seconds; `refused` by reason is what the
    agent counted, `words` what was said of the events at which the property was formed."""

    way: Way
    told: Told
    refused: dict[str, int]
    before: int
    most: int
    after: int
    times: dict[str, float]
    events: int
    unanswered: int
    longest: float
    words: dict[str, int]
    seconds: float
    wrong: list[str] = field(default_factory=list)

    @property
    def slow(self) -> list[str]:
        """What took too long; the machine may be busy with other things, though."""
        if self.longest_taking <= MOST_FRAME:
            return []
        return [f"something took too long: {self.times}"]

    @property
    def longest_taking(self) -> float:
        """Of what came at once."""
        return max(self.times[what] for what in self.times if what != "turn")


class Siege:
    """One target for all ways that need the same protection."""

    def __init__(self, folder: Path, *, seed: int, curve: bool) -> None:
        self.premises: Premises = prepare(folder, seed=seed, curve=curve)
        self.folder = folder
        self.seed = seed
        self.curve = curve
        self.began = 0.0
        self.agents: dict[str, asyncio.subprocess.Process] = {}
        self.traffic = Traffic(self.premises)

    async def start(self) -> None:
        premises = self.premises
        self.began = asyncio.get_running_loop().time()
        where = {
            "target": premises.listen["target"],
            "rogue": premises.listen["rogue"],
            "local": str(premises.local("target")),
            "page": premises.pages["target"],
            "table": str(premises.table("target", 1)),
            "keys": str(self.folder / "keys") if self.curve else None,
        }
        (self.folder / "rogue.json").write_text(json.dumps(where), encoding="ascii")
        for name, module in (("good", "choreomon"), ("target", "benchmarks.fuzz.agent")):
            arguments = ["--config", str(premises.config(name))]
            if name == "good":
                arguments = ["agent", *arguments]
            else:
                arguments += ["--times", str(self.folder / "times.json")]
            with premises.log(name).open("ab") as log:
                self.agents[name] = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", module, *arguments, stdout=log, stderr=log, cwd=ROOT
                )
        for name in self.agents:
            await self._until_ready(name)
        await self.traffic.start()

    async def attack(self, way: Way, frames: int) -> Attacked:
        """Send so many frames that way while the good ones go on."""
        traffic = self.traffic
        running = asyncio.create_task(traffic.run())
        try:
            await self._rogue(way, WARM)
            await self._until_counted()
            before_refused = dict((await self.status("target")).refused)
            await self._times()
            before = self._memory()
            traffic.begin_anew()
            seen = [before]
            looking = asyncio.create_task(self._look(seen))
            began = asyncio.get_running_loop().time()
            told = await self._rogue(way, frames)
            seconds = asyncio.get_running_loop().time() - began
            await self._until_counted()
            looking.cancel()
        finally:
            running.cancel()
        await asyncio.wait([running])
        if not running.cancelled() and running.exception() is not None:
            raise RuntimeError("the good ones failed") from running.exception()
        times = await self._times()
        status = await self.status("target")
        refused = {
            reason: count - before_refused.get(reason, 0)
            for reason, count in status.refused.items()
            if count > before_refused.get(reason, 0)
        }
        words = await self._until_told()
        found = Attacked(
            way,
            told,
            refused,
            before,
            max(seen),
            self._memory(),
            times,
            traffic.events,
            traffic.unanswered,
            traffic.longest,
            words,
            seconds,
        )
        found.wrong = self._wrong(found)
        return found

    async def stop(self) -> None:
        await self.traffic.close()
        for name, process in self.agents.items():
            process.terminate()
            code = await asyncio.wait_for(process.wait(), WITHIN)
            if code:
                raise RuntimeError(f"the agent of {name} ended with {code}")

    async def kill(self) -> None:
        """Whatever is left."""
        for process in self.agents.values():
            if process.returncode is None:
                process.kill()
                await process.wait()
        self.premises.ports.let_go()

    def log(self) -> list[str]:
        """What the target logged as an error."""
        return [line for line in self._lines() if '"level": "error"' in line or "Traceback" in line]

    def _lines(self) -> list[str]:
        return self.premises.log("target").read_text(encoding="utf-8").splitlines()

    # ---------------------------------------------------------------- looking

    def _wrong(self, found: Attacked) -> list[str]:
        """What should not be."""
        wrong = []
        if any(process.returncode is not None for process in self.agents.values()):
            wrong.append("an agent is not there any more")
        if found.most - found.before > MOST_GROWTH:
            wrong.append(f"it grew by {found.most - found.before} bytes")
        if found.unanswered or found.words.get("nothing"):
            wrong.append(f"{found.unanswered} events not answered, words: {found.words}")
        if found.told.answered < found.told.asked:
            wrong.append(f"{found.told.asked - found.told.answered} times the rogue got no answer")
        for reason, count in found.told.refused.items():
            if found.refused.get(reason, 0) != count:
                counted = found.refused.get(reason, 0)
                wrong.append(f"{reason}: {count} were to be refused, and {counted} were")
        if found.way.rogue == "streams":
            wrong += [
                f"{reason}: more were refused than are counted"
                for reason in ("malformed", "session", "number", "version", "token")
                if found.refused.get(reason, 0) < found.told.seen.get(reason, 0)
            ]
        wrong += self.log()[:3]
        return wrong + self._logged_often()

    def _logged_often(self) -> list[str]:
        """Reasons to refuse something that were logged more than once an interval."""
        logged = Counter(
            json.loads(line).get("reason", "")
            for line in self._lines()
            if '"message": "refused"' in line
        )
        intervals = 1 + (asyncio.get_running_loop().time() - self.began) / INTERVAL
        return [
            f"{reason} was logged {count} times"
            for reason, count in logged.items()
            if count > intervals
        ]

    async def _rogue(self, way: Way, frames: int) -> Told:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "benchmarks.fuzz.rogue", way.rogue, str(self.folder)),
            *(str(frames), str(self.seed)),
            stdout=asyncio.subprocess.PIPE,
            cwd=ROOT,
        )
        try:
            out, _ = await process.communicate()
        except BaseException:
            process.kill()
            raise
        if process.returncode:
            raise RuntimeError(f"the rogue ended with {process.returncode}")
        return Told(**json.loads(out))

    async def _look(self, seen: list[int]) -> None:
        while True:
            await asyncio.sleep(0.1)
            seen.append(self._memory())

    def _memory(self) -> int:
        pid = self.agents["target"].pid
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE

    async def _times(self) -> dict[str, float]:
        file = self.folder / "times.json"
        file.unlink(missing_ok=True)
        self.agents["target"].send_signal(signal.SIGUSR1)
        while not file.exists() or not file.stat().st_size:
            await asyncio.sleep(0.02)
        found: dict[str, float] = json.loads(file.read_text())
        return found

    async def _until_counted(self) -> None:
        """Until nothing more is refused."""
        last: dict[str, int] | None = None
        while True:
            refused = dict((await self.status("target")).refused)
            if refused == last:
                return
            last = refused
            await asyncio.sleep(QUIET)

    async def _until_told(self) -> dict[str, int]:
        for _ in range(int(WITHIN / QUIET)):
            words = self.traffic.words()
            if not words["nothing"]:
                break
            await asyncio.sleep(QUIET)
        return dict(words)

    async def _until_ready(self, name: str) -> None:
        for _ in range(int(WITHIN * 20)):
            process = self.agents[name]
            if process.returncode is not None:
                text = self.premises.log(name).read_text(encoding="utf-8")
                raise RuntimeError(f"the agent of {name} did not start:\n{text}")
            try:
                if not (await self.status(name)).not_ready:
                    return
            except OSError:
                pass
            await asyncio.sleep(0.05)
        raise RuntimeError(f"the agent of {name} does not become ready")

    async def status(self, name: str) -> AgentStatus:
        """What an agent says of itself; patient, since pages may be busy."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.premises.pages[name])
        writer.write(b"GET /status HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = await asyncio.wait_for(reader.read(), WITHIN)
        writer.close()
        body: Any = answer.partition(b"\r\n\r\n")[2]
        return decode_status_untrusted(body)


async def besiege(ways: Sequence[Way], *, frames: int, seed: int) -> list[Attacked]:
    """All ways, one after the other; those of one protection against one and the same agent."""
    found = []
    for curve in (True, False):
        these = [way for way in ways if way.curve is curve]
        if not these:
            continue
        with tempfile.TemporaryDirectory() as folder:
            siege = Siege(Path(folder), seed=seed, curve=curve)
            try:
                await siege.start()
                for way in these:
                    found.append(await siege.attack(way, frames))
                    print(one_line(found[-1]), file=sys.stderr, flush=True)
                await siege.stop()
            finally:
                await siege.kill()
    return found


def one_line(found: Attacked) -> str:
    """For whoever waits."""
    wrong = "".join(f"; WRONG: {what[:300]}" for what in found.wrong + found.slow)
    return (
        f"{found.way.told}: {found.told.sent:,} in {found.seconds:.0f} s, "
        f"{sum(found.refused.values()):,} refused, {found.before >> 20}, {found.most >> 20}, "
        f"{found.after >> 20} MB{wrong}"
    )
