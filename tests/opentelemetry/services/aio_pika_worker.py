"""A worker that takes what comes to the queues `off` and `charge`, by aio-pika."""

import asyncio
import sys

import aio_pika
from asking import witness


async def take(message):
    async with message.process():
        witness(message.routing_key)


async def main(port):
    connection = await aio_pika.connect(f"amqp://guest:guest@127.0.0.1:{port}/")
    channel = await connection.channel()
    for name in ("off", "charge"):
        queue = await channel.declare_queue(name)
        await queue.consume(take)
    print("ready")
    await asyncio.Future()


asyncio.run(main(sys.argv[1]))
