"""Monitors for tests: a test drives its services, and fails where a forbidden sequence was formed.

    with monitored("property.yaml") as run:
        shop, customer = run.blocking("shop"), run.blocking("customer")
        customer.handling(shop.sending("customer", "parcel"))

The monitors are those of `choreomon.sdk.embedded`, with real sockets on loopback.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from choreomon.testing.monitored_run import Declared, MonitoredRun, monitored

__all__ = ["Declared", "MonitoredRun", "monitored"]


def __getattr__(name: str) -> Any:
    # The plugin is imported by every run of pytest, and most of them need nothing of it.
    if name in __all__:
        from choreomon.testing import monitored_run

        return getattr(monitored_run, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
