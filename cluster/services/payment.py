"""Payment: charges and refunds."""

from cluster.services.running import run
from cluster.services.service import Service


def payment(service: Service) -> None:
    @service.on("charge")
    def charge(order: str) -> None:
        service.send("orders", "charged", order)

    @service.on("refund")
    def refund(order: str) -> None:
        service.send("orders", "refunded", order)


if __name__ == "__main__":
    run("payment", payment)
