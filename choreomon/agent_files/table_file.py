"""The file form of one process's transition table: what its agent, and nobody else, is given.

    {
      "kind": "table",
      "version": 1,
      "system": "9f0c6ab1d2e34f5061728394a5b6c7d8",
      "title": "smart-home",
      "rules": "sound",
      "process": "hallway",
      "processes": ["phone", "hub", "hallway"],
      "sequences": [3],
      "rows": [
        {"on": "hallway -> light : turnOn", "from": "q1", "to": "q2", "final": false,
         "pre": ["q0", "hub", "q1"], "vio": [["q1", "hub", "q0"]]}
      ],
      "readers": [
        {"from": "q1", "to": "q2", "by": ["car"]}
      ]
    }

Under `precise` rules, which are the default, there are two fields more:

      "skeleton": [
        {"of": ["q0", "hub", "q1"], "pre": null, "vio": []}
      ],
      "followers": [
        {"from": "q1", "to": "q2", "by": ["car"]}
      ]

Of a property for each instance there are three fields more, before the rows. `key` is that of the
digests of values (`choreomon.agent_files.digests`), 32 hex digits and the same in all files of a
split; `carries` says of each own label of which parameters its message carries values:

      "for_each": ["tenant", "order"],
      "key": "7c1f0a3b9d2e48566a0f1b2c3d4e5f60",
      "carries": ["hallway -> light : turnOn(tenant, order)"],

Where instances are forgotten that have been idle for some seconds, there is one more; which ones
are, it says by the parameters that they bind:

      "forget": {"after": 2592000.0, "bindings": [["order", "tenant"]]},

Where many processes may take the same step there is one more, before the rows, the processes that
are named together; `0` in place of a process, or of those that may ask, is the first of these sets
(`choreomon.agent_files.table_sets`):

      "sets": [
        ["worker-1", "worker-2", "worker-3"]
      ],

In a system with replicas there is one more, and one file for all slots of a role
(`choreomon.agent_files.table_roles`):

      "roles": {"hallway": 3},

In the files of a system that follows another one (`choreomon split --after`) there is one more:

      "after": {
        "system": "1f3870be274f6c49b3e31a0c6728957f",
        "clock": "1f3870be274f6c49b3e31a0c6728957f",
        "alike": [
          {"from": "q1", "to": "q2", "was": ["q1", "q2"]}
        ]
      }

Its clock is that of the system `clock`, the first of a line; `alike` names the own transitions that
fire at the same events as one of the old system, whose history is taken over
(docs/adr/030-systems-that-follow.md).

`processes` are in the order of the entries of clocks. `sequences` says how many steps each of the
sequences has that the property was written as, so that verdicts can speak of steps; it is left out
where it was written as an automaton. `pre` and `vio` are references
`[from, process, to]`, without labels; `readers` says of each own transition which processes may
ask about it. `skeleton` has a row for each pre-transition of each transition of others on which own
ones rest, or one without where it starts a sequence; `followers` says of each own transition which
others may ask about single events of it. No name of a message that its process neither sends nor
handles is in a file, unless the author called the property, a state or a process by it.

Agents read these files when they start, so nothing heavy is imported here but where something is
wrong and lines are looked for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, cast

import msgspec

from choreomon.agent_files.table_defects import table_defects
from choreomon.agent_files.table_roles import by_role, over_slots, role_defects, table_at
from choreomon.agent_files.table_rules import read_rules, written_rules
from choreomon.agent_files.table_sets import Sets, WrittenOut
from choreomon.agent_files.table_shape import (
    SPLIT_AGAIN,
    WrittenAlike,
    WrittenForgetting,
    WrittenPredecessor,
    WrittenTable,
)
from choreomon.agent_files.written_table import (
    carrying,
    read_readers,
    read_rows,
    read_skeleton,
    written_readers,
    written_rows,
    written_skeleton,
)
from choreomon.core.errors import DocumentError, Problem
from choreomon.core.labels import CarryingLabel
from choreomon.core.roles import NO_ROLES, Roles
from choreomon.core.verdict import Reference
from choreomon.files.input_files import beginning, size
from choreomon.files.json_keys import repeated_key
from choreomon.monitor.opening import Predecessor
from choreomon.properties.instances import Forgetting
from choreomon.properties.tables import RulesName, TransitionTable

KIND: Final = "table"
VERSION: Final = 1
MAX_TABLE_BYTES: Final = 16 * 1024 * 1024
"""Size of a file. Only where many hundreds of transitions meet in one state would it be larger."""
_MOST_TOLD: Final = 20
"""Most problems that are told of one file."""


@dataclass(frozen=True)
class SplitTable:
    """The table of one process, and of which system it is one.

    `system_id` has 32 hex digits; agents whose files differ in it are not of one system.
    `processes` are in the order of the entries of clocks, `table.process` among them. `sequences`:
    how many steps each sequence of the property has; empty for an automaton. `after`: the system
    that this one follows; `None` where it follows none. `key`: of the digests of values; empty
    where the property is not for each instance. `roles`: those of the system, of one of
    which `process` may be a slot.
    """

    system_id: str
    title: str
    rules: RulesName
    processes: tuple[str, ...]
    table: TransitionTable
    sequences: tuple[int, ...] = ()
    after: Predecessor | None = None
    key: bytes = b""
    roles: Roles = NO_ROLES

    @property
    def named(self) -> str:
        """The name by which services know the process: the role of a slot."""
        return self.roles.role_of(self.process)

    def at(self, process: str) -> SplitTable:
        """The table of another slot of the same role; itself for a process that is none."""
        if process == self.process or process not in self.roles.slots_of(self.named):
            return self
        return replace(self, table=table_at(self.table, process, self.roles))

    @property
    def clock_id(self) -> str:
        """The id of the first system that has the clock of this one."""
        return self.system_id if self.after is None else self.after.clock

    @property
    def process(self) -> str:
        return self.table.process

    @property
    def asked(self) -> tuple[str, ...]:
        """The other processes that this one's monitor asks, in the order of clocks."""
        named = {reference.process for reference in self.table.skeleton}
        if self.rules != "precise":
            asking = [each for group in self.table.inspections.values() for each in group]
            named = {owner for each in asking for owner, _ in each.asks}
        return tuple(p for p in self.processes if p in named and p != self.process)

    def is_for(self, process: str) -> bool:
        """Tell whether the agent of this process, or that of any slot of this role, needs it."""
        return process == self.process or (process in self.roles.slots and process == self.named)

    def asked_by(self, process: str) -> tuple[str, ...]:
        """The processes that the agent of this process asks; that of a role, at whatever slot."""
        siblings = {*self.roles.slots_of(process)}
        if process == self.process or siblings.isdisjoint(self.asked):
            return self.asked
        return tuple(p for p in self.processes if p in siblings or p in self.asked)

    @property
    def asking(self) -> tuple[str, ...]:
        """The other processes whose monitors may ask this one's, in the order of clocks."""
        table = self.table
        allowed = (*table.readers.values(), *table.followers.values())
        named = {reader for readers in allowed for reader in readers}
        return tuple(p for p in self.processes if p in named and p != self.process)


