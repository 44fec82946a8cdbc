"""What logs show of a run: multi-traces, cut off as a document or an option says."""

from __future__ import annotations

from choreomon.actors.delays import Constant, Uniform
from choreomon.core.message import HANDLE, SEND, EventKind, Message
from choreomon.core.run import RunEvent
from choreomon.documents.observation import EVERYTHING, LogDocument, ObservationDocument
from choreomon.files.shape_reading import read_shape
from choreomon.multitrace.slices import is_multi_prefix, is_slice
from simulator.observation import Log, Logbook, WindowsName, logs_from_document

PROCESSES = ("P", "Q", "R")
WHOLE = "{[P] P?go.P!a.P?b; [Q] Q?a.Q!b; [R]}"


def event(
    index: int, time: int, kind: EventKind, sender: str, name: str, receiver: str
) -> RunEvent:
    process = sender if kind == SEND else receiver
    return RunEvent(index, time, kind, process, Message(sender, name, receiver), (0, 0, 0))


EVENTS = (
    event(0, 0, HANDLE, "env", "go", "P"),
    event(1, 0, SEND, "P", "a", "Q"),
    event(2, 1000, HANDLE, "P", "a", "Q"),
    event(3, 1000, SEND, "Q", "b", "P"),
    event(4, 2000, HANDLE, "Q", "b", "P"),
)


def observation(value: object) -> ObservationDocument:
    found, wrong = read_shape(ObservationDocument, value)
    assert wrong == []
    return found


def recorded(document: ObservationDocument = EVERYTHING) -> Logbook:
    logbook = Logbook(logs_from_document(document, PROCESSES))
    for one in EVENTS:
        logbook.record(one)
    return logbook


def seen(
    document: ObservationDocument = EVERYTHING, windows: WindowsName = "document", seed: int = 0
) -> str:
    return str(recorded(document).seen(seed, windows).multitrace)


def test_a_send_is_an_emission_and_a_handle_a_reception_whoever_is_at_the_other_end() -> None:
    assert seen() == WHOLE
    assert recorded().seen(0).happened == (3, 2, 0)


def test_processes_of_one_log_share_a_clock() -> None:
    together = ObservationDocument(logs=(LogDocument(processes=("R", "Q", "P")),))
    assert seen(together) == "{[P,Q,R] P?go.P!a.Q?a.Q!b.P?b}"


def test_logs_come_in_the_order_of_their_first_processes() -> None:
    logs = (LogDocument(processes=("R", "Q")),)
    assert seen(ObservationDocument(logs=logs)) == "{[P] P?go.P!a.P?b; [Q,R] Q?a.Q!b}"


def test_what_happens_before_the_start_is_not_in_a_log_and_what_happens_at_it_is() -> None:
    document = observation({"start": {"constant": 1}})
    assert seen(document) == "{[P] P?b; [Q] Q?a.Q!b; [R]}"


def test_what_happens_at_the_end_is_not_in_a_log_any_more() -> None:
    document = observation({"end": {"constant": 1}})
    assert seen(document) == "{[P] P?go.P!a; [Q]; [R]}"


def test_a_log_that_ends_before_it_begins_is_empty() -> None:
    document = observation({"start": {"constant": 2}, "end": {"constant": 1}})
    assert seen(document) == "{[P]; [Q]; [R]}"


def test_a_log_s_own_window_comes_before_that_of_all() -> None:
    document = observation(
        {
            "start": {"constant": 1},
            "end": {"constant": 1.5},
            "logs": [{"processes": ["P"], "start": {"constant": 0}, "end": {"constant": 9}}],
        }
    )
    assert seen(document) == WHOLE


def test_a_log_without_a_window_of_its_own_has_that_of_all() -> None:
    document = observation(
        {"start": {"uniform": [1, 2]}, "end": {"constant": 3}, "logs": [{"processes": ["Q", "P"]}]}
    )
    assert logs_from_document(document, PROCESSES) == (
        Log(("P", "Q"), Uniform(1, 2), Constant(3)),
        Log(("R",), Uniform(1, 2), Constant(3)),
    )


def test_windows_are_drawn_anew_for_every_seed_and_alike_for_the_same() -> None:
    document = observation({"start": {"uniform": [0, 3]}})
    found = [seen(document, seed=seed) for seed in range(20)]
    assert len({*found}) > 3
    assert found == [seen(document, seed=seed) for seed in range(20)]


def test_whole_logs_ignore_what_the_document_says() -> None:
    document = observation({"start": {"constant": 5}})
    assert seen(document, "whole") == WHOLE


def test_random_windows_leave_multi_prefixes_or_slices_of_the_whole_logs() -> None:
    whole = recorded().seen(0, "whole").multitrace
    for windows, holds in (("multiprefix", is_multi_prefix), ("slice", is_slice)):
        found = {recorded().seen(seed, windows).multitrace for seed in range(30)}
        assert len(found) > 5
        assert all(holds(one, whole) for one in found)
    begun_late = {recorded().seen(seed, "slice").multitrace for seed in range(30)}
    assert not all(is_multi_prefix(one, whole) for one in begun_late)
