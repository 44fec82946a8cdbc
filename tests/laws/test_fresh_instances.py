"""Monitors of properties with labels that begin instances anew."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from choreomon.core.message import SEND, Label, Message
from choreomon.core.verdict import POSSIBLY_VIOLATED
from choreomon.properties.fresh import begun_anew
from choreomon.properties.instances import Parameters
from choreomon.properties.sequences import MessageSequence, sequences_automaton
from tests.laws.of_instances import FLAVORS, Run, System
from tests.properties.test_fresh import PROCESSES, Drawn, draw, drawn_of

REFUND = Label(SEND, Message("billing", "refund", "bank"))
OPEN = Label(SEND, Message("shop", "open", "bank"))
SHIP = Label(SEND, Message("shop", "ship", "carrier"))


@pytest.mark.parametrize("begin", [False, True], ids=["", "since the beginning"])
@pytest.mark.parametrize("name", ["plain", "gaps"])
def test_each_binding_is_judged_as_its_slice_says(name: str, begin: bool) -> None:
    found: Counter[str] = Counter()
    runs = formed = 0
    for seed in range(200):
        random = Random(f"laws of fresh {seed}")
        drawn = draw(random, drawn_of(random, seed, begin=begin))
        if not isinstance(drawn, Drawn):
            continue
        called = {"a": "order", "b": "tenant"}  # parameters of which events there have values
        carried = {
            message: tuple(called[name] for name in names)
            for message, names in drawn.parameters.carried.items()
        }
        parameters = Parameters(tuple(called.values()), carried)
        system = System(drawn.whole, parameters, PROCESSES)
        run = Run(random, FLAVORS[name], system=system).play()
        found += run.wrong()
        formed += len(run.formed())
        runs += 1
    assert not found
    assert runs > 30
    assert formed > 15


def possible_after_a_gap(*, fresh: bool) -> int:
    """How many of a hundred orders that are opened and shipped after a gap of billing of which the
    shop knows may have been refunded in it."""
    messages = (REFUND.message, OPEN.message, SHIP.message)
    parameters = Parameters(("order",), dict.fromkeys(messages, ("order",)))
    automaton = sequences_automaton([MessageSequence((REFUND, SHIP))])
    if fresh:
        automaton = begun_anew(automaton, parameters, [(("fresh", 0), OPEN)])
    run = Run(Random(0), system=System(automaton, parameters, ("billing", "shop")))
    billing, shop = range(2)
    run._step(billing, "gap_opens")
    run._step(billing, "gap_ends", lost=True)
    run._step(shop, "heard", run.states[billing].clock)
    for order in range(100):
        for label in (OPEN, SHIP):
            run._happens(shop, label, {"order": f"{order}"})
            while waiting := [pair for pair, channel in run._channels.items() if channel]:
                run._delivered(*waiting[0], 0)
    return Counter(run.said.values())[POSSIBLY_VIOLATED]


def test_a_gap_does_not_make_orders_possible_that_begin_after_it() -> None:
    assert possible_after_a_gap(fresh=False) == 100
    assert possible_after_a_gap(fresh=True) == 0
