"""Tasks of Celery; what is queued is in files of the current directory."""

from pathlib import Path

from asking import witness
from celery import Celery

app = Celery("tasks", broker="filesystem://")
app.conf.update(
    broker_transport_options={
        "data_folder_in": "queue",
        "data_folder_out": "queue",
        "processed_folder": "processed",
        "control_folder": "control",
    },
    worker_redirect_stdouts=False,
)
for folder in ("queue", "processed", "control"):
    Path(folder).mkdir(exist_ok=True)


@app.task(name="off", ignore_result=True)
def off():
    witness("off")


@app.task(name="charge", ignore_result=True)
def charge():
    witness("charge")
