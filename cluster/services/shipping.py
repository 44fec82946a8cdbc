"""Shipping: when the truck comes, it fetches the goods of what waits, and sends the parcel."""

from cluster.services.running import run
from cluster.services.service import Service


def shipping(service: Service) -> None:
    memory = service.memory
    memory["waiting"] = False

    @service.on("ship")
    def ship() -> None:
        memory["waiting"] = True

    @service.on("hold")
    def hold() -> None:
        memory["waiting"] = False

    @service.on("truck")
    def truck() -> None:
        if memory["waiting"]:
            service.send("stock", "fetch")

    @service.on("goods")
    def goods() -> None:
        # Another mistake: nobody looks whether the order was held meanwhile.
        service.send("customer", "parcel")
        service.send("orders", "shipped")
        memory["waiting"] = False


if __name__ == "__main__":
    run("shipping", shipping)
