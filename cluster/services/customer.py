"""The customer: orders, changes her mind, and gets parcels."""

from cluster.services.running import run
from cluster.services.service import Service


def customer(service: Service) -> None:
    @service.on("buy")
    def buy(order: str) -> None:
        service.send("orders", "order", order)

    @service.on("change")
    def change(order: str) -> None:
        service.send("orders", "cancel", order)

    @service.on("parcel")
    def parcel(order: str) -> None:
        pass


if __name__ == "__main__":
    # Of all services this one waits for its agent at most a lease, and tells it later.
    run("customer", customer, policy="buffer")
