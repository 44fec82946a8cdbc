"""What is counted is what live agents would send: frames that their receivers can read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from benchmarks.monitoring_overhead import Workload, labels_for, prepared, with_cancellations
from choreomon.formats import wire
from choreomon.formats.clock_links import UNLINKED
from choreomon.formats.wire import encode, open_untrusted, unlinked
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

    def keeping(message: Any, link: Any) -> Any:
        data, after = wire.encode_linked(message, link)
        frames[id(message)] = data
        sizes["linked"] += len(data)
        sizes["whole"] += len(encode(message))
        return data, after

    hear = LinkedChannels.hear

    def reading(self: LinkedChannels, sender: str, sent: Sent) -> None:
        assert self._links is not None
        link = self._links.get(sender, UNLINKED)
        frame = open_untrusted(frames.pop(id(sent.message)))
        whole, after = unlinked(frame, LOAD.processes, link)
        assert whole == encode(sent.message)
        hear(self, sender, sent)
        assert self._links[sender] == after

    monkeypatch.setattr(linked_channels, "encode_linked", keeping)
    monkeypatch.setattr(LinkedChannels, "hear", reading)
    run = prepared(automaton, LOAD).run(LOAD.seed, strategy=strategy)
    assert run.monitoring_messages > 300
    assert run.monitoring_bytes == sizes["linked"] < sizes["whole"]


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
