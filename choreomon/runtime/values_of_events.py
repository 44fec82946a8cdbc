"""Values that events carry, in all properties beside one process together. Monitors get digests of
what a service says, and verdicts what was said.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from choreomon.agent_files.digests import digest
from choreomon.agent_files.values import checked_values
from choreomon.core.binding import Binding, Values
from choreomon.core.labels import CarryingLabel
from choreomon.core.message import Label
from choreomon.core.roles import at_slot
from choreomon.monitor.host import Host


class ValuesOfEvents:
    """`keys`: of digests, one a property, empty where it is not for each instance; `mentioned`: by
    label the places of the properties that have it; `foretold`: what some property mentions that is
    not open yet.

    `labels`: the events that are to be told, with what each property has of them. `carried`: by
    label what all have together; `any`: whether there are any values at all."""

    def __init__(
        self,
        hosts: Sequence[Host],
        keys: Sequence[bytes],
        mentioned: Mapping[Label, tuple[int, ...]],
        foretold: Collection[CarryingLabel],
    ) -> None:
        self._tables = [host.monitor.table for host in hosts]
        self._keys = keys
        self._mentioned = mentioned
        own = [
            CarryingLabel(label, self._tables[place].carries.get(label, ()))
            for label, places in mentioned.items()
            for place in places
        ]
        carried: dict[Label, tuple[str, ...]] = {}
        for label, names in (*own, *sorted(foretold)):
            carried[label] = tuple(dict.fromkeys((*carried.get(label, ()), *names)))
        self.labels = frozenset((*own, *foretold))
        self.carried: Mapping[Label, tuple[str, ...]] = carried
        self.any = any(carried.values())

    def written(self, process: str) -> tuple[str, ...]:
        """The events that a service is to tell, of a process which it knows by this name."""
        carried = self.carried.items()
        return tuple(
            [str(CarryingLabel(at_slot(label, process), names)) for label, names in carried]
        )

    def check(self, label: Label, values: Values) -> None:
        """Raises `ValueError` where an event of this label lacks a value that some property needs,
        or has one that is none. Others are not checked: when the journal is read again, nothing is
        foretold."""
        needed = {
            name: None
            for place in self._mentioned.get(label, ())
            for name in self._tables[place].carries.get(label, ())
        }
        if needed:
            checked_values(values, needed, str(label))

    def said(self, place: int, label: Label, values: Values) -> Binding:
        """The binding of an event of this label in the property at `place`, as its service said
        it."""
        carried = self._tables[place].carries.get(label, ())
        return tuple([(name, values[name]) for name in sorted(carried)])

    def digested(self, place: int, said: Binding) -> Binding:
        """The binding as monitors know it: with digests."""
        key = self._keys[place]
        return tuple([(name, digest(key, name, value)) for name, value in said])
