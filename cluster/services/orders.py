"""Orders: charges, reserves and ships; where an order is cancelled it takes all of that back."""

from cluster.services.running import run
from cluster.services.service import Service


def orders(service: Service) -> None:
    memory = service.memory
    memory.update(paid=False, reserved=False)

    @service.on("order")
    def order(order: str) -> None:
        # The mistake: what it remembers is not of one order. After an order was cancelled it takes
        # the next one for paid and reserved, until the others confirm that they took that back.
        if not memory["paid"]:
            service.send("payment", "charge", order)
        elif not memory["reserved"]:
            service.send("stock", "reserve", order)
        else:
            service.send("shipping", "ship", order)

    @service.on("charged")
    def charged(order: str) -> None:
        memory["paid"] = True
        service.send("stock", "reserve", order)

    @service.on("reserved")
    def reserved(order: str) -> None:
        memory["reserved"] = True
        service.send("shipping", "ship", order)

    @service.on("cancel")
    def cancel(order: str) -> None:
        service.send("shipping", "hold", order)
        service.send("payment", "refund", order)
        service.send("stock", "release", order)

    @service.on("refunded")
    def refunded(order: str) -> None:
        memory["paid"] = False

    @service.on("released")
    def released(order: str) -> None:
        memory["reserved"] = False

    @service.on("shipped")
    def shipped(order: str) -> None:
        memory.update(paid=False, reserved=False)


if __name__ == "__main__":
    run("orders", orders)
