"""Settings of a service's monitor, beside the address of its agent, from the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast, get_args

from choreomon.agent_files.local import Policy

MAPPING: Final = "CHOREOMON_MAPPING"
"""The file of the mapping; without it what the conventions say."""
POLICY: Final = "CHOREOMON_POLICY"
"""The policy while the agent is away; `block` where nothing is said."""
DEADLINE: Final = "CHOREOMON_DEADLINE"
"""Seconds that a message waits under `block` before it is refused; 5 where nothing is said."""

_MOST: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Settings:
    """`mapping` is "" for the built-in one."""

    mapping: str = ""
    policy: Policy = "block"
    deadline: float = 5.0


def settings_of(environment: Mapping[str, str]) -> Settings:
    """The settings. Raises `ValueError` for one that is none."""
    policy = environment.get(POLICY, "").strip() or "block"
    if policy not in get_args(Policy):
        known = ", ".join(get_args(Policy))
        raise ValueError(f"the environment variable {POLICY} is {policy!r}: use one of {known}")
    text = environment.get(DEADLINE, "").strip()
    try:
        deadline = float(text or 5)
    except ValueError:
        deadline = 0
    if not 0 < deadline <= _MOST:
        raise ValueError(
            f"the environment variable {DEADLINE} is {text!r}: use seconds, above 0 and at most "
            f"{_MOST:g}"
        )
    return Settings(environment.get(MAPPING, "").strip(), cast(Policy, policy), deadline)
