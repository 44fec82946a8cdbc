"""What is drawn for one schedule from its seed, and the files that its processes start from."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Final

from choreomon.agent_files.digests import KEY_BYTES
from choreomon.agent_files.key_files import PublicKey, write_key_pair, write_public_key
from choreomon.agent_files.local import Policy
from choreomon.agent_files.split_names import system_id
from choreomon.agent_files.succession import predecessors
from choreomon.agent_files.table_file import SplitTable, write_table
from choreomon.core.binding import Values
from choreomon.core.message import SEND, Message
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Parameters
from choreomon.properties.tables import RulesName, transition_tables
from choreomon.runtime.network.security import make_key_pair
from choreomon.testing.held_ports import HeldPorts
from tests.laws.drawn import draw_automaton, draw_scripts, processes
from tests.laws.of_instances import well_formed

TITLE: Final = "drawn"


@dataclass(frozen=True)
class Plan:
    """One system. Times are in seconds. `pause`: between two messages of one sender of a service,
    of which there are `senders`, in the mean. `block_deadline`: see `choreomon.sdk.connect`.
    `absent`: see `choreomon.runtime.driver.Timeouts`; only agents that are started by
    `benchmarks.faults.agent` keep to it. `parameters`: of a property for each instance; `values`
    are then those of each message of the scripts."""

    seed: int
    names: tuple[str, ...]
    automaton: SequenceAutomaton
    scripts: Mapping[str, tuple[Message, ...]]
    policy: Policy = "block"
    curve: bool = False
    block_deadline: float | None = None
    buffer: int = 10_000
    senders: int = 4
    pause: float = 0.03
    lease: float = 0.6
    deadline: float = 0.3
    give_up: float = 60.0
    most_open: int = 512
    absent: float = 60.0
    rules: RulesName = "sound"
    parameters: Parameters | None = None
    values: Mapping[str, tuple[Values, ...]] = field(default_factory=dict)

    @property
    def busy(self) -> tuple[str, ...]:
        """The processes that have events which the property mentions."""
        ends = {
            message.sender if kind == SEND else message.receiver
            for kind, message in self.automaton.labels
        }
        return tuple(name for name in self.names if name in ends)


def draw_plan(seed: int, *, messages: int = 240, instances: bool = False) -> Plan:
    """Three or four processes that send so many messages in all; half of the systems use CURVE.
    `instances`: the property is for each of them."""
    random = Random(f"faults {seed}")
    names = processes(random.randint(3, 4))
    automaton = draw_automaton(random, names)
    scripts = draw_scripts(random, automaton, names, events=(messages, messages))
    plan = Plan(
        seed=seed,
        names=names,
        automaton=automaton,
        scripts=dict(zip(names, scripts, strict=True)),
        curve=random.random() < 0.5,
        senders=random.choice((1, 2, 4)),
    )
    return draw_instances(random, plan) if instances else plan


def draw_instances(random: Random, plan: Plan) -> Plan:
    """The plan for each order, of each tenant or of none, with up to twelve of each. What a message
    carries is drawn, as far as the property can be monitored so."""
    names = ("order", "tenant")[: random.randint(1, 2)]
    messages = dict.fromkeys(label.message for label in plan.automaton.labels)
    drawn = {m: frozenset(n for n in names if random.random() < 0.8) for m in messages}
    carried = {m: tuple(sorted(c)) for m, c in well_formed(plan.automaton, drawn).items()}
    most = {name: random.choice((2, 4, 12)) for name in names}

    def value(name: str) -> str:
        return f"{name} number {random.randrange(most[name])}"

    values = {
        name: tuple({each: value(each) for each in carried.get(m, ())} for m in script)
        for name, script in plan.scripts.items()
    }
    return replace(plan, rules="precise", parameters=Parameters(names, carried), values=values)


@dataclass(frozen=True)
class Premises:
    """The folder of a schedule, with everything in it, and its addresses.

    `listen` are the agents' own addresses, `pages` where their pages are; `ports` holds both.
    `followers` are the tables of a second split of the same property, which follows the first one,
    where one can.
    """

    folder: Path
    plan: Plan
    system: str
    tables: Mapping[str, SplitTable]
    followers: Mapping[str, SplitTable]
    listen: Mapping[str, str]
    pages: Mapping[str, int]
    ports: HeldPorts

    def config(self, name: str) -> Path:
        return self.folder / f"{name}.yaml"

    def table(self, name: str, split: int) -> Path:
        """Of the first split, or of the second one."""
        return self.folder / f"{name}-{split}.json"

    def store(self, name: str) -> Path:
        return self.folder / f"{name}.db"

    def trace(self, name: str) -> Path:
        return self.folder / f"{name}.trace"

    def verdicts(self, name: str) -> Path:
        return self.folder / f"{name}.verdicts"

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def local(self, name: str) -> Path:
        return self.folder / f"run-{name}" / "agent.sock"

    def letter_box(self, name: str) -> Path:
        return self.folder / f"{name}.sock"

    def acts(self, name: str) -> Path:
        return self.folder / f"{name}.acts"

    def task(self, name: str) -> Path:
        return self.folder / f"{name}.task"


def lay_out(folder: Path, plan: Plan) -> Premises:
    """Write everything but the configurations, which need to know the way to the peers."""
    names = plan.names
    rules, parameters = plan.rules, plan.parameters
    system = system_id(plan.automaton, names, rules, f"faults {plan.seed}".encode(), parameters)
    by_process = transition_tables(plan.automaton, names, rules, parameters)
    key = b"" if parameters is None else Random(plan.seed).randbytes(KEY_BYTES)
    tables = {
        name: SplitTable(system, TITLE, rules, names, by_process[name], key=key) for name in names
    }
    followers = {}
    if parameters is None:  # no system follows one for each instance
        later = system_id(plan.automaton, names, rules, f"faults {plan.seed}, again".encode())
        follows = predecessors(system, system, by_process, by_process)
        followers = {
            name: replace(tables[name], system_id=later, after=follows[name]) for name in names
        }
    held = HeldPorts(2 * len(names))
    ports = held.ports
    premises = Premises(
        folder,
        plan,
        system,
        tables,
        followers,
        {name: f"tcp://127.0.0.1:{port}" for name, port in zip(names, ports, strict=False)},
        dict(zip(names, ports[len(names) :], strict=True)),
        held,
    )
    if plan.curve:
        make_keys(folder, names)
    for name in names:
        script = plan.scripts[name]
        none: tuple[Values, ...] = ({},) * len(script)
        premises.table(name, 1).write_bytes(write_table(tables[name]))
        if followers:
            premises.table(name, 2).write_bytes(write_table(followers[name]))
        task = {
            "name": name,
            "agent": str(premises.local(name)),
            "boxes": {each: str(premises.letter_box(each)) for each in names},
            "acts": str(premises.acts(name)),
            "script": [
                (message.receiver, message.name, values)
                for message, values in zip(script, plan.values.get(name, none), strict=True)
            ],
            "policy": plan.policy,
            "deadline": plan.block_deadline,
            "buffer": plan.buffer,
            "senders": plan.senders,
            "pause": plan.pause,
            "seed": plan.seed,
        }
        premises.task(name).write_text(json.dumps(task), encoding="ascii")
    return premises


def make_keys(folder: Path, names: tuple[str, ...]) -> None:
    """A pair for each, in the folder `keys`."""
    keys = folder / "keys"
    keys.mkdir()
    for name in names:
        pair = make_key_pair(name)
        secret = keys / f"{name}.key"
        secret.touch(0o600)
        secret.write_text(write_key_pair(pair), encoding="ascii")
        public = write_public_key(PublicKey(name, pair.public))
        (keys / f"{name}.pub").write_text(public, encoding="ascii")


def write_config(
    premises: Premises,
    name: str,
    peers: Mapping[str, str],
    splits: Sequence[int] = (1,),
    closing: Sequence[int] = (),
) -> None:
    """The configuration of an agent that finds its peers there, and has the tables of these splits,
    of which some may be closing."""
    plan = premises.plan
    folder = premises.folder
    document = {
        "process": name,
        "tables": [str(premises.table(name, split)) for split in splits],
        "closing": [str(premises.table(name, split)) for split in closing],
        "listen": premises.listen[name],
        "peers": {peer: peers[peer] for peer in plan.names if peer != name},
        "local": {"path": str(premises.local(name))},
        "store": str(premises.store(name)),
        "deadline": f"{1000 * plan.deadline:g}ms",
        "give_up": f"{1000 * plan.give_up:g}ms",
        "lease": f"{1000 * plan.lease:g}ms",
        "most_open": plan.most_open,
        "http": f"127.0.0.1:{premises.pages[name]}",
        "verdicts": [{"file": str(premises.verdicts(name))}],
    }
    if plan.curve:
        keys = folder / "keys"
        document["keys"] = {"secret": str(keys / f"{name}.key"), "peers": str(keys)}
    else:
        document["insecure"] = True
    premises.config(name).write_text(json.dumps(document), encoding="ascii")


def with_policy(plan: Plan, policy: Policy) -> Plan:
    """What services left unanswered is lost soon after they are gone, so that runs end."""
    return replace(plan, policy=policy, absent=1.0 if policy != "block" else plan.absent)


def remove(premises: Premises) -> None:
    shutil.rmtree(premises.folder, ignore_errors=True)
