"""Stock: reserves goods, releases them, and brings them to the truck."""

from cluster.services.running import run
from cluster.services.service import Service


def stock(service: Service) -> None:
    @service.on("reserve")
    def reserve() -> None:
        service.send("orders", "reserved")

    @service.on("release")
    def release() -> None:
        service.send("orders", "released")

    @service.on("fetch")
    def fetch() -> None:
        service.send("shipping", "goods")


if __name__ == "__main__":
    run("stock", stock)
