"""What is done to the cluster in a trial, one check after the other."""

from __future__ import annotations

import time
from typing import Final

from cluster.cases import CASES
from cluster.trial import rollouts
from cluster.trial.course import Course, Failed
from cluster.trial.looking import PROCESSES

AGENTS: Final = tuple(f"{process}-agent" for process in PROCESSES)
AWAY_SECONDS: Final = 3.0
"""How long an agent stands still, or all are away."""


def run(course: Course) -> None:
    """All checks, in order. Raises `OutOfTime`."""
    conforming_orders(course)
    violating_orders(course)
    figures(course)
    for process in PROCESSES:
        one_agent_crashes(course, process)
    all_agents_crash(course)
    all_agents_are_restarted(course)
    an_agent_is_cut_off(course)
    an_agent_stands_still(course)
    an_agent_is_away_for_longer_than_its_lease(course)
    a_service_crashes(course)
    rubbish_for_a_peer(course)
    rubbish_for_a_socket(course)
    rollouts.run(course)
    nothing_went_wrong_unseen(course)


def conforming_orders(course: Course) -> None:
    """Nothing is said of them."""
    with course.check("conforming orders: no verdict") as told:
        for case in CASES.values():
            if case.word is None:
                course.play(case.name, 3)
        course.is_well(told)
        if course.looking.words():
            raise Failed("there are verdicts")


def violating_orders(course: Course) -> None:
    """Of each the word that belongs to it, and between them conforming ones."""
    with course.check("violating orders: the verdict of each") as told:
        for _ in range(2):
            for case in CASES.values():
                course.play(case.name)
        course.is_well(told)
        words = [words.last for words in course.looking.words().values()]
        told += [f"{words.count(word)} {word}" for word in ("violated", "possibly-violated")]


def figures(course: Course) -> None:
    """What Prometheus would scrape says the same as the verdicts."""
    with course.check("metrics of all agents agree with that") as told:
        words = [words.last for words in course.looking.words().values()]
        for word in ("violated", "possibly-violated", "withdrawn"):
            shown = course.looking.metric("shipping", "choreomon_verdicts_total", verdict=word)
            if shown != words.count(word):
                raise Failed(f"{shown:g} {word} are shown, and {words.count(word)} were told")
        for process in PROCESSES:
            events, _ = course.looking.counted(process)
            shown = course.looking.metric(process, "choreomon_events_total")
            if shown != events:
                raise Failed(f"{process}: {shown:g} events are shown, and it has {events}")
        memory = [course.looking.metric(each, "choreomon_memory_bytes") for each in PROCESSES]
        told.append(f"at most {max(memory) / 1e6:.0f} MB resident")


def one_agent_crashes(course: Course, process: str) -> None:
    """kill -9 of one while orders flow; docker starts it again."""
    with course.check(f"kill -9 of the agent of {process} while orders flow") as told:
        before = course.containers.inspect(f"{process}-agent")["RestartCount"]
        with course.traffic(late=process == "customer") as still_flowing:
            course.containers.crash(f"{process}-agent")
            still_flowing()
        course.is_well(told)
        restarts = course.containers.inspect(f"{process}-agent")["RestartCount"] - before
        if restarts != 1:
            raise Failed(f"it was started again {restarts} times")


def all_agents_crash(course: Course) -> None:
    """All at once, and back at once, while orders flow."""
    with course.check("kill -9 of all agents at once while orders flow") as told:
        with course.traffic(late=True) as still_flowing:
            course.containers.kill(*AGENTS)
            still_flowing()
            time.sleep(1.0)
            course.containers.start(*AGENTS)
        course.is_well(told)


def all_agents_are_restarted(course: Course) -> None:
    """In order: each is told to end, and ends by itself."""
    with course.check("all agents stopped and started while orders flow") as told:
        with course.traffic(late=True) as still_flowing:
            course.containers.stop(*AGENTS)
            still_flowing()
            codes = {name: course.containers.inspect(name)["State"]["ExitCode"] for name in AGENTS}
            course.containers.start(*AGENTS)
        if any(codes.values()):
            raise Failed(f"they did not end in order, but with {codes}")
        course.is_well(told)


