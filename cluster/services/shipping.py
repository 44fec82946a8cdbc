"""Shipping: when the truck comes, it fetches the goods of what waits, and sends the parcel."""

from cluster.services.running import run
from cluster.services.service import Service


def shipping(service: Service) -> None:
    memory = service.memory
    memory.update(waiting="", sent=[])

    @service.on("ship")
    def ship(order: str) -> None:
        memory["waiting"] = order

    @service.on("hold")
    def hold(order: str) -> None:
        if memory["waiting"] == order:
            memory["waiting"] = ""

    @service.on("truck")
    def truck(_: str) -> None:
        if memory["waiting"]:
            service.send("stock", "fetch", memory["waiting"])

    @service.on("goods")
    def goods(order: str) -> None:
        # Another mistake: nobody looks whether the order was held meanwhile.
        service.send("customer", "parcel", order)
        service.send("orders", "shipped", order)
        memory.update(waiting="", sent=[*memory["sent"], order])


if __name__ == "__main__":
    run("shipping", shipping)
