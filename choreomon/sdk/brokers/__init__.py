"""Brokers: what is published carries the clock in the headers, properties or fields that the broker
has, and what is taken is told before anything is done because of it. A module for each client, on
asyncio but for the last:

    rabbitmq        aio-pika
    nats            nats-py, with JetStream or without
    mqtt            aiomqtt: user properties of MQTT 5
    kafka           aiokafka
    redis_streams   redis.asyncio
    faststream      FastStream, whatever its broker
    celery          Celery

Each of the first five has `publishing`, which gives a function to publish by in the place of the
client's, and `handled` or `handling`, for what is consumed. Only the client that is used needs to
be installed.

A message has its destination's name (queue, subject, topic, stream) unless `name_of` gives another.
Who takes it is said by `receivers`: the process of the consumer group, or several where each of
several groups gets it. What goes elsewhere is left alone. A message that a broker delivers again is
handled again: `redelivered` of the process counts those, and the first one is logged.
"""
