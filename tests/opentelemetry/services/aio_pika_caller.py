"""Publishes a message to each of the queues that it is given, after the port."""

import asyncio
import sys

import aio_pika


async def main(port, *names):
    async with await aio_pika.connect(f"amqp://guest:guest@127.0.0.1:{port}/") as connection:
        channel = await connection.channel()
        for name in names:
            message = aio_pika.Message(b"x")
            await channel.default_exchange.publish(message, routing_key=name)


asyncio.run(main(*sys.argv[1:]))
