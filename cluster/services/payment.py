"""Payment: charges and refunds."""

from cluster.services.running import run
from cluster.services.service import Service


def payment(service: Service) -> None:
    @service.on("charge")
    def charge() -> None:
        service.send("orders", "charged")

    @service.on("refund")
    def refund() -> None:
        service.send("orders", "refunded")


if __name__ == "__main__":
    run("payment", payment)
