"""Orders: charges, reserves and ships; where an order is cancelled it takes all of that back."""

from cluster.services.running import run
from cluster.services.service import Service


def orders(service: Service) -> None:
    memory = service.memory
    memory.update(paid=False, reserved=False)

    @service.on("order")
    def order() -> None:
        # The mistake: of an order that was cancelled it remembers that it is paid and reserved
        # until the others confirm that they took it back. An order in between is shipped.
        if not memory["paid"]:
            service.send("payment", "charge")
        elif not memory["reserved"]:
            service.send("stock", "reserve")
        else:
            service.send("shipping", "ship")

    @service.on("charged")
    def charged() -> None:
        memory["paid"] = True
        service.send("stock", "reserve")

    @service.on("reserved")
    def reserved() -> None:
        memory["reserved"] = True
        service.send("shipping", "ship")

    @service.on("cancel")
    def cancel() -> None:
        service.send("shipping", "hold")
        service.send("payment", "refund")
        service.send("stock", "release")

    @service.on("refunded")
    def refunded() -> None:
        memory["paid"] = False

    @service.on("released")
    def released() -> None:
        memory["reserved"] = False

    @service.on("shipped")
    def shipped() -> None:
        memory.update(paid=False, reserved=False)


if __name__ == "__main__":
    run("orders", orders)
