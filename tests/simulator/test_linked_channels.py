"""What is counted is what live agents would send: frames that their receivers can read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from benchmarks.monitoring_overhead import Workload, labels_for, prepared, with_cancellations
from choreomon.agent_files import wire
from choreomon.agent_files.clocks import coding as clock_coding
from choreomon.agent_files.clocks.links import UNLINKED
from choreomon.agent_files.clocks.packed import small_differences
from choreomon.agent_files.clocks.small_numbers import SmallNumbers
from choreomon.agent_files.wire import encode, open_untrusted, unlinked
from choreomon.properties.automaton import SequenceAutomaton
from simulator import linked_channels
from simulator.linked_channels import LinkedChannels, Sent

LOAD = Workload(processes=40, events=20_000, seed=3)


@pytest.fixture(scope="module")
def automaton() -> SequenceAutomaton:
    labels, _ = labels_for(0.1, 25, LOAD)
    return with_cancellations(labels)


@pytest.mark.parametrize("strategy", ["pull", "push"])
def test_what_arrives_can_be_read_and_is_the_message(
    strategy: Any, automaton: SequenceAutomaton, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames: dict[int, bytes] = {}
    sizes = {"linked": 0, "whole": 0}

    def keeping(message: Any, clock: Any, told: Any) -> bytes:
        data = wire.encode_told(message, clock, told)
        frames[id(message)] = data
        sizes["linked"] += len(data)
        sizes["whole"] += len(encode(message))
        return data

    hear = LinkedChannels.hear

    def reading(self: LinkedChannels, sender: str, sent: Sent) -> None:
        assert self._links is not None
        link = self._links.get(sender, UNLINKED)
        frame = open_untrusted(frames.pop(id(sent.message)))
        whole, after = unlinked(frame, LOAD.processes, link)
        assert whole == encode(sent.message)
        hear(self, sender, sent)
        kept = self._links[sender]
        assert kept == after._replace(offered=after.offered[-len(kept.offered) :])

    monkeypatch.setattr(linked_channels, "encode_told", keeping)
    monkeypatch.setattr(LinkedChannels, "hear", reading)
    run = prepared(automaton, LOAD).run(LOAD.seed, strategy=strategy)
    assert run.monitoring_messages > 300
    assert run.monitoring_bytes == sizes["linked"] < sizes["whole"]


def sizes(
    automaton: SequenceAutomaton, monkeypatch: pytest.MonkeyPatch, load: Workload
) -> list[int]:
    """Of all messages, one after the other."""
    found: list[int] = []

    def noting(message: Any, clock: Any, told: Any) -> bytes:
        data = wire.encode_told(message, clock, told)
        found.append(len(data))
        return data

    with monkeypatch.context() as patch:
        patch.setattr(linked_channels, "encode_told", noting)
        prepared(automaton, load).run(load.seed)
    return found


@pytest.mark.parametrize("events", [400, 4_000])
def test_bytes_are_those_of_clocks_that_are_coded_entry_by_entry(
    events: int, automaton: SequenceAutomaton, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where counts are small, and where they are not."""
    load = LOAD._replace(events=events)
    fast = sizes(automaton, monkeypatch, load)
    assert len(fast) > 20
    with monkeypatch.context() as slow:
        slow.setattr(clock_coding, "small_differences", lambda clock, base: None)
        slow.setattr(clock_coding, "small_entries", lambda clock: None)
        slow.setattr(clock_coding, "least_of", lambda lowest: 0)
        assert sizes(automaton, slow, load) == fast
    with monkeypatch.context() as planted:
        planted.setattr(clock_coding, "small_differences", one_byte_off)
        assert sizes(automaton, planted, load) != fast


def one_byte_off(clock: Any, base: Any) -> SmallNumbers | None:
    small = small_differences(clock, base)
    return small and small._replace(data=bytes([small.data[0] ^ 1]) + small.data[1:])


def test_out_of_order_every_message_is_whole(
    automaton: SequenceAutomaton, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = 0

    def counting(message: Any) -> bytes:
        nonlocal whole
        data = encode(message)
        whole += len(data)
        return data

    monkeypatch.setattr(linked_channels, "encode", counting)
    run = replace(prepared(automaton, LOAD), in_order=False).run(LOAD.seed)
    assert run.monitoring_bytes == whole > 0
