"""A worker that takes what comes to the topics `off` and `charge`, by aiokafka."""

import asyncio
import sys

from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from asking import witness


async def main(port):
    servers = f"127.0.0.1:{port}"
    admin = AIOKafkaAdminClient(bootstrap_servers=servers)
    await admin.start()
    await admin.create_topics([NewTopic(name, 1, 1) for name in ("off", "charge")])
    await admin.close()
    consumer = AIOKafkaConsumer(
        "off", "charge", bootstrap_servers=servers, group_id="g", auto_offset_reset="earliest"
    )
    await consumer.start()
    print("ready")
    async for record in consumer:
        witness(record.topic)


asyncio.run(main(sys.argv[1]))
