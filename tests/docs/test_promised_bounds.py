"""The numbers that pages about live agents promise are those of the code. That the code keeps to
them is tested where it does."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable

import pytest

from choreomon.agent_files.agent_config import AgentConfig, Limits
from choreomon.agent_files.clocks.text import KEY_BYTES, MAX_CLOCK_TEXT, MAX_ENTRIES, MAX_SYSTEMS
from choreomon.agent_files.local import MAX_LEASE
from choreomon.agent_files.table_shape import MAX_PROCESSES, SYSTEM_ID_BYTES
from choreomon.agent_files.verdict_size import MOST_BYTES
from choreomon.core.decisive_reasons import MOST_REASONS
from choreomon.monitor.gaps import MAX_GAPS
from choreomon.monitor.host import LEAP
from choreomon.monitor.pull import WAITING_PER_OPEN
from choreomon.runtime.configured_sidecar import OF_INSTANCES
from choreomon.runtime.delivery.sinks import PATIENT, Sinks
from choreomon.runtime.driver import ROWS_PER_SNAPSHOT, Timeouts
from choreomon.runtime.local_socket import MAX_TOKEN, MIN_TOKEN
from choreomon.runtime.network import peer_limits
from choreomon.runtime.network.peer_stores import QUIET
from choreomon.runtime.operations import logs
from choreomon.runtime.outstanding import BackOff
from choreomon.runtime.service import MAX_CONNECTIONS
from choreomon.runtime.sidecar import Sidecar
from choreomon.sdk.asynchronous import connect
from choreomon.sdk.blocking import connect as connect_blocking
from choreomon.sdk.lease import RENEWALS
from tests.scenarios.console_blocks import ROOT

WORDS = {3: "three", 4: "four", 8: "eight", 60.0: "minute", 3600.0: "1h"}


def default(function: Callable[..., object] | type, name: str) -> float:
    found = inspect.signature(function).parameters[name].default
    assert isinstance(found, int | float)
    return found


def configured(name: str) -> float:
    (field,) = (field for field in dataclasses.fields(AgentConfig) if field.name == name)
    assert isinstance(field.default, int | float)
    return field.default


SAID = {
    "operations.md": [
        f"tries each sink once more ({default(Sinks.close, 'grace'):g} s in all)",
        f"with a secret of {MIN_TOKEN} to {MAX_TOKEN} characters",
        f"lets messages go without it; at most `{WORDS[MAX_LEASE]}`",
        f"a pause that grows from {PATIENT.first:g} s to {PATIENT.most:g} s",
        f"logged once a {WORDS[logs.INTERVAL]} for each reason",
        f"{MAX_CONNECTIONS} are open",
        f"at most {ROWS_PER_SNAPSHOT} rows of the journal",
        f"A verdict has at most {MOST_REASONS} reasons",
        f"its line at most {MOST_BYTES // 1024} KB",
        f"gets no answer for {peer_limits.Limits().other_key:g} s, it tries the other one",
    ],
    "live.md": [
        f"waits, up to the deadline of `connect` ({default(connect, 'deadline'):g} s)",
        f"waits, up to the deadline of `connect` ({default(connect_blocking, 'deadline'):g} s)",
        f"each time for `lease` seconds ({configured('lease'):g})",
        f"each time for `lease` seconds ({default(Sidecar, 'lease'):g})",
        f"{WORDS[RENEWALS]} renewals a lease",
        f"remembers the last {MAX_GAPS} gaps apart",
        f"a {WORDS[Timeouts().absent]} after it left",
        f"the agent holds back its answers for a {WORDS[Timeouts().absent]}",
        f"When one of them has been silent for a {WORDS[QUIET]} the other one is believed again",
        f"its gap ends a {WORDS[Timeouts().absent]} after it is there again",
        f"with a back-off up to {BackOff().most:g} s; who asks connects again within "
        f"{peer_limits.Limits().reconnect_most:g} s",
        f"After `deadline` ({configured('deadline'):g} s)",
        f"After `deadline` ({Timeouts().deadline:g} s)",
        f"After `give_up` ({configured('give_up') / 60:g} min)",
        f"After `give_up` ({Timeouts().give_up / 60:g} min)",
        f"more than `most_open` ({configured('most_open')})",
        f"{WORDS[OF_INSTANCES]} times `most_open` ({OF_INSTANCES * configured('most_open'):,})",
        f"with {WORDS[WAITING_PER_OPEN]} times as many inquiries that wait",
        f"an id for it of {SYSTEM_ID_BYTES} bytes",
        f"the first {KEY_BYTES} bytes of its id",
        f"takes {MAX_CLOCK_TEXT} characters",
        f"may have {MAX_PROCESSES} processes, an agent {MAX_SYSTEMS} systems",
        f"leaps ahead by 2^{LEAP.bit_length() - 1},",
    ],
}


@pytest.mark.parametrize(("page", "said"), [(page, said) for page in SAID for said in SAID[page]])
def test_a_page_says_the_number_that_the_code_has(page: str, said: str) -> None:
    text = " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())
    assert said in text


def test_limits_that_are_the_same_in_two_places_are() -> None:
    assert 1 << LEAP.bit_length() - 1 == LEAP
    assert MAX_ENTRIES == MAX_PROCESSES
    assert Limits().window == default(Sidecar, "window")
    assert Limits().sessions == default(Sidecar, "most_sessions")
    assert Limits().frame_bytes == peer_limits.Limits().frame_bytes
    assert Limits().frames_per_second == peer_limits.Limits().rate
