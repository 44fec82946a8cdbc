"""Who answers in these tests."""

from __future__ import annotations

import pytest

from choreomon.verify import exact, short_logs


@pytest.fixture
def by_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Discrete multi-traces are searched as all others are, automaton or not."""
    monkeypatch.setattr(exact, "discrete_logs", lambda interaction: None)
    monkeypatch.setattr(short_logs, "is_separable", lambda term: False)
