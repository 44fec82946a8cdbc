"""Who answers in these tests."""

from __future__ import annotations

import pytest

from choreomon.verify import exact, verifier


@pytest.fixture
def by_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Discrete multi-traces are searched as all others are, automaton or not."""
    monkeypatch.setattr(exact, "discrete_logs", lambda interaction: None)
    monkeypatch.setattr(verifier, "discrete_automaton", lambda interaction: None)
