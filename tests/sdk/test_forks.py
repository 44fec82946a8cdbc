"""A connection is its process's alone: the child of a fork cannot speak on it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path

from choreomon.core.errors import ProcessClosed
from tests.sdk.fake_agent import fake_agent
from tests.sdk.test_asynchronous import connected as connected_on_a_loop
from tests.sdk.test_blocking import clock_of, connected, threaded_agent
from tests.sdk.virtual_time import in_virtual_time


def said_in_a_child(act: Callable[[], object]) -> str:
    """What `act` complains about in the child of a fork, if it does."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        child = os.fork()
    if child == 0:
        said = "nothing"
        try:
            act()
        except ProcessClosed as error:
            said = str(error)
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as words:
        said = words.read()
    os.waitpid(child, 0)
    return said


def test_threads_in_a_child_are_told_to_connect_there_and_the_parent_goes_on(
    tmp_path: Path,
) -> None:
    with threaded_agent(tmp_path / "shop.sock") as agent, connected(agent) as process:
        process.sending("customer", "parcel")
        said = said_in_a_child(lambda: process.sending("customer", "parcel"))
        assert "connect in the child" in said
        assert said_in_a_child(process.close) == "nothing"
        assert clock_of(process.sending("customer", "parcel")) == (2, 0)
        assert agent.taken == ["parcel", "parcel"]


def test_a_child_forked_while_another_thread_holds_the_lock_does_not_wait_for_it(
    tmp_path: Path,
) -> None:
    with threaded_agent(tmp_path / "shop.sock") as agent, connected(agent) as process:
        with process._lock:
            said = said_in_a_child(lambda: process.sending("customer", "parcel"))
        assert "connect in the child" in said


@in_virtual_time
async def test_on_a_loop_it_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "shop.sock"
    async with fake_agent(path) as agent, await connected_on_a_loop(agent) as process:

        def told_in_the_child() -> None:
            process.sending("customer", "parcel").send(None)

        await process.sending("customer", "parcel")
        assert "connect in the child" in said_in_a_child(told_in_the_child)
        await process.sending("customer", "parcel")
        assert agent.taken == ["parcel", "parcel"]
