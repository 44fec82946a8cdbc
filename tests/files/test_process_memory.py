"""Memory of this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from choreomon.files.process_memory import resident_bytes


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system tells a peak only")
def test_what_the_process_has_in_memory_falls_again() -> None:
    before = resident_bytes()
    block = bytearray(64_000_000)
    block[::4096] = bytes(len(block[::4096]))
    held = resident_bytes()
    assert held - before > 50_000_000
    del block
    assert held - resident_bytes() > 50_000_000


def test_where_the_system_tells_only_a_peak_that_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    now = resident_bytes()

    def refused(*_: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr("builtins.open", refused)
    assert 0.9 * now <= resident_bytes() < 20 * now
