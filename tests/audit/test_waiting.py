"""Who waits for what at the end of logs: no more is called missing than is."""

from __future__ import annotations

import pytest

from choreomon.audit.auditor import Auditor
from choreomon.audit.units import units
from choreomon.core.errors import DocumentError
from choreomon.core.message import SEND, Label, Message
from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from tests.audit.reading_orders import merges
from tests.audit.test_logs_that_lack import audited, automaton, event, kinds


def strange(events: list[RecordedEvent], *more: StatedTransition) -> tuple[list[str], list[str]]:
    """What is said of the sequence, and what is strange."""
    found: list[Diagnostic] = []
    auditor = Auditor(automaton(*more), on_diagnostic=found.append)
    for each in events:
        auditor.add(each)
    return kinds(auditor.finish()), [each.kind for each in found]


def test_whose_send_waits_itself_is_not_given_up() -> None:
    """P2 waits for what nobody sent, and P3 for what P2 sends then."""
    logs = [
        [event("P3?x<P2", 1, message_id="1")],
        [event("P2?lost<P1", 2, message_id="2"), event("P2!x>P3", 3, message_id="1")],
        [event("P1!y>P3", 4)],
    ]
    for events in merges(logs):
        assert strange(events)[1] == ["reception-without-send"]


def test_what_a_clock_knows_and_no_log_has_is_not_waited_for_at_the_end() -> None:
    """P1 knows five events of P3, whose log has one; P2 waits for what P1 sends then."""
    either = StatedTransition("q0", Label(SEND, Message("P3", "c", "P2")), "q1")
    logs = [
        [event("P2?m<P1", 1, message_id="1"), event("P2!b>P3", 2)],
        [event("P3!x>P1", 3, clock={"P3": 1})],
        [
            event("P1!a>P2", 4, clock={"P1": 1, "P3": 5}),
            event("P1!m>P2", 5, clock={"P1": 2, "P3": 5}, message_id="1"),
        ],
    ]
    for events in merges(logs):
        assert strange(events, either) == (["violated"], ["gap"])


@pytest.mark.parametrize("peer", ["", ">P2"])
def test_a_send_to_whomever_that_is_after_its_reception_is_a_cycle(peer: str) -> None:
    events = [
        event("P1?x<P2", 1, message_id="2"),
        event(f"P1!m{peer}", 2, message_id="1"),
        event("P2?m<P1", 3, message_id="1"),
        event("P2!x>P1", 4, message_id="2"),
    ]
    with pytest.raises(DocumentError, match="happened-before has a cycle"):
        audited(events)


def test_a_clock_that_does_not_count_its_own_process_is_told() -> None:
    assert strange([event("P2!b>P3", clock={"P1": 1}), event("P1!v>P2")])[1] == ["not-understood"]


def test_where_a_gap_is_found_late_nothing_is_known_of_all_of_it() -> None:
    """Nothing was formed, as far as was known when it was decided."""
    heard = [event("P1!y>P2", 2), event("P2?y<P1", 3), event("P2!z>P1", 4), event("P1?z<P2", 5)]
    log = [event("P2!b>P3", 1), *heard, event("P1!v>P2", 6), event("P1?lost<P2", 7)]
    outcome, _ = audited(log, patience=1)
    assert kinds(outcome) == []
    assert (outcome.overall.kind, outcome.overall.undecided) == ("possibly-violated", True)
    assert outcome.overall.reason.endswith("(--incomplete)")


def test_what_is_known_to_lack_events_is_not_found_to_lack_some_later() -> None:
    """What was decided took the gap into account, so that nothing has to be taken back."""
    log = [
        event("P1!a>P2", 1, message_id="1"),
        event("P2?a<P1", 2, message_id="1"),
        event("P2!b>P3", 3),
        event("P2!x>P1", 4, message_id="2"),
        event("P1?x<P2", 5, message_id="2"),
        event("P1!v>P2", 6),
        event("P1?lost<P2", 7, message_id="3"),
    ]
    outcome, told = audited(log, incomplete=["P2"], patience=1)
    assert [each.kind for each in told] == ["reception-without-send"]
    assert [(each.kind, each.undecided) for each in outcome.verdicts] == [("violated", False)]
    assert outcome.late == ()


def test_parts_that_end_with_the_labels_of_one_are_one_unit() -> None:
    x, y = (Label(SEND, Message("P1", name, "P2")) for name in "xy")
    ends = {"q": [x], "r": [x, y], "s": [y]}
    for order in (["q", "r", "s"], ["s", "r", "q"], ["q", "s", "r"]):
        three = sequence_automaton(
            initial=[f"{part}0" for part in order],
            final=[f"{part}1" for part in order],
            transitions=[
                StatedTransition(f"{part}0", label, f"{part}1")
                for part in order
                for label in ends[part]
            ],
        )
        assert [each.whole for each in units(three)] == [False]
