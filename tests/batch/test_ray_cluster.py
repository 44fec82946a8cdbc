"""What is asked of a Ray cluster, by one of which each piece of work is done when its result is."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from choreomon.batch.ray_cluster import RayWorkers


class Reference:
    """To a value that is there when somebody asks."""

    def __init__(self, made: Callable[[], Any]) -> None:
        self.value = made


class LazyCluster:
    """As far as Ray is used: remote functions, values that are put there, and references."""

    def __init__(self) -> None:
        self.handed_out: list[Reference] = []
        self.cancelled: list[Reference] = []

    def remote(self, function: Callable[..., Any]) -> Any:
        def called(*arguments: Any) -> Reference:
            given = [self.get(one) if isinstance(one, Reference) else one for one in arguments]
            self.handed_out.append(Reference(lambda: function(*given)))
            return self.handed_out[-1]

        return SimpleNamespace(remote=called)

    def put(self, value: Any) -> Reference:
        return Reference(lambda: value)

    def get(self, reference: Reference) -> Any:
        return reference.value()

    def cancel(self, reference: Reference) -> None:
        self.cancelled.append(reference)


TASKS = [*range(-7, 0)]
DONE = [7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize("at_once", [1, 3, 64])
def test_results_come_in_the_order_of_the_tasks_however_many_are_handed_out_together(
    at_once: int,
) -> None:
    cluster = LazyCluster()
    assert [*RayWorkers(cluster).map(abs, TASKS, at_once)] == DONE
    assert len(cluster.handed_out) == -(-len(TASKS) // at_once)
    assert not cluster.cancelled


@pytest.mark.parametrize("ahead", [1, 3, 64])
def test_of_tasks_that_come_one_by_one_only_so_many_are_taken_before_their_results(
    ahead: int,
) -> None:
    cluster = LazyCluster()
    results = RayWorkers(cluster).stream(abs, iter(TASKS), ahead)
    for number, expected in enumerate(DONE):
        assert next(results) == expected
        assert len(cluster.handed_out) == min(number + ahead, len(TASKS))
    assert [*results] == []
    assert not cluster.cancelled


def test_what_was_not_begun_when_the_iterator_is_closed_is_not_done() -> None:
    for results_of in (
        lambda pool: pool.map(abs, TASKS, 2),
        lambda pool: pool.stream(abs, iter(TASKS), 4),
    ):
        cluster = LazyCluster()
        results = results_of(RayWorkers(cluster))
        assert next(results) == 7
        results.close()
        # The first one may be cancelled, too, where not all its results were taken.
        assert cluster.cancelled[-3:] == cluster.handed_out[1:]
