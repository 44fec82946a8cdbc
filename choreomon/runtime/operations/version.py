"""Which version of choreomon runs."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    """Version of the distribution; empty in a checkout that is not installed."""
    try:
        return version("choreomon")
    except PackageNotFoundError:
        return ""
