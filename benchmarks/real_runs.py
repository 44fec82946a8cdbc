"""What running a scenario for real costs beyond the time that it takes by itself: for starting and
ending its processes, and on the way of each message.

    python -m benchmarks.real_runs
    python -m benchmarks.real_runs --speed 10 --runs 10
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from choreomon.actors.randomness import Streams
from choreomon.core.run import RunEvent
from choreomon.deployment.fork_server import ForkServer
from choreomon.deployment.links import MICROSECONDS, Links
from choreomon.deployment.run import Deployment
from choreomon.documents.read import load_document
from choreomon.documents.scenario import Scenario, scenario
from simulator.run import Simulation

SCENARIOS: Final = Path(__file__).parents[1] / "scenarios"
NAMES: Final = (
    "fig1-violating",
    "lock-conforming",
    "payment-saga-violating",
    "smart-home-violating",
)


class Cost(NamedTuple):
    """Of one run: seconds from its call to its return, seconds that its processes took to start and
    end, seconds that its course took longer than in virtual time; microseconds that each message
    came late, as the document has them."""

    whole: float
    around: float
    longer: float
    late: list[float]


def lateness(what: Scenario, events: list[RunEvent], seed: int) -> Iterator[float]:
    """Of each message, in microseconds of the document: how long after its delay was over its
    receiver handled it. Sends of a link are in the order of their draws."""
    links = Links(what.delays, Streams(seed), name="application", speed=1.0, in_order=True)
    due: dict[int, float] = {}
    for event in events:
        if event.kind == "send":
            link = links.between(event.message.sender, event.message.receiver)
            due[event.index] = link.arrival(event.time / MICROSECONDS) * MICROSECONDS
        elif event.sent_at is not None:
            yield event.time - due[event.sent_at]


def measured(deployment: Deployment, seed: int) -> Cost:
    events: list[RunEvent] = []
    began = time.monotonic()
    run = deployment.run(seed, recorder=events.append)
    whole = time.monotonic() - began
    what, speed = deployment.scenario, deployment.speed
    virtual = Simulation(**vars(what)).run(seed).ended_at
    return Cost(
        whole,
        whole - run.ended_at / MICROSECONDS / speed,
        (run.ended_at - virtual) / MICROSECONDS / speed,
        [each / speed for each in lateness(what, events, seed)],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--speed", type=float, default=1.0)
    given = parser.parse_args()
    print(f"{given.runs} runs each, speed {given.speed:g}, load {os.getloadavg()[0]:.1f}")
    print(f"{'':24}{'':>10}{'processes':>11}{'whole':>9}{'around':>9}{'longer':>9}{'late':>18}")
    print(f"{'':24}{'':>10}{'':>11}{'s':>9}{'s':>9}{'s':>9}{'ms, median, most':>18}")
    with ForkServer() as fork_server:
        for name in NAMES:
            what = scenario(load_document(SCENARIOS / f"{name}.yaml"), "run")
            for embedded in (False, True):
                deployment = Deployment(
                    fork_server, what, what.rules, embedded=embedded, speed=given.speed
                )
                costs = [measured(deployment, seed) for seed in range(given.runs)]
                late = [each / 1000 for cost in costs for each in cost.late]
                actors = len(what.application.processes)
                print(
                    f"{name:24}{'embedded' if embedded else 'beside':>10}"
                    f"{1 + actors * (1 if embedded else 2):>11}"
                    f"{median(cost.whole for cost in costs):>9.2f}"
                    f"{median(cost.around for cost in costs):>9.2f}"
                    f"{median(cost.longer for cost in costs):>9.3f}"
                    f"{median(late):>9.2f}{max(late):>9.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
