"""Sends a record to each of the topics that it is given, after the port."""

import asyncio
import sys

from aiokafka import AIOKafkaProducer


async def main(port, *names):
    producer = AIOKafkaProducer(bootstrap_servers=f"127.0.0.1:{port}")
    await producer.start()
    for name in names:
        await producer.send_and_wait(name, b"x")
    await producer.stop()


asyncio.run(main(*sys.argv[1:]))