def an_agent_is_cut_off(course: Course) -> None:
    """Its neighbours do not reach it. Its service goes on, and at the deadline a provisional
    word names who is silent; when it is back, the last verdict follows."""
    with course.check("network of the agent of payment cut, and mended") as told:
        course.containers.cut_off("payment-agent", "monitors")
        try:
            orders = {*course.play("shipped-unpaid"), *course.play("delivered")}
            course.until(
                lambda: orders <= course.looking.words().keys(), "there are provisional verdicts"
            )
            silent = [course.looking.words()[order].silent for order in orders]
            # On a machine with much else to do others may be late, too; not each time.
            if not all("payment" in each for each in silent) or {"payment"} not in silent:
                raise Failed(f"those are said to be silent: {[sorted(each) for each in silent]}")
            told.append("provisional verdicts name it meanwhile")
        finally:
            course.containers.join("payment-agent", "monitors", "payment.monitors")
        course.is_well(told)


def an_agent_stands_still(course: Course) -> None:
    """It is frozen for a while: connections stay, and nothing answers."""
    with course.check("agent of stock frozen for a while") as told:
        with course.traffic() as still_flowing:
            course.containers.docker("pause", course.containers.id_of("stock-agent"))
            try:
                still_flowing()
                time.sleep(AWAY_SECONDS)
            finally:
                course.containers.docker("unpause", course.containers.id_of("stock-agent"))
        course.is_well(told)


def an_agent_is_away_for_longer_than_its_lease(course: Course) -> None:
    """The customer's service goes on after the lease, and tells its agent later."""
    with course.check("agent of customer away for longer than its lease") as told:
        course.containers.kill("customer-agent")
        try:
            course.play("cancelled-under-way", late=True)
            course.play("delivered", late=True)
        finally:
            course.containers.start("customer-agent")
        course.is_well(told)


def a_service_crashes(course: Course) -> None:
    """kill -9 of a service; its next session begins where the other one ended."""
    with course.check("kill -9 of the service payment") as told:
        course.forgotten["payment"] = course.looking.services()["payment"]
        course.containers.crash("payment")
        # For a moment docker says of the new one that it is healthy, as the old one was.
        course.until(
            lambda: (
                course.containers.inspect("payment")["RestartCount"] == 1
                and course.looking.all_answer()
            ),
            "the service payment is back",
        )
        for case in CASES:
            course.play(case)
        course.is_well(told)


def rubbish_for_a_peer(course: Course) -> None:
    """At the port of the agent of shipping, by strangers and by an agent that may ask nothing."""
    with course.check("rubbish to the port of the agent of shipping") as told:
        _throw(
            course,
            told,
            "shipping",
            "orders-agent",
            *("peer", "shipping.monitors:7600", "shipping", "/etc/choreomon", "orders"),
        )


def rubbish_for_a_socket(course: Course) -> None:
    """At the socket of the agent of payment, from within its service's container."""
    with course.check("rubbish to the socket of the agent of payment") as told:
        _throw(course, told, "payment", "payment", "socket", "/run/choreomon/agent.sock")


def _throw(course: Course, told: list[str], process: str, where: str, *arguments: str) -> None:
    """Throw rubbish at the agent of a process while orders flow: it refuses that, and goes on."""
    looking, containers = course.looking, course.containers
    started = containers.inspect(f"{process}-agent")["State"]["StartedAt"]
    refused = looking.metric(process, "choreomon_refused_frames_total")
    with course.traffic():
        command = ("python", "-m", "cluster.trial.rubbish", *arguments)
        thrown = int(containers.execute(where, *command, timeout=60))
    for case in CASES:
        course.play(case)
    course.is_well(told)
    if containers.inspect(f"{process}-agent")["State"]["StartedAt"] != started:
        raise Failed("the agent was started again")
    refused = looking.metric(process, "choreomon_refused_frames_total") - refused
    if not refused:
        raise Failed("nothing was refused")
    told.append(f"{thrown} pieces, {refused:g} refused")


def nothing_went_wrong_unseen(course: Course) -> None:
    """What agents and services say to the standard error, and where they ended."""
    with course.check("no container ended by itself or said an error") as told:
        lines = course.containers.logs().splitlines()
        bad = [line for line in lines if "Traceback" in line or '"level": "error"' in line]
        if bad:
            raise Failed(f"{len(bad)} errors, the first: {bad[0][:200]}")
        for name in (*AGENTS, *PROCESSES, "traffic"):
            state = course.containers.inspect(name)["State"]
            if state["OOMKilled"] or state["Health"]["Status"] != "healthy":
                raise Failed(f"{name} is {state['Status']} and {state['Health']['Status']}")
        told.append(f"{len(lines)} lines of logs")
