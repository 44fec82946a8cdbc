"""The five services of the cluster in this process, on ports of loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from choreomon.sdk import BlockingProcess
from cluster.services.customer import customer
from cluster.services.orders import orders
from cluster.services.payment import payment
from cluster.services.service import Service
from cluster.services.shipping import shipping
from cluster.services.stock import stock
from cluster.traffic import Services

HANDLERS = {
    "customer": customer,
    "orders": orders,
    "payment": payment,
    "stock": stock,
    "shipping": shipping,
}


@contextmanager
def saga(monitor_of: Callable[[str], BlockingProcess]) -> Iterator[Services]:
    """The services, each with its monitor, as the traffic generator sees them."""
    addresses: dict[str, tuple[str, int]] = {}
    services = []
    for name, handlers in HANDLERS.items():
        service = Service(
            name, monitor_of(name), find=addresses.__getitem__, host="127.0.0.1", port=0
        )
        handlers(service)
        addresses[name] = service.address
        services.append(service)
    for service in services:
        service.start()
    try:
        yield Services(addresses.__getitem__)
    finally:
        for service in services:
            service.stop()
