"""Celery: tasks, which are messages to those that take them. On threads.

    app = Celery("shop", broker=URL)
    monitoring(app, process, {"billing.charge": "billing"})

Signals of Celery would not do: what is wrong in their receivers is logged, and the task leaves all
the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from choreomon.sdk.brokers.messages import (
    Named,
    Receivers,
    Taken,
    ValuesOf,
    no_values,
    note_again,
    same,
    without,
)
from choreomon.sdk.process import BlockingProcess


class Call(NamedTuple):
    """A task as it is queued, or taken."""

    name: str
    args: Sequence[Any]
    kwargs: Mapping[str, Any]


def monitoring(
    app: Any,
    process: BlockingProcess | Callable[[], BlockingProcess],
    receivers: Receivers,
    *,
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> None:
    """Tell of the tasks of an application of Celery: before they are queued, by whatever way
    (`delay`, `send_task`, canvases), and before they start. Call it where the application is made.

    Queueing raises as `BlockingProcess.sending` does, and then nothing was queued; a task that
    cannot be told of fails before it starts. What runs eagerly, without a message, is not told.

    Args:
        app: a `celery.Celery`; of tasks with a base of their own, one that derives from `app.Task`.
        process: or a function that gives it, as one that connects in each child of a worker.
        receivers: the process that takes a task, by the task's name.
        name_of: the name of its message, by the task's name.
        values_of: the values that it carries, by a `Call`.
    """
    queue, start = app.send_task, app.Task.before_start

    def found() -> BlockingProcess:
        return process() if callable(process) else process

    def send_task(name: str, args: Any = None, kwargs: Any = None, *rest: Any, **more: Any) -> Any:
        to = receivers.get(name)
        if to is not None and (own := found()).on:
            values = values_of(Call(name, args or (), kwargs or {}))
            headers = without(more.get("headers"))
            for receiver in (to,) if isinstance(to, str) else to:
                own.inject(headers, own.sending(receiver, name_of(name), **values))
            more["headers"] = headers
        return queue(name, args, kwargs, *rest, **more)

    def before_start(task: Any, task_id: str, args: Any, kwargs: Any) -> None:
        own, request = found(), task.request
        if own.on and not request.is_eager:
            again = (request.delivery_info or {}).get("redelivered")
            taken = Taken(request.headers, task.name, bool(again))
            note_again(own, taken)
            carried, values = own.extract(taken.headers), values_of(Call(task.name, args, kwargs))
            if carried is None:
                own.handling_from_outside(name_of(task.name), **values)
            else:
                own.handling(carried, **values)
        start(task, task_id, args, kwargs)

    app.send_task, app.Task.before_start = send_task, before_start
