"""The customer: orders, changes her mind, and gets parcels."""

from cluster.services.running import run
from cluster.services.service import Service


def customer(service: Service) -> None:
    @service.on("buy")
    def buy() -> None:
        service.send("orders", "order")

    @service.on("change")
    def change() -> None:
        service.send("orders", "cancel")

    @service.on("parcel")
    def parcel() -> None:
        pass


if __name__ == "__main__":
    # Of all services this one waits for its agent at most a lease, and tells it later.
    run("customer", customer, policy="buffer")
