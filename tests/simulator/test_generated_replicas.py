"""Generated scenarios in which a process is a role with replicas."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from simulator.generation.parameters import Unfit, of_class
from simulator.generation.scenario import generated_scenario, generated_simulation
from simulator.run import simulation
from tests.simulator.promises import broken_promises, document_text, read_back


@pytest.mark.parametrize("seed", range(6))
def test_with_replicas_all_is_drawn_and_promised_that_is_without(seed: int) -> None:
    plain = of_class("C3", sequences=2, length=4, branching=0.0)
    wanted = replace(plain, replicas=3)
    text = document_text(wanted, seed)
    document = read_back(text)
    assert broken_promises(document, wanted) == set()
    (role,) = document.replicas.roles.slots
    without = [line for line in text.splitlines() if line not in ("roles:", f"  {role}: 3")]
    assert without == document_text(plain, seed).splitlines()
    assert document.property is not None
    owned = Counter(label.process for label in document.property.automaton.labels)
    assert owned[role] == max(owned.values())
    made = generated_simulation(generated_scenario(wanted, seed))
    assert simulation(document).application == made.application
    over_slots = document.over_slots().property
    assert over_slots is not None
    assert over_slots.automaton == made.automaton


def test_each_instance_is_at_one_replica() -> None:
    wanted = of_class("C3", sequences=2, length=2, instances=6, replicas=2)
    used = set()
    for seed in range(4):
        document = read_back(document_text(wanted, seed))
        made = generated_simulation(generated_scenario(wanted, seed))
        over_slots = document.over_slots().property
        assert over_slots is not None
        assert over_slots.parameters == made.parameters
        (role,) = document.replicas.roles.slots
        where: dict[object, set[str]] = {}
        for event in made.run(seed, keep_events=True).kept_events:
            if document.replicas.roles.role_of(event.process) == role:
                where.setdefault(event.values, set()).add(event.process)
        assert {len(slots) for slots in where.values()} == {1}
        used |= {slot for slots in where.values() for slot in slots}
    assert len(used) > 2


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"replicas": -1}, "-1 is too small: 0 is the least"),
        ({"replicas": 1023}, "1023 and 2 other processes are more than 1024: ask for at most 1022"),
        ({"replicas": 2, "branching": 0.5}, "2 have variables of their own, so that what one was"),
    ],
)
def test_replicas_that_do_not_fit_are_refused(more: dict[str, Any], told: str) -> None:
    with pytest.raises(Unfit, match=told) as caught:
        of_class("C3", **{"branching": 0.0, **more})
    assert caught.value.parameter == "replicas"
