"""Another property for agents that run (docs/operations.md, "Upgrades"), in a trial: orders flow
meanwhile, every parcel is judged by each system that is open, and by no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from cluster.cases import CASES
from cluster.trial.course import Counts, Course, Failed, Window
from cluster.trial.looking import PROCESSES, acknowledged

CONFIGURATION: Final = "/etc/choreomon/agent.yaml"

Tell: TypeAlias = Callable[[Course, str], None]
"""Has the agent of a process read its configuration anew."""


def run(course: Course) -> None:
    """Both checks, in order. Raises `OutOfTime`."""
    rolled_out_while_orders_flow(course)
    what_began_before_is_judged_after(course)


def told_to_reload(course: Course, process: str) -> None:
    """By the command, which raises `DockerFailed` where the agent refuses."""
    command = ("choreomon", "agent", "reload", "--config", CONFIGURATION)
    course.containers.execute(f"{process}-agent", *command)


def hung_up(course: Course, process: str) -> None:
    """By SIGHUP."""
    course.containers.hang_up(f"{process}-agent")


def rolled_out_while_orders_flow(course: Course) -> None:
    """The second property, of which one event was of no interest before. Parcels of then may be
    less certain: no history is taken over, and who orders has to hear first that all have it."""
    with course.check("a second property opened, the first drained, while orders flow") as told:
        with course.traffic(late=True, throughout=True) as still_flowing:
            opened(course, "cluster/property-2.yaml", told_to_reload)
            still_flowing()
            closed(course, told_to_reload)
            drained(course)
            left_out(course, told_to_reload)
            still_flowing()
        course.all_ready()
        told.append(course.words_are_right())
        counted_anew(course)
    with course.check("under the second property: the verdict of each") as told:
        for case in CASES:
            course.play(case)
        course.is_well(told)


def what_began_before_is_judged_after(course: Course) -> None:
    """Under the old system an order is cancelled, under the next one its parcel leaves: back to the
    first property. Of this parcel the old one says nothing any more, and the next one cannot know
    what was before it: possible."""
    with course.check("cancelled under one system, possible under the next") as told:
        course.play("goods-on-their-way")
        old, new = opened(course, "cluster/property.yaml", hung_up)
        closed(course, hung_up)
        (order,) = course.play("goods-arrive")
        course.expected[order] = "possibly-violated"
        with course.traffic(late=True, throughout=True) as still_flowing:
            drained(course)
            left_out(course, hung_up)
            still_flowing()
        for case in CASES:
            course.play(case)
        course.all_ready()
        told.append(course.words_are_right())
        counted_anew(course)
        words = course.looking.words_by_system()
        if order in words.get(old, {}) or words[new][order].last != "possibly-violated":
            raise Failed(f"of order {order} {old} says {words.get(old, {}).get(order)}")


def opened(course: Course, property_file: str, tell: Tell) -> tuple[str, str]:
    """The next property, at each agent beside the present one: the ids of both systems."""
    present, *more = _systems(course, "shipping")
    if more:
        raise Failed(f"the last rollout did not come to its end: {present} and {more} are there")
    before = course.looking.services()
    _given(course, "open", property_file)
    for process in PROCESSES:
        if process != "shipping":
            tell(course, process)
    with course.between_cases() as last:  # so that it is known from which parcel on it speaks
        tell(course, "shipping")
        course.until(lambda: len(_systems(course, "shipping")) == 2, "shipping has opened it")
        _, new = _systems(course, "shipping")
        course.windows[new] = Window(last + 1)
    both = (present, new)
    course.until(
        lambda: all(_systems(course, each) == both for each in PROCESSES),
        "all agents have opened the next system",
    )
    course.opened = (before, course.looking.services())
    return both


def closed(course: Course, tell: Tell) -> None:
    """Of what happens from now on the old system says nothing."""
    old, _ = _systems(course, "shipping")
    _given(course, "close")
    for process in PROCESSES:
        if process != "shipping":
            tell(course, process)
    with course.between_cases() as last:
        tell(course, "shipping")
        course.until(lambda: old in _closing(course, "shipping"), "shipping has closed the old one")
        course.windows[old] = course.windows[old]._replace(last=last)
    course.until(
        lambda: all(old in _closing(course, each) for each in PROCESSES),
        "all agents close the old system",
    )


def drained(course: Course) -> None:
    """The old system has said all that it had to say, everywhere, and `watch` says so."""

    def everywhere() -> bool:
        return all(
            [each.drained for each in course.looking.status(process).properties if each.closing]
            == [True]
            for process in PROCESSES
        )

    course.until(everywhere, "the old system is drained at every agent")
    agents = " ".join(f"{process}-agent:7680" for process in PROCESSES)
    # It ends with 1, since there are verdicts.
    watch = f"choreomon watch --once {agents} || test $? -eq 1"
    seen = course.containers.execute("shipping-agent", "sh", "-c", watch)
    if seen.count("drained") != len(PROCESSES):
        raise Failed(f"watch does not say that all are drained:\n{seen}")


def left_out(course: Course, tell: Tell) -> None:
    """Each agent has the new system alone."""
    _given(course, "leave-out")
    for process in PROCESSES:
        tell(course, process)
    course.until(
        lambda: all(len(_systems(course, each)) == 1 for each in PROCESSES),
        "all agents have left the old system out",
    )


def counted_anew(course: Course) -> None:
    """Nothing was lost, and nothing counted twice, since the present system was opened, which has a
    clock of its own: it has the events since it was opened everywhere, and at most those since it
    was opened anywhere. Everywhere the opening has a count of its own. From now on events are
    counted from here."""
    services = course.looking.services()
    for process in PROCESSES:
        events, labels = course.looking.counted(process)
        state = services[process]
        most, least = (
            acknowledged(labels, state) - acknowledged(labels, since[process]) + 1
            for since in course.opened
        )
        if not least <= events <= most:
            raise Failed(f"{process} has {events} events, and not {least} to {most}")
        course.since[process] = Counts(events, state)
    course.forgotten.clear()


def _given(course: Course, *step: str) -> None:
    """What a step of the rollout gives the agents: `cluster.rollout`."""
    name, *property_file = step
    course.containers.compose(
        *("run", "--rm", "-T", "--no-deps", "prepare"),
        *("python", "-m", "cluster.rollout", name, "/prepared", *property_file),
        timeout=60,
    )


def _systems(course: Course, process: str) -> tuple[str, ...]:
    """Those that the agent of a process has opened, in the order of its tables."""
    return tuple(each.system for each in course.looking.status(process).properties)


def _closing(course: Course, process: str) -> set[str]:
    properties = course.looking.status(process).properties
    return {each.system for each in properties if each.closing}