# ---------------------------------------------------------------- writing


def write_table(table: SplitTable) -> bytes:
    """The file, a row a line, that of a slot for all slots of its role. Its length is not bounded
    here; more than `MAX_TABLE_BYTES` are not read."""
    roles = table.roles
    if roles:
        table = table.at(roles.slots_of(table.named)[0])
    sets = Sets(roles)
    rows = written_rows(table.table.rows, sets, roles)
    skeleton = written_skeleton(table.table, sets)
    readers = written_readers(table.table.readers, sets)
    followers = written_readers(table.table.followers, sets)
    written: dict[str, bytes] = {
        "kind": _json(KIND),
        "version": _json(VERSION),
        "system": _json(table.system_id),
        "title": _json(table.title),
        "rules": _json(table.rules),
        "process": _json(table.named),
        **({"roles": _json(roles.slots)} if roles else {}),
        "processes": _json(tuple(dict.fromkeys(map(roles.role_of, table.processes)))),
        **({"sequences": _json(table.sequences)} if table.sequences else {}),
        **_written_parameters(table),
        **({"sets": _lines(sets.written)} if sets.written else {}),
        "rows": _lines(rows),
        "readers": _lines(readers),
    }
    if table.rules == "precise":
        written["skeleton"] = _lines(skeleton)
        written["followers"] = _lines(followers)
    if table.table.rules:
        written["named_rules"] = _lines(written_rules(table.table.rules))
    if table.after is not None:
        written["after"] = _json(_written_predecessor(table.after))
    fields = b",\n".join(b"  " + _json(key) + b": " + value for key, value in written.items())
    return b"{\n" + fields + b"\n}\n"


def _written_parameters(table: SplitTable) -> dict[str, bytes]:
    if not table.table.parameters:
        return {}
    carries = [CarryingLabel(label, names) for label, names in table.table.carries.items()]
    return {
        "for_each": _json(table.table.parameters),
        "key": _json(table.key.hex()),
        "carries": _lines([by_role(each, table.roles) for each in carries]),
        **_written_forgetting(table.table.forgetting),
    }


