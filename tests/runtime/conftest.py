"""Event loops to run in: the one of asyncio, and uvloop."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import pytest

Run: TypeAlias = Callable[[Callable[[], Awaitable[None]]], None]

SECONDS = 300.0
"""After which a test has failed. Nothing is concluded from how long something takes."""


def _uvloop() -> asyncio.AbstractEventLoop:
    return pytest.importorskip("uvloop").new_event_loop()  # type: ignore[no-any-return]


@pytest.fixture(params=[asyncio.new_event_loop, _uvloop], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Run:
    """Runs a coroutine function to its end in a loop of its own; what a callback of the loop raises
    fails the test, unless it has set an exception handler itself."""

    def run(main: Callable[[], Awaitable[None]]) -> None:
        raised: list[dict[str, Any]] = []

        async def bounded() -> None:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: raised.append(context))
            async with asyncio.timeout(SECONDS):
                await main()

        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(bounded())
        assert raised == []

    return run


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Tests that are coroutine functions and name `run` are run by it, in both loops."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj) or "run" not in pyfuncitem.fixturenames:
        return None
    named = {
        name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters
    }
    named["run"](lambda: pyfuncitem.obj(**named))
    return True
