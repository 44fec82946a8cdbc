"""A worker that takes what comes to the queues `off` and `charge`, by pika; all is witnessed."""

import sys

import pika
from asking import witness


def take(channel, method, properties, body):
    witness(method.routing_key)
    channel.basic_ack(method.delivery_tag)


channel = pika.BlockingConnection(
    pika.ConnectionParameters("127.0.0.1", int(sys.argv[1]))
).channel()
for name in ("off", "charge"):
    channel.queue_declare(name)
    channel.basic_consume(name, take)
print("ready")
channel.start_consuming()
