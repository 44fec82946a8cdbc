"""Errors for services, the same on every way to an agent."""

from __future__ import annotations

from typing import Final

from choreomon.agent_files.local import RefusalReason
from choreomon.core.errors import AgentUnavailable, ProcessClosed
from choreomon.core.names import name_defect
from choreomon.sdk.address import VARIABLE, Address
from choreomon.sdk.session import Session

REFUSED_FOR_GOOD: Final[tuple[RefusalReason, ...]] = ("version", "token")
"""Reasons, before the first welcome, after which trying again would not help."""

_FIXES: Final[dict[RefusalReason | None, str]] = {
    "version": "install the same version of choreomon for the service and for the agent",
    "token": "let token_file name the file that `local.token` of the agent names",
}
_START: Final = (
    "start it with `choreomon agent --config agent.yaml`, "
    f"or set {VARIABLE}=off to run without a monitor"
)


def unavailable(address: Address, session: Session) -> AgentUnavailable:
    """The error of a service that waited in vain."""
    return AgentUnavailable(str(address), session.trouble, _FIXES.get(session.refusal, _START))


def closed(*, forked: bool = False) -> ProcessClosed:
    """`forked`: by that alone, in the child."""
    if forked:
        return ProcessClosed("this process was connected before a fork: connect in the child")
    return ProcessClosed("this process was closed; connect again to tell of more events")


def checked_name(name: str) -> str:
    """Return `name`, which goes into a header. Raises `ValueError` if it is no name of a
    message."""
    if defect := name_defect(name):
        raise ValueError(f"name of a message {name!r}: it {defect}")
    return name
