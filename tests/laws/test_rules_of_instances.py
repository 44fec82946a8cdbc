"""Each of several rules for each instance is judged as if it were alone."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest

from choreomon.monitor.of_instances.monitor import InstanceMonitor
from tests.laws.of_instances import FLAVORS
from tests.laws.rules_of_instances import RunOfRules
from tests.laws.test_several_rules import SharesWhatIsCertain


@pytest.mark.parametrize("name", FLAVORS)
def test_every_rule_for_each_instance_is_judged_as_if_it_were_alone(name: str) -> None:
    said = 0
    for seed in range(20):
        run = RunOfRules(Random(f"{name} {seed}"), FLAVORS[name]).play()
        assert not run.wrong(), seed
        said += sum(word is not None for words in run.said_of.values() for word in words.values())
    assert said > 20


def test_the_law_notices_certainty_that_is_shared() -> None:
    kind = partial(InstanceMonitor, rules=SharesWhatIsCertain())
    assert any(
        RunOfRules(Random(f"shared {seed}"), FLAVORS["plain"], kind).play().wrong()["made up"]
        for seed in range(200)
    )
