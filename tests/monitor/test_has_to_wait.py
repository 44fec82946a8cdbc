"""Inquiries that have to wait, told without a list of what is undecided."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from choreomon.monitor import answering, pull
from choreomon.monitor.messages import Inquiry
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rule_sets import RULES
from choreomon.monitor.rules import Rules
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import MonitorState
from tests.laws.test_guarantees import LONG, draw_run


@pytest.mark.parametrize("rules", [SOUND, RULES["precise"]])
def test_it_is_what_the_list_says(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Counter[tuple[bool, bool]]()

    def compared(monitor: MonitorSetup, state: MonitorState, inquiry: Inquiry) -> bool:
        listed = answering.undecided(monitor, state)
        slowly = answering.must_wait(monitor, listed, inquiry)
        seen[slowly, bool(listed)] += 1
        assert answering.has_to_wait(monitor, state, inquiry) is slowly
        return slowly

    monkeypatch.setattr(pull, "has_to_wait", compared)
    for seed in range(60):
        draw_run(Random(f"waits {seed}"), rules, events=LONG)
    assert min(seen[True, True], seen[False, True], seen[False, False]) > 50
