"""The processes of one schedule: agents and services, with what stands between the agents."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from random import Random
from typing import Final, Literal, NamedTuple, TypeAlias

from benchmarks.faults.acts import Acts, is_waiting, now, read_acts
from benchmarks.faults.committed import prepare_store
from benchmarks.faults.plan import Plan, Premises, lay_out, write_config
from benchmarks.faults.wires import Between, Frames, Wire
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.agent_files.status_json import decode_status_untrusted
from choreomon.core.live import AgentStatus
from choreomon.runtime.reload_request import NotAsked, ask_to_reload

ROOT: Final = Path(__file__).resolve().parents[2]
LOOK_EVERY: Final = 0.02
"""Seconds between two looks for what is waited for."""
LOOKS: Final = 4500
"""Looks until whatever is waited for must be there, from the last one at which some process had
done something. On a machine that is busy looks come later, as everything else does."""
PAGE_WITHIN: Final = 90.0
"""Seconds until the page of an agent must be there."""
HIT_WITHIN: Final = 0.25
"""Seconds for which a moment is looked for in which there is something to hit."""

Kind: TypeAlias = Literal["agent", "service"]
Way: TypeAlias = Literal["direct", "wire", "frames"]
"""What is between agents: nothing, `Wire` or `Frames`."""


class TookTooLong(Exception):
    """Something that was waited for did not come. The message says what."""


class Moment(NamedTuple):
    """At `at`, in monotonic microseconds, something was done to the agents, or the services, of
    these processes."""

    at: int
    agents: frozenset[str] = frozenset()
    services: frozenset[str] = frozenset()


class System:
    """Made in an empty folder, whose path must be short. `own_agents`: start
    `benchmarks.faults.agent` instead of `choreomon agent`."""

    def __init__(self, folder: Path, plan: Plan, *, way: Way, own_agents: bool) -> None:
        self.plan = plan
        self.random = Random(f"faults of schedule {plan.seed}")
        self.premises: Premises = lay_out(folder, plan)
        self.processes: dict[tuple[Kind, str], asyncio.subprocess.Process] = {}
        self.ways: dict[tuple[str, str], Between] = {}
        self.moments: list[Moment] = []
        self.kills = 0
        self.refused: dict[str, dict[str, int]] = {}
        """Of each agent what it had refused, by reason, when it was last seen."""
        self._peers: dict[str, dict[str, str]] = {}
        self._ending: list[asyncio.subprocess.Process] = []
        self._way = way
        self._own_agents = own_agents

    # ---------------------------------------------------------------- the course

    async def start(self) -> None:
        """Agents and services, until all have begun."""
        plan, premises = self.plan, self.premises
        for name in plan.names:
            peers = dict(premises.listen)
            for peer in plan.names:
                between = None if peer == name else self._between(name, peer)
                if between is not None:
                    await between.start()
                    self.ways[name, peer] = between
                    peers[peer] = between.address
            self._peers[name] = peers
            write_config(premises, name, peers)
            prepare_store(premises.store(name))
        await asyncio.gather(*[self.start_agent(name) for name in plan.names])
        await asyncio.gather(*[self.start_service(name) for name in plan.names])

    def _between(self, name: str, peer: str) -> Between | None:
        target = self.premises.listen[peer]
        match self._way:
            case "direct":
                return None
            case "wire":
                return Wire(int(target.rpartition(":")[2]), self.random)
            case "frames":
                return Frames(name, target, self.random)

    def _acts(self, name: str) -> Acts:
        return read_acts(self.premises.acts(name), name)

    async def finish(self) -> None:
        """Until every script is at its end and all agents are quiet; then end all in order."""
        names = self.plan.names
        await self.until(lambda: all(map(self._is_finished, names)), "all scripts are at their end")
        if self.plan.policy != "block":
            # What dead services kept back is given up before the living ones say goodbye.
            await self.until_status(lambda each: each.sessions <= 1, "dead services are given up")
        await asyncio.gather(*[self._end("service", name) for name in names])
        quiet = await self.until_status(_is_quiet, "all agents are quiet")
        self.refused |= {name: dict(status.refused) for name, status in quiet.items()}
        await asyncio.gather(*[self._end("agent", name) for name in names])

    def _is_finished(self, name: str) -> bool:
        return self._acts(name).finished

    async def _end(self, kind: Kind, name: str) -> None:
        process = self.processes.pop((kind, name))
        self._ending.append(process)
        process.terminate()
        await self.until(lambda: process.returncode is not None, f"the {kind} of {name} ends")
        code = process.returncode
        if code:
            log = self.premises.log(name).read_text(encoding="utf-8")[-2000:]
            raise TookTooLong(f"the {kind} of {name} ended with {code}:\n{log}")

    async def stop(self) -> None:
        """Whatever is left."""
        for process in (*self.processes.values(), *self._ending):
            if process.returncode is None:
                process.kill()
                await process.wait()
        for between in self.ways.values():
            await between.stop()
        self.premises.ports.let_go()

    # ---------------------------------------------------------------- one process

    async def start_agent(self, name: str) -> None:
        """Until it is ready."""
        premises = self.premises
        program = ["choreomon", "agent"]
        if self._own_agents:
            program = ["benchmarks.faults.agent", "--absent", str(self.plan.absent)]
        arguments = ["--config", str(premises.config(name)), "--trace", str(premises.trace(name))]
        await self._spawn("agent", name, *program, *arguments)
        await self.until_ready(name)

    async def start_service(self, name: str) -> None:
        """Until it has begun."""
        lives = self._acts(name).lives
        task = str(self.premises.task(name))
        await self._spawn("service", name, "benchmarks.faults.service", task)
        await self.until(lambda: self._acts(name).lives > lives, f"the service of {name} begins")

    async def _spawn(self, kind: Kind, name: str, *module: str) -> None:
        with self.premises.log(name).open("ab") as log:
            self.processes[kind, name] = await asyncio.create_subprocess_exec(
                sys.executable, "-m", *module, stdout=log, stderr=log, cwd=ROOT
            )

    async def kill(self, kind: Kind, *names: str) -> None:
        """`kill -9`, all at once, until they are gone; if possible while an event waits."""
        await self.somebody_waits(*names)
        struck = frozenset(names)
        nobody: frozenset[str] = frozenset()
        self.moments.append(
            Moment(now(), *((struck, nobody) if kind == "agent" else (nobody, struck)))
        )
        self.kills += len(names)
        for name in names:
            self.processes[kind, name].kill()
        for name in names:
            await self.processes[kind, name].wait()

    def signal(self, kind: Kind, name: str, number: signal.Signals, *, strikes: bool) -> None:
        """`strikes`: from here on it is disturbed."""
        if strikes:
            self.struck(name)
        os.kill(self.processes[kind, name].pid, number)

    def struck(self, *names: str) -> None:
        """From here on these agents are disturbed."""
        self.moments.append(Moment(now(), frozenset(names)))

    def struck_service(self, name: str) -> None:
        """From here on this service is disturbed."""
        self.moments.append(Moment(now(), services=frozenset([name])))

    async def roll(self, name: str, splits: Sequence[int], closing: Sequence[int] = ()) -> None:
        """An agent is told to go on with the tables of other splits. Raises `TookTooLong` where it
        does not."""
        write_config(self.premises, name, self._peers[name], splits, closing)
        config = load_agent_config(self.premises.config(name))
        try:
            why = await asyncio.to_thread(ask_to_reload, config, PAGE_WITHIN)
        except NotAsked as error:
            why = str(error)
        if why:
            raise TookTooLong(f"the agent of {name} does not reload: {why}")

    # ---------------------------------------------------------------- looking

    async def events_flow(self, share: float) -> None:
        """Until about this share of all scripts was begun."""
        total = sum(map(len, self.plan.scripts.values()))

        def reached() -> bool:
            return sum(self._acts(name).begun for name in self.plan.names) >= share * total

        await self.until(reached, f"{share:.0%} of the messages are begun")

    async def somebody_is_answered(self) -> None:
        """Until one more event is answered by its agent, or all scripts are at their end: services
        that let messages leave may be through before a killed agent is back."""
        before = self._answered()

        def is_answered() -> bool:
            return self._answered() > before or all(map(self._is_finished, self.plan.names))

        await self.until(is_answered, "an event is answered")

    def _answered(self) -> int:
        acts = (act for name in self.plan.names for act in self._acts(name).acts)
        return sum(act.how == "told" for act in acts)

    async def somebody_waits(self, *names: str) -> None:
        """Until one of these services waits for an answer, but not for long."""
        end = now() + HIT_WITHIN * 1e6
        while now() < end and not any(is_waiting(self.premises.acts(name)) for name in names):
            await asyncio.sleep(0)

    async def until(self, true: Callable[[], bool], what: str) -> None:
        """Wait for something. Raises `TookTooLong`."""

        async def is_true() -> bool:
            return true()

        await self._until(is_true, what)

    async def _until(self, true: Callable[[], Awaitable[bool]], what: str) -> None:
        looks, done = 0, self._done()
        while not await true():
            for (kind, name), process in self.processes.items():
                if process.returncode not in (None, -signal.SIGKILL):
                    log = self.premises.log(name).read_text(encoding="utf-8")[-2000:]
                    raise TookTooLong(f"the {kind} of {name} ended by itself:\n{log}")
            looks, before, done = looks + 1, done, self._done()
            if done != before:
                looks = 0
            elif looks == LOOKS:
                raise TookTooLong(f"nothing happened in {LOOKS} looks for: {what}")
            await asyncio.sleep(LOOK_EVERY)

    def _done(self) -> int:
        """Grows with everything that services and agents do, and has an end, as scripts have."""
        premises = self.premises
        return sum(
            _size(path)
            for name in self.plan.names
            for path in (premises.acts(name), premises.trace(name), premises.verdicts(name))
        )

    async def until_status(
        self,
        true: Callable[[AgentStatus], bool],
        what: str,
        names: Sequence[str] | None = None,
    ) -> dict[str, AgentStatus]:
        """Until it is true of the status of all these agents, by default of all there are; the
        statuses of then. Raises `TookTooLong`."""
        found: dict[str, AgentStatus] = {}

        async def all_are() -> bool:
            for name in names or self.plan.names:
                status = await self.status(name)
                if status is None or not true(status):
                    return False
                found[name] = status
            return True

        await self._until(all_are, what)
        return found

    async def until_ready(self, name: str) -> None:
        async def is_ready() -> bool:
            return (await self.page(name, "readyz"))[:1] == b"2"

        await self._until(is_ready, f"the agent of {name} is ready")

    async def status(self, name: str) -> AgentStatus | None:
        """What an agent says of itself; `None` where it does not answer."""
        code, _, body = (await self.page(name, "status")).partition(b" ")
        return decode_status_untrusted(body) if code == b"200" else None

    async def page(self, name: str, page: str) -> bytes:
        """The code of the answer, and the answer; nothing where nobody is there. Raises
        `TookTooLong` where somebody is, and says nothing."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.premises.pages[name])
        except OSError:
            return b""
        try:
            writer.write(f"GET /{page} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            answer = await asyncio.wait_for(reader.read(), PAGE_WITHIN)
        except TimeoutError:
            raise TookTooLong(f"the agent of {name} does not answer /{page}") from None
        except OSError:
            return b""
        finally:
            writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        return b" ".join([head.split(b" ")[1] if b" " in head else b"0", body])


def end_in_order() -> None:
    """Let SIGTERM end this program as Ctrl-C does, so that it leaves no processes behind."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def _is_quiet(status: AgentStatus) -> bool:
    undecided = sum(each.undecided + each.inspections for each in status.properties)
    return not (undecided or status.untold or status.not_ready)


def _size(path: Path) -> int:
    """In bytes. 0 where it is not there: acts and verdicts are written when there are some, and a
    file may be replaced between two looks."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
