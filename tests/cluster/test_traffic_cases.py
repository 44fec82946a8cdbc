"""The cases of the traffic generator: what really happens in each, seen by a witness that no real
system has, who stands beside all services at once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from choreomon.agent_files.clocks.text import Carried
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.documents.read import load_document
from choreomon.properties.reference import formations
from choreomon.sdk.carriers import Carrying
from cluster.cases import CASES, HALVES
from cluster.traffic import play
from tests.cluster.in_one_process import saga

ROOT = Path(__file__).parents[2]


class Witness:
    """Writes down all events in their real order."""

    def __init__(self) -> None:
        self.labels: list[Label] = []
        self._lock = threading.Lock()

    def beside(self, name: str) -> WitnessedProcess:
        return WitnessedProcess(name, self)

    def saw(self, label: Label) -> None:
        with self._lock:
            self.labels.append(label)


class WitnessedProcess(Carrying):
    """A `BlockingProcess` whose monitor is the witness."""

    on = True

    def __init__(self, name: str, witness: Witness) -> None:
        super().__init__()
        self.name = name
        self._witness = witness

    def sending(self, to: str, name: str) -> Carried:
        self._witness.saw(Label(SEND, Message(self.name, name, to)))
        return Carried(self.name, name, "")

    def handling(self, carried: Carried) -> None:
        message = Message(carried.sender, carried.name, self.name)
        self._witness.saw(Label(HANDLE, message))

    def handling_from_outside(self, name: str) -> None:
        self._witness.saw(Label(HANDLE, Message("env", name, self.name)))

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
    with saga(witness.beside) as services:
        for name in each_after_each(list(CASES)):
            case, begin = CASES[name], len(witness.labels)
            played = play(services, case)
            formed = [f.index for f in formations(stated.automaton, witness.labels)]
            assert any(index >= begin for index in formed) == (case.word is not None), name
            assert len(played["parcels"]) == case.parcels, name


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


def test_the_property_of_the_cluster_is_that_of_the_scenarios():
    documents = [
        load_document(ROOT / "cluster/property.yaml"),
        load_document(ROOT / "scenarios/payment-saga-violating.yaml"),
    ]
    first, second = (document.property for document in documents)
    assert first is not None
    assert second is not None
    assert first.automaton == second.automaton
