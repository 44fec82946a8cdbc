"""Holder of the one that tells, for the propagator, which is made before anything is known of the
service."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from choreomon.opentelemetry.telling import Telling

_INSTALLED: list[Telling] = []


def install(telling: Telling) -> None:
    """Let this one tell, in place of an earlier one."""
    _INSTALLED[:] = [telling]


def installed() -> Telling | None:
    """The one that tells; None where nothing is monitored."""
    return _INSTALLED[0] if _INSTALLED else None


def uninstall() -> None:
    """Let nobody tell any more."""
    _INSTALLED.clear()
