"""Queues each of the tasks that it is given."""

import sys

import celery_tasks

for name in sys.argv[1:]:
    getattr(celery_tasks, name).delay()
