"""Sessions of services that are gone, by the word of somebody who knows, as who ended their pods.

An agent does not know it: who let messages go, or kept events back, may live and do so still. So
its gap stays open, and nothing that rests on it becomes certain, until another service comes, or
this is said.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from choreomon.agent_files import local
from choreomon.runtime.inputs import Ended

if TYPE_CHECKING:
    from choreomon.runtime.agent import Agent
    from choreomon.runtime.node import Node


def end_sessions(agent: Agent, asked: local.Ended, connected: Collection[str]) -> local.Noted:
    """End the sessions at a slot that is asked about, of this agent or of one that it answers for;
    `connected` are those of services that are there. What is answered is committed."""
    own = (agent.config.process, agent.config.role, "")
    target = agent if asked.process in own else agent.vacant.get(asked.process)
    if target is None:
        told = f"this agent is at {own[0]}, and does not answer for {asked.process}"
        return local.Noted(0, f"{told}: ask the one that does")
    there = connected if target is agent else ()
    sessions = target.node.driver.state.sessions
    gone = [name for name in sessions if name not in there and asked.session in (name, "")]
    if asked.session and not gone:
        if asked.session in sessions:
            return local.Noted(0, f"the service of the session {asked.session} is connected")
        return local.Noted(0, f"there is no session {asked.session}")
    return _end(target.node, gone)


def _end(node: Node, sessions: Sequence[str]) -> local.Noted:
    if not node.driver.idle:
        return local.Noted(0, "it judges many events just now: ask again")
    for name in sessions:
        node.driver.take(Ended(name))
    node.flush()
    if node.failing_why is not None:
        return local.Noted(0, f"it is not kept yet, since its store fails: {node.failing_why}")
    return local.Noted(len(sessions))
