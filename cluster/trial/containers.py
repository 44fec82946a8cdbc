"""The containers of one trial, through docker and docker-compose."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

PORTS: Final = (
    "CUSTOMER_AGENT_PORT",
    "ORDERS_AGENT_PORT",
    "PAYMENT_AGENT_PORT",
    "STOCK_AGENT_PORT",
    "SHIPPING_AGENT_PORT",
    "TRAFFIC_PORT",
    "PROMETHEUS_PORT",
)
ANY_PORT: Final = dict.fromkeys(PORTS, "0")
"""So that a trial disturbs no cluster that runs beside it."""


class NoDocker(Exception):
    """There is no docker here that could be used. The message says what is missing."""


class DockerFailed(Exception):
    """A command did not do what it should. The message has its last words."""


def compose_command() -> list[str]:
    """`docker-compose`, or `docker compose` where there is only that. Raises `NoDocker`."""
    if shutil.which("docker") is None:
        raise NoDocker("there is no command docker")
    if _fails(["docker", "info"]):
        raise NoDocker("docker has no daemon that answers: see `docker info`")
    if shutil.which("docker-compose") is not None:
        return ["docker-compose"]
    if _fails(["docker", "compose", "version"]):
        raise NoDocker("there is neither docker-compose nor docker compose")
    return ["docker", "compose"]


def _fails(command: Sequence[str]) -> bool:
    try:
        done = subprocess.run(command, capture_output=True, timeout=30, check=False)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


class Containers:
    """Those of the compose project `project`. `folder`: where docker-compose.yml is."""

    def __init__(self, project: str, folder: Path) -> None:
        self.project = project
        self._compose = [*compose_command(), "--project-name", project]
        self._folder = folder
        self._ids: dict[str, str] = {}

    def compose(self, *arguments: str, timeout: float) -> str:
        """The output of a command of docker-compose. Raises `DockerFailed`."""
        return self._run([*self._compose, *arguments], timeout)

    def docker(self, *arguments: str, timeout: float = 30.0) -> str:
        """The output of a command of docker. Raises `DockerFailed`."""
        return self._run(["docker", *arguments], timeout)

    def _run(self, command: Sequence[str], timeout: float) -> str:
        environment: Mapping[str, str] = {**os.environ, **ANY_PORT}
        try:
            done = subprocess.run(
                command,
                cwd=self._folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise DockerFailed(f"{' '.join(command)}: not done in {timeout:g} seconds") from None
        if done.returncode:
            last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
            raise DockerFailed(f"{' '.join(command)}: exit {done.returncode}\n{last}")
        return done.stdout

    def id_of(self, service: str) -> str:
        """The container of a service."""
        if service not in self._ids:
            found = self.docker(
                *("ps", "--all", "--quiet"),
                *("--filter", f"label=com.docker.compose.project={self.project}"),
                *("--filter", f"label=com.docker.compose.service={service}"),
            ).split()
            if len(found) != 1:
                raise DockerFailed(f"{service} has {len(found)} containers")
            self._ids[service] = found[0]
        return self._ids[service]

    def inspect(self, service: str) -> dict[str, Any]:
        """What docker says of it."""
        (found,) = json.loads(self.docker("inspect", self.id_of(service)))
        assert isinstance(found, dict)
        return found

    def address(self, service: str, port: int) -> tuple[str, int]:
        """Where a port of it is published. It may be another one after every start."""
        host, _, published = (
            self.docker("port", self.id_of(service), str(port)).strip().partition(":")
        )
        return host, int(published)

    def execute(self, service: str, *command: str, timeout: float = 30.0) -> str:
        """The output of a command within. Raises `DockerFailed`."""
        return self.docker("exec", self.id_of(service), *command, timeout=timeout)

    def crash(self, service: str) -> None:
        """kill -9 of what runs within. docker starts it again, as after any crash."""
        # All but the first process of the container, which then ends, too; it kills this
        # command as well, so that its exit code says nothing.
        command = ["docker", "exec", self.id_of(service), "sh", "-c", "kill -9 -1"]
        subprocess.run(command, capture_output=True, timeout=30, check=False)

    def hang_up(self, service: str) -> None:
        """SIGHUP to what runs within. Not by `docker kill`, after which docker would not start it
        again when it crashes."""
        self.execute(service, "sh", "-c", "kill -HUP 1")

    def kill(self, *services: str) -> None:
        """kill -9 of whole containers. They stay away until `start`."""
        self.docker("kill", *map(self.id_of, services))

    def stop(self, *services: str) -> None:
        """Tell them to end, and wait for it. They stay away until `start`."""
        self.docker("stop", "--time", "10", *map(self.id_of, services), timeout=90)

    def start(self, *services: str) -> None:
        """Start what was killed or stopped."""
        self.docker("start", *map(self.id_of, services), timeout=60)

    def cut_off(self, service: str, network: str) -> None:
        """Take it from a network; what is on the way is lost, and nobody is told."""
        self.docker("network", "disconnect", f"{self.project}_{network}", self.id_of(service))

    def join(self, service: str, network: str, alias: str) -> None:
        """Put it back, under the name that it has there."""
        where = f"{self.project}_{network}"
        self.docker("network", "connect", "--alias", alias, where, self.id_of(service))

    def logs(self) -> str:
        """What all of them said, as far as that can be had."""
        try:
            return self.compose("logs", "--no-color", "--timestamps", timeout=60)
        except DockerFailed as error:
            return str(error)

    def remove(self) -> None:
        """All containers, networks and volumes of the project. Raises `DockerFailed`."""
        self.compose(
            *("--profile", "prometheus", "down", "--volumes", "--remove-orphans", "--timeout", "1"),
            timeout=60,
        )

    def remove_old_images(self) -> None:
        """Those that were replaced by newer ones; what is used, or has a name, stays."""
        label = "label=org.opencontainers.image.title=choreomon-saga"
        self.docker("image", "prune", "--force", "--filter", label, timeout=60)

    def left_behind(self) -> list[str]:
        """What is still there of the project, which should be nothing."""
        label = ("--quiet", "--filter", f"label=com.docker.compose.project={self.project}")
        return [
            *self.docker("ps", "--all", *label).split(),
            *self.docker("network", "ls", *label).split(),
            *self.docker("volume", "ls", *label).split(),
        ]
