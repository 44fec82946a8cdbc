"""Publishes a message to each of the queues that it is given, after the port."""

import sys

import pika

port, *names = sys.argv[1:]
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(port)))
channel = connection.channel()
for name in names:
    channel.basic_publish("", name, b"x")
connection.close()
