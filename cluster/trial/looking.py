"""What services and agents of a trial say of themselves."""

from __future__ import annotations

import http.client
import json
from collections import Counter
from collections.abc import Mapping, Set
from typing import Any, Final, NamedTuple

from prometheus_client.parser import text_string_to_metric_families

from choreomon.agent_files.status_json import decode_status_untrusted
from choreomon.agent_files.verdict_json import decode_verdict_untrusted
from choreomon.core.labels import parse_carrying_label
from choreomon.core.live import AgentStatus, LiveVerdict
from cluster.trial.containers import Containers, DockerFailed

PROCESSES: Final = ("customer", "orders", "payment", "stock", "shipping")
VERDICTS: Final = "/var/lib/choreomon/verdicts.jsonl"


class Unreachable(Exception):
    """Nobody answers, or not with what was asked for."""


class Words(NamedTuple):
    """What was said of one event: the last verdict, `None` as long as there is none, and the
    provisional ones before it, in order. `silent`: who was silent when these were given.
    `merged`: the last verdict rests on records that were merged, since so much had happened when
    the answer was given (docs/adr/022-monitors.md, "Bounded history"): that costs certainty."""

    last: str | None
    provisional: tuple[str, ...] = ()
    silent: frozenset[str] = frozenset()
    merged: bool = False


class Looking:
    """What can be seen from outside of the containers."""

    def __init__(self, containers: Containers) -> None:
        self._containers = containers

    def get(
        self, service: str, port: int, path: str, *, method: str = "GET", timeout: float = 10.0
    ) -> bytes:
        """The body of an answer with status 200. Raises `Unreachable`."""
        try:
            host, published = self._containers.address(service, port)
            connection = http.client.HTTPConnection(host, published, timeout=timeout)
            try:
                connection.request(method, path)
                answer = connection.getresponse()
                body = answer.read()
            finally:
                connection.close()
        except (OSError, http.client.HTTPException, DockerFailed) as error:
            raise Unreachable(f"{service}: {error}") from None
        if answer.status != 200:
            raise Unreachable(f"{service}: {path} answers {answer.status}: {body[:500]!r}")
        return body

    def play(self, case: str, times: int = 1, *, timeout: float) -> dict[str, Any]:
        """Play a case: what the traffic generator says of it. Raises `Unreachable`."""
        path = f"/cases/{case}?times={times}"
        played = json.loads(self.get("traffic", 7000, path, method="POST", timeout=timeout))
        assert isinstance(played, dict)
        return played

    def ready(self, process: str) -> bool:
        """Whether the agent of a process says so."""
        try:
            self.get(f"{process}-agent", 7680, "/readyz", timeout=2)
        except Unreachable:
            return False
        return True

    def status(self, process: str) -> AgentStatus:
        """Of the agent of a process. Raises `Unreachable`."""
        return decode_status_untrusted(self.get(f"{process}-agent", 7680, "/status"))

    def metric(self, process: str, name: str, **labels: str) -> float:
        """The sum of the samples with these labels. Raises `Unreachable`."""
        text = self.get(f"{process}-agent", 7680, "/metrics").decode("utf-8")
        samples = [s for family in text_string_to_metric_families(text) for s in family.samples]
        return sum(
            sample.value
            for sample in samples
            if sample.name == name and labels.items() <= sample.labels.items()
        )

    def verdicts(self, process: str) -> list[LiveVerdict]:
        """What the agent of a process wrote into its file, in order. One that was told again,
        after a restart, stands here once. Raises `DockerFailed`."""
        # Before the first verdict there is no file.
        read = f"test ! -e {VERDICTS} || cat {VERDICTS}"
        text = self._containers.execute(f"{process}-agent", "sh", "-c", read)
        told = [decode_verdict_untrusted(line) for line in text.splitlines()]
        return list({verdict.id: verdict for verdict in told}.values())

    def words_by_system(self) -> dict[str, dict[str, Words]]:
        """By system, in the order in which they began to speak, what it said of the parcels, by
        their order. Raises `DockerFailed`."""
        systems: dict[str, dict[str, Words]] = {}
        for verdict in self.verdicts("shipping"):
            found = systems.setdefault(verdict.system, {})
            order = verdict.instance.get("order", "none")
            before = found.get(order, Words(None))
            if verdict.provisional:
                words = before._replace(
                    provisional=(*before.provisional, verdict.verdict),
                    silent=before.silent | set(verdict.silent),
                )
            else:
                merged = any(each.since and not each.event.gap for each in verdict.because)
                words = before._replace(last=verdict.verdict, merged=merged)
            found[order] = words
        return systems

    def words(self) -> dict[str, Words]:
        """What was said of the parcels, by their order; where several systems did, by the last of
        them."""
        return {
            order: words
            for found in self.words_by_system().values()
            for order, words in found.items()
        }

    def services(self) -> dict[str, dict[str, Any]]:
        """What all services say of themselves. Raises `Unreachable`."""
        states = json.loads(self.get("traffic", 7000, "/services"))
        assert isinstance(states, dict)
        return states

    def all_answer(self) -> bool:
        """Tell whether all services answer by now."""
        try:
            self.services()
        except Unreachable:
            return False
        return True

    def counted(self, process: str) -> tuple[int, list[str]]:
        """How many events the agent has, and which ones its table mentions. Raises
        `DockerFailed`."""
        answer = self._containers.execute(
            f"{process}-agent",
            *("python", "-m", "cluster.trial.counting"),
            *("/run/choreomon/agent.sock", "/etc/choreomon/agent.yaml"),
        )
        counted = json.loads(answer)
        return counted["events"], counted["labels"]


def acknowledged(labels: list[str], state: Mapping[str, Any]) -> int:
    """How many of the events with these labels a service went on after."""
    total: Counter[str] = Counter()
    for text in labels:
        carrying = parse_carrying_label(text)
        assert carrying is not None
        label, _ = carrying
        which = "sent" if label.kind == "send" else "handled"
        total[text] = state[which].get(label.message.name, 0)
    return total.total()


def misjudged(
    expected: Mapping[str, str | None], late: Set[str], found: Mapping[str, Words]
) -> str:
    """What is wrong with what was said of the parcels; "" where nothing is. `expected` has the
    last verdict about each, by its order; `None`: nothing, or that a word was withdrawn. See
    `is_weaker` for the orders that are `late`."""
    for order, word in expected.items():
        words = found.get(order, Words(None))
        last = None if words.last == "withdrawn" else words.last
        if last != word and not is_weaker(word, words, order in late):
            return f"of the parcel of order {order} is said: {words.last}, and should be: {word}"
    unknown = sorted(found.keys() - expected.keys())
    return f"verdicts about orders that nobody expected: {unknown}" if unknown else ""


def is_weaker(expected: str | None, words: Words, late: bool) -> bool:
    """Whether a word is less certain than it might be, for a reason that is known: it rests on
    merged records, or, where it is `late`, on events of which an agent was told later than
    others knew of them, so that the order of both was lost."""
    return words.last == "possibly-violated" != expected and (words.merged or late)
