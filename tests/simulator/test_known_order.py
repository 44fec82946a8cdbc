"""By what messages an order is known: of all messages there is a chain exactly where clocks say
that one event came before the other one, and each hop of it was sent when its sender knew."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from choreomon.core.run import MonitorsMessage, Run, RunEvent
from choreomon.core.strategy_names import STRATEGIES, StrategyName
from choreomon.core.vector_clock import happened_before
from choreomon.documents.read import load_document
from choreomon.pictures.shapes.drawing import Picture, Text, flattened
from choreomon.pictures.space_time.diagram import space_time_picture
from choreomon.pictures.space_time.highlights import Highlight
from choreomon.sentences.explanation import explanation
from choreomon.sentences.known_order import known_order, monitoring_hops, order_sentence
from simulator.generation.parameters import of_class
from simulator.generation.scenario import generated_scenario, generated_simulation
from simulator.run import simulation
from tests.scenarios.console_blocks import ROOT

SEEDS = 25


def generated_run(seed: int, strategy: StrategyName = "pull") -> Run:
    scenario = generated_scenario(of_class("C3", sequences=2, length=4), seed)
    return generated_simulation(scenario).run(seed, strategy=strategy, keep_events=True)


def pairs(run: Run) -> list[tuple[RunEvent, RunEvent]]:
    return [*combinations(run.kept_events, 2)]


def disagreements(run: Run) -> int:
    """Pairs of events that are ordered by their clocks and by no chain, or the other way round."""
    return sum(
        happened_before(one.clock, other.clock)
        != (known_order(run.kept_events, run.kept_messages, one.index, other.index) is not None)
        for one, other in pairs(run)
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_chains_say_what_the_clocks_say(strategy: StrategyName) -> None:
    runs = [generated_run(seed, strategy) for seed in range(SEEDS)]
    assert sum(map(disagreements, runs)) == 0
    by_monitors = sum(disagreements(replace(run, kept_messages=())) for run in runs)
    assert (by_monitors > 0) is (strategy != "central")


def test_hops_follow_each_other() -> None:
    longest = 0
    for seed in range(SEEDS):
        run = generated_run(seed)
        for one, other in pairs(run):
            chain = known_order(run.kept_events, run.kept_messages, one.index, other.index)
            if not chain:
                continue
            ends = [(one.process, (one.index, 1 << 62))]
            for hop in chain:
                process, at = ends[-1]
                assert hop.sender == process
                assert at <= hop.sent < hop.taken
                ends.append((hop.receiver, hop.taken))
            assert ends[-1][0] == other.process
            assert ends[-1][1] <= (other.index, 1 << 62)
            longest = max(longest, len(chain))
    assert longest > 1


def test_a_picture_draws_the_messages_that_order_its_steps() -> None:
    seed = 144
    scenario = generated_scenario(of_class("C3", sequences=1, length=4), seed)
    run = generated_simulation(scenario).run(seed, keep_events=True)
    (verdict,) = (verdict for verdict in run.verdicts if verdict.event_index == 18)
    marked = [Highlight(15, "step", 3), Highlight(18, "judged", 4)]

    def picture(messages: tuple[MonitorsMessage, ...]) -> Picture:
        return space_time_picture(
            run.kept_events, run.processes, marked, verdict=verdict, messages=messages
        )

    drawn = picture(run.kept_messages)
    assert drawn.structure["orders"] == [
        {"kind": "inquiry", "sender": "p1", "receiver": "p3", "sent": 16, "taken": 17}
    ]
    text = "".join(text_of(drawn))
    assert "inquiry" in text
    assert "message between monitors, by which an order is known" in text
    without = picture(())
    assert without.structure["orders"] == []
    assert "between monitors" not in "".join(text_of(without))


def text_of(picture: Picture) -> list[str]:
    """All that is written in it."""
    shapes = flattened(picture.drawing.shapes)
    return [shape.content for shape in shapes if isinstance(shape, Text)]


def test_the_application_alone_is_asked_first() -> None:
    for seed in range(SEEDS):
        run = generated_run(seed)
        for one, other in pairs(run):
            alone = known_order(run.kept_events, (), one.index, other.index)
            if alone is not None:
                both = known_order(run.kept_events, run.kept_messages, one.index, other.index)
                assert both == alone


def test_sentences_name_the_messages() -> None:
    document = load_document(ROOT / "scenarios" / "smart-home-violating.yaml")
    run = simulation(document).run(0, keep_events=True)
    assert document.property is not None
    assert (
        "That order is known from hallway -> car : unlock (events 9 and 11)."
        in explanation(
            run.verdicts[0],
            run.kept_events,
            document.property.automaton,
            messages=run.kept_messages,
        ).sentences
    )
    events = run.kept_events
    assert order_sentence(events, run.kept_messages, 12, 13) == ""
    assert order_sentence(events[9:], run.kept_messages, 8, 13) == ""
    assert order_sentence(events, (), 12, 14) == (
        "That order is known from car -> garage : close (events 13 and 14)."
    )
    assert monitoring_hops(events, run.kept_messages, [3, 8, 13]) == []


def test_of_what_only_a_monitoring_message_orders_it_is_said_which() -> None:
    told = set()
    for seed in range(SEEDS):
        run = generated_run(seed)
        for one, other in pairs(run):
            if not happened_before(one.clock, other.clock):
                continue
            if known_order(run.kept_events, (), one.index, other.index) is not None:
                continue
            hops = monitoring_hops(run.kept_events, run.kept_messages, [one.index, other.index])
            assert hops
            said = order_sentence(run.kept_events, run.kept_messages, one.index, other.index)
            assert (
                f"{hops[0].sender}'s monitor to {hops[0].receiver}'s (taken before event" in (said)
                or "more" in said
            )
            told |= {hop.kind for hop in hops}
            assert order_sentence(run.kept_events, (), one.index, other.index) == (
                "That order is known from messages between monitors."
            )
    assert {"inquiry", "response"} <= told
