"""The cases of the traffic generator: what really happens in each, seen by a witness that no real
system has, who stands beside all services at once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from choreomon.agent_files.clocks.text import Carried
from choreomon.core.binding import Values
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.documents.read import load_document
from choreomon.sdk.carriers import Carrying
from cluster.cases import CASES, HALVES
from cluster.traffic import play
from tests.cluster.in_one_process import saga
from tests.laws.formed_instances import formed_at

ROOT = Path(__file__).parents[2]


class Witness:
    """Writes down all events in their real order."""

    def __init__(self) -> None:
        self.labels: list[Label] = []
        self.values: list[Values] = []
        self._lock = threading.Lock()

    def beside(self, name: str) -> WitnessedProcess:
        return WitnessedProcess(name, self)

    def saw(self, label: Label, values: Values) -> None:
        with self._lock:
            self.labels.append(label)
            self.values.append(values)


class WitnessedProcess(Carrying):
    """A `BlockingProcess` whose monitor is the witness."""

    on = True

    def __init__(self, name: str, witness: Witness) -> None:
        super().__init__()
        self.name = name
        self._witness = witness

    def sending(self, to: str, name: str, /, **values: str) -> Carried:
        self._witness.saw(Label(SEND, Message(self.name, name, to)), values)
        return Carried(self.name, name, "")

    def handling(self, carried: Carried, /, **values: str) -> None:
        message = Message(carried.sender, carried.name, self.name)
        self._witness.saw(Label(HANDLE, message), values)

    def handling_from_outside(self, name: str, /, **values: str) -> None:
        self._witness.saw(Label(HANDLE, Message("env", name, self.name)), values)

    def close(self, deadline: float | None = None) -> None:
        pass


def each_after_each(names: list[str]) -> list[str]:
    """A sequence in which every name comes after every name once, itself included."""
    sequence = []
    for place, first in enumerate(names):
        sequence.append(first)
        for second in names[place + 1 :]:
            sequence += [first, second]
    return [*sequence, names[0]]


@pytest.mark.parametrize("file", ["property.yaml", "property-2.yaml"])
def test_the_property_is_formed_in_the_cases_of_which_monitors_are_to_say_something(file):
    """After every other case, too: what a case leaves behind is no part of the next one."""
    stated = load_document(ROOT / "cluster" / file).property
    assert stated is not None
    witness = Witness()
    expected = []
    with saga(witness.beside) as services:
        for name in each_after_each(list(CASES)):
            case = CASES[name]
            parcels = play(services, case)["parcels"]
            assert len(parcels) == case.parcels, name
            expected.append((name, len(witness.labels), parcels if case.word is not None else []))
    seen = [*zip(witness.labels, witness.values, strict=True)]
    formed = formed_at(stated.automaton, stated.parameters, seen)
    begin = 0
    for name, end, wrong in expected:
        found = [witness.values[place]["order"] for place in formed if begin <= place < end]
        assert found == wrong, name
        begin = end
    assert all(place < begin for place in formed)


def test_the_two_halves_are_one_case_of_which_all_but_the_parcel_is_in_the_first():
    whole = CASES["cancelled-under-way"]
    first, second = HALVES.values()
    witness = Witness()
    with saga(witness.beside) as services:
        for case in (whole, first):
            play(services, case)
        begin = len(witness.labels)
        play(services, second)
    parcel = Label(SEND, Message("shipping", "parcel", "customer"))
    assert [*whole[2:4]] == [second.word, first.parcels + second.parcels]
    assert witness.labels[:begin].count(parcel) == witness.labels[begin:].count(parcel) == 1
    assert not any(
        label.message.name in ("change", "cancel", "refunded", "released")
        for label in witness.labels[begin:]
    )
