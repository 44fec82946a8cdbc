"""The configuration of a running agent, read anew: what of it may differ, and what that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Final, NamedTuple

from choreomon.agent_files.agent_config import AgentConfig, load_tables, refuse
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.agent_files.role_config import at_slot
from choreomon.agent_files.table_file import SplitTable
from choreomon.core.errors import Defect
from choreomon.runtime.network.credentials import load_security, load_token
from choreomon.runtime.network.security import Security

RELOADABLE: Final = ("tables", "closing", "peers", "keys")
"""Fields that may differ. So may what is in the files of keys and of the token."""
_OF_THE_FILE: Final = ("file", "lines", "role")


class Reread(NamedTuple):
    """A configuration with all that it names: the tables, who is who, and what services tell."""

    config: AgentConfig
    tables: tuple[SplitTable, ...]
    security: Security
    token: str


def reread(present: AgentConfig, tables: tuple[SplitTable, ...], *, embedded: bool) -> Reread:
    """The file of the `present` configuration, as it is now. One that was made in Python stays, and
    so do its `tables`; only keys and token are read. Raises `DocumentError` and `UnusableKeys`."""
    config = present
    if present.file:
        config = load_agent_config(present.file)
        if config.process == present.role:
            config = at_slot(config, present.process)
        refuse(config, unchangeable(present, config))
        tables = load_tables(config)
    token = "" if embedded else load_token(config)
    return Reread(config, tables, load_security(config, tables), token)


def unchangeable(present: AgentConfig, config: AgentConfig) -> Iterator[Defect]:
    """Yields the differences in what cannot change while the agent runs."""
    for field in fields(AgentConfig):
        name = field.name
        if name in (*RELOADABLE, *_OF_THE_FILE):
            continue
        before, now = getattr(present, name), getattr(config, name)
        if name == "local":
            before, now = replace(before, token=None), replace(now, token=None)
        if before != now:
            told = "cannot change while the agent runs: take the change back, or restart the agent"
            yield Defect((name,), told)
