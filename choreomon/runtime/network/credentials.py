"""The keys, the token, and what webhooks are known by, as a configuration names them: read and
checked, in the same way by an agent that starts and by `choreomon check`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from choreomon.agent_files.agent_config import (
    AgentConfig,
    Keys,
    found_beside_leases,
    refuse,
    told_at,
)
from choreomon.agent_files.delivered.sinks import WebhookSink
from choreomon.agent_files.key_files import (
    KeyPair,
    load_key_pair,
    load_public_keys,
    public_file,
    secret_file,
)
from choreomon.agent_files.role_config import at_each_slot
from choreomon.agent_files.table_file import SplitTable
from choreomon.core.errors import Defect, DocumentError, Problem
from choreomon.runtime.delivery.webhook import load_credentials
from choreomon.runtime.local_socket import read_token
from choreomon.runtime.network.security import Curve, Insecure, Security, UnusableKeys

_A = TypeVar("_A")
_B = TypeVar("_B")


def load_security(config: AgentConfig, tables: Sequence[SplitTable]) -> Security:
    """Load the keys that say who is who. Raises `DocumentError` with all that is wrong with the
    keys."""
    processes = {name for table in tables for name in table.processes}
    keys = config.keys
    if keys is None:
        return Insecure(config.process, processes)
    own, known = _both(lambda: _own_keys(config, keys), lambda: _peers_keys(config, keys, tables))
    try:
        return Curve(own, {name: key for name, key in known.items() if name in processes})
    except UnusableKeys as error:
        refuse(config, [Defect(("keys",), str(error))])
        raise


def _own_keys(config: AgentConfig, keys: Keys) -> KeyPair:
    file = keys.secret
    if file.is_dir():
        file /= secret_file(config.process)
    elif config.role:
        told = f"{file}: should be a folder with the secret key of each slot of {config.role}"
        refuse(config, [Defect(("keys", "secret"), told)])
    with told_at(config, ("keys", "secret")):
        own = load_key_pair(file)
    if own.process != config.process:
        told = (
            f"{file}: is the key of {own.process}, and this is the agent of "
            f"{config.process}: name the file {secret_file(config.process)}"
        )
        refuse(config, [Defect(("keys", "secret"), told)])
    return own


def _peers_keys(
    config: AgentConfig, keys: Keys, tables: Sequence[SplitTable]
) -> dict[str, tuple[str, ...]]:
    with told_at(config, ("keys", "peers")):
        known = dict(load_public_keys(keys.peers))
    found = found_beside_leases(config, tables)
    asked = {peer for table in tables for peer in table.at(config.process).asked if peer in found}
    told = "{0}: has no public key of {1}, whom this agent asks: copy {2} there"
    refuse(
        config,
        [
            Defect(("keys", "peers"), told.format(keys.peers, peer, public_file(peer)))
            for peer in [*config.peers, *sorted(asked - {*config.peers})]
            if peer not in known and peer != config.process
        ],
    )
    return known


def load_token(config: AgentConfig) -> str:
    """Load the token that services must present; "" if they need none. Raises `DocumentError`."""
    if config.local.token is None:
        return ""
    with told_at(config, ("local", "token")):
        return read_token(config.local.token)


def check_webhooks(config: AgentConfig) -> None:
    """Raises `DocumentError` with all that is wrong with what webhooks are known by."""
    problems: list[Problem] = []
    for place, sink in enumerate(config.verdicts):
        if isinstance(sink, WebhookSink):
            for field, headers, secret in (
                ("headers_file", sink.headers_file, None),
                ("secret_file", None, sink.secret_file),
            ):
                try:
                    with told_at(config, ("verdicts", place, "webhook", field)):
                        load_credentials(sink.url, headers, secret)
                except DocumentError as error:
                    problems += error.problems
    if problems:
        raise DocumentError(tuple(problems))


def check_credentials(config: AgentConfig, tables: Sequence[SplitTable]) -> None:
    """Raises `DocumentError` with all that is wrong with keys, token and webhooks."""
    _both(
        lambda: _both(lambda: _check_keys(config, tables), lambda: load_token(config)),
        lambda: check_webhooks(config),
    )


def _check_keys(config: AgentConfig, tables: Sequence[SplitTable]) -> None:
    problems: dict[Problem, None] = {}
    for each in at_each_slot(config, tables):
        try:
            load_security(each, tables)
        except DocumentError as error:
            problems.update(dict.fromkeys(error.problems))
    if problems:
        raise DocumentError(tuple(problems))


def _both(first: Callable[[], _A], second: Callable[[], _B]) -> tuple[_A, _B]:
    """Call both, and return both results. Raises one `DocumentError` with the problems of both."""
    try:
        one = first()
    except DocumentError as error:
        problems = error.problems
        try:
            second()
        except DocumentError as other:
            problems += other.problems
        raise DocumentError(problems) from None
    return one, second()
