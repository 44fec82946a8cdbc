"""Stock: reserves goods, releases them, and brings them to the truck."""

from cluster.services.running import run
from cluster.services.service import Service


def stock(service: Service) -> None:
    @service.on("reserve")
    def reserve(order: str) -> None:
        service.send("orders", "reserved", order)

    @service.on("release")
    def release(order: str) -> None:
        service.send("orders", "released", order)

    @service.on("fetch")
    def fetch(order: str) -> None:
        service.send("shipping", "goods", order)


if __name__ == "__main__":
    run("stock", stock)
