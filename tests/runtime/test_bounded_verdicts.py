"""However much a verdict rests on, what a live agent says of it is small: in its store, on its
pages, in its sinks."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from choreomon.agent_files import verdict_json
from choreomon.agent_files.status_json import decode_status_untrusted, status_json
from choreomon.agent_files.told_traces import EventTrace
from choreomon.agent_files.verdict_json import live_verdict, verdict_line
from choreomon.agent_files.verdict_size import MOST_BYTES
from choreomon.core.live import LiveVerdict
from choreomon.core.verdict import MonitorVerdict
from choreomon.runtime import hosted
from choreomon.runtime.agent import LAST_VERDICTS
from choreomon.runtime.driver import Driver
from choreomon.runtime.operations.status import agent_status, readings
from choreomon.runtime.outputs import DeclaredVerdict
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.snapshot import decode_snapshot, encode_snapshot
from choreomon.terminal.live_verdict import live_explanation
from tests.runtime.crowded import JUDGE, Crowd
from tests.runtime.driven import SYSTEM, Clock, Ports
from tests.runtime.test_snapshot import as_version
from tests.runtime.world.disk import Disk


def judged(crowd: Crowd) -> tuple[Driver, DeclaredVerdict]:
    disk = Disk(lambda moment: None)
    ports = Ports(disk)
    sidecar = Sidecar(JUDGE, (SYSTEM,), (crowd.host(JUDGE),))
    driver = Driver(sidecar, disk, ports, Clock())
    driver.recover(forgetful=False)
    for each in crowd.greeting():
        driver.take(each)
    driver.flush()
    for answer in crowd.answers(ports):
        driver.take(answer)
    driver.flush()
    (declared,) = ports.words
    return driver, declared


def live(crowd: Crowd, declared: DeclaredVerdict, *, traced: bool = False) -> LiveVerdict:
    """`traced`: all that others did is in traces."""
    counts = (1, 2) if traced else ()
    return live_verdict(
        declared.verdict,
        crowd.table,
        id=declared.id,
        count=declared.event_count,
        label=declared.label,
        provisional=declared.provisional,
        time=0.0,
        traces=[EventTrace(each, count, b"t" * 16) for each in crowd.others for count in counts],
    )


CROWD = Crowd([f"process-{number}" for number in range(64)])


def test_a_verdict_has_as_many_reasons_as_people_read() -> None:
    driver, declared = judged(CROWD)
    verdict: MonitorVerdict = declared.verdict
    assert len(verdict.because) == 16
    assert verdict.reasons_left_out == 64 * 65 - 16
    line = verdict_line(live(CROWD, declared))
    assert len(line) < MOST_BYTES
    # What is kept of it until it is delivered is small, too.
    (kept,) = driver.state.undelivered.values()
    assert kept == declared
    assert len(encode_snapshot(driver.state, driver.sidecar)) < 50_000


def test_the_explanation_says_that_something_was_left_out_and_nothing_that_is_not_so() -> None:
    _, declared = judged(CROWD)
    text = str(live_explanation(live(CROWD, declared)))
    assert "4,144 more records that this rests on are left out." in text
    assert "othing cancelled" not in text
    assert "may have been cancelled" in text


def test_the_status_of_an_agent_with_many_such_verdicts_is_small() -> None:
    driver, declared = judged(CROWD)
    verdicts = [live(CROWD, declared)] * LAST_VERDICTS
    found = readings(driver.sidecar, driver.state)
    status = agent_status(
        found,
        [CROWD.table],
        process=JUDGE,
        version="",
        time=0.0,
        uptime=0.0,
        durability="process",
        verdicts=verdicts,
    )
    data = status_json(status)
    assert len(data) < 400_000
    assert decode_status_untrusted(data) == status


def test_a_verdict_that_was_kept_whole_is_bounded_when_it_is_read() -> None:
    with patch.object(hosted, "with_decisive_reasons", lambda verdict: verdict):
        driver, declared = judged(CROWD)
    assert len(declared.verdict.because) == 64 * 65
    (kept,) = decode_snapshot(
        as_version(2, driver.state, driver), driver.sidecar
    ).undelivered.values()
    _, bounded = judged(CROWD)
    assert kept == bounded


def test_many_processes_with_long_names() -> None:
    crowd = Crowd([f"{number:03}".ljust(200, "x") for number in range(40)])
    _, declared = judged(crowd)
    verdict = live(crowd, declared)
    assert len(verdict_line(verdict)) < MOST_BYTES
    assert len(verdict.because) + verdict.left_out["because"] == 40 * 41
    assert len(verdict.because) >= 8


@pytest.mark.parametrize("sign", ["x", "\U0001f600"])
def test_a_verdict_with_traces_is_as_small(sign: str) -> None:
    crowd = Crowd([f"{number:03}".ljust(200, sign) for number in range(40)])
    _, declared = judged(crowd)
    verdict = live(crowd, declared, traced=True)
    assert all(reason.event.trace_id for reason in verdict.because)
    assert len(verdict_line(verdict)) < MOST_BYTES
    assert len(verdict.because) + verdict.left_out["because"] == 40 * 41
    with patch.object(verdict_json, "fitted", lambda verdict, size: verdict):
        whole = live(crowd, declared, traced=True)
    assert (len(verdict_line(whole)) < MOST_BYTES) is (sign == "x")
