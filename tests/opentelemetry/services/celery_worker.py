"""A worker of Celery, without processes of its own."""

from celery.signals import worker_ready
from celery_tasks import app


@worker_ready.connect
def say_so(**_):
    print("ready", flush=True)


options = ["--pool=solo", "--without-mingle", "--without-gossip", "--without-heartbeat"]
app.worker_main(["--quiet", "worker", "--loglevel=WARNING", *options])
