"""The event loops of the tests of agents."""

from __future__ import annotations

from tests.runtime.conftest import pytest_pyfunc_call, run

__all__ = ["pytest_pyfunc_call", "run"]