def _written_forgetting(forgetting: Forgetting | None) -> dict[str, bytes]:
    if forgetting is None:
        return {}
    return {"forget": _json(WrittenForgetting(forgetting.after, sorted(forgetting.bindings)))}


def _written_predecessor(after: Predecessor) -> WrittenPredecessor:
    alike = [
        WrittenAlike(source=new.source, target=new.target, was=(old.source, old.target))
        for new, old in after.alike.items()
    ]
    return WrittenPredecessor(system=after.system, clock=after.clock, alike=alike)


def _json(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=0)


def _lines(items: Sequence[object]) -> bytes:
    lines = b",\n".join(b"    " + _json(item) for item in items)
    return b"[\n" + lines + b"\n  ]" if items else b"[]"


# ---------------------------------------------------------------- reading


class _Kind(msgspec.Struct):
    kind: str = ""
    version: int = VERSION


_KIND_DECODER: Final = msgspec.json.Decoder(_Kind)
_DECODER: Final = msgspec.json.Decoder(WrittenTable)


def load_table(path: str | os.PathLike[str]) -> SplitTable:
    """The table in a file, or that of the first slot of a role. Raises `DocumentError`, also where
    the file cannot be read."""
    file = os.fspath(path)
    content = beginning(file, MAX_TABLE_BYTES + 1)
    return read_table(content, file)


def read_table(text: bytes, file: str) -> SplitTable:
    """The table that `write_table` wrote; `file` is what problems call it.

    Raises `DocumentError` for anything else. That the tables of several processes are of one
    property is not known from one file: what tells them apart is the system id.
    """
    if len(text) > MAX_TABLE_BYTES:
        raise _refused(file, f"is larger than {size(MAX_TABLE_BYTES)}: use a smaller property")
    document = _decoded(text, file)
    found = tuple(islice(role_defects(document), _MOST_TOLD))
    if not found:
        document = over_slots(document)
        found = tuple(islice(table_defects(document), _MOST_TOLD))
    if found:
        from choreomon.files.json_documents import Defects

        defects = Defects(text, file)
        for path, message in found:
            defects.add(path, message)
        defects.raise_any()
    return _table(document)


def is_table(text: bytes) -> bool:
    """Return whether a text claims to be a table, of whatever version. It may be wrong."""
    try:
        return _KIND_DECODER.decode(text).kind == KIND
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False


def _refused(file: str, message: str) -> DocumentError:
    return DocumentError((Problem(file, 0, "", message),))


def _decoded(text: bytes, file: str) -> WrittenTable:
    try:
        stated = _KIND_DECODER.decode(text)
        if stated.kind == KIND and stated.version != VERSION:
            told = f"is {stated.version}, and this choreomon reads {VERSION}: {SPLIT_AGAIN} with it"
            raise DocumentError((Problem(file, 0, "version", told),))
        document = _DECODER.decode(text)
        if document.kind == KIND and not repeated_key(text, document.keys() + document.colons()):
            return document
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        pass
    # Only now, since it reads the whole document: it finds the same mistake, with its line.
    from choreomon.files.json_documents import decoded

    return decoded(text, file, KIND, WrittenTable)


def _table(document: WrittenTable) -> SplitTable:
    out = WrittenOut(document.sets or ())
    rows = read_rows(document, out)
    own = tuple(dict.fromkeys(row.transition.reference for row in rows))
    labels = [carrying(each) for each in document.carries or ()]
    table = TransitionTable(
        document.process,
        rows,
        read_readers(document, own, document.readers, out),
        read_skeleton(document, rows, out) if document.rules == "precise" else {},
        read_readers(document, own, document.followers or (), out),
        document.for_each or (),
        {each.label: each.parameters for each in labels},
        read_rules(document.named_rules or ()),
        forgetting=None
        if document.forget is None
        else Forgetting(document.forget.after, frozenset(document.forget.bindings)),
    )
    return SplitTable(
        system_id=document.system,
        title=document.title,
        rules=cast(RulesName, document.rules),  # `table_defects` has seen to it
        processes=document.processes,
        table=table,
        sequences=document.sequences or (),
        after=None if document.after is None else _predecessor(document, document.after),
        key=bytes.fromhex(document.key or ""),
        roles=Roles(document.roles) if document.roles else NO_ROLES,
    )


def _predecessor(document: WrittenTable, after: WrittenPredecessor) -> Predecessor:
    process = document.process
    return Predecessor(
        after.system,
        after.clock,
        {
            Reference(each.source, process, each.target): Reference(
                each.was[0], process, each.was[1]
            )
            for each in after.alike
        },
    )
