"""Asking a running agent to read its configuration anew, where its service connects: who reaches
that may tell it of events, too, so nobody gains anything by it.
"""

from __future__ import annotations

import socket
from typing import Final

from choreomon.agent_files import local
from choreomon.agent_files.agent_config import AgentConfig, LocalAccess
from choreomon.core.errors import ChoreomonError, MalformedMessage
from choreomon.runtime.network.credentials import load_token

MOST_READ: Final = 1 << 16


class NotAsked(ChoreomonError):
    """The agent could not be asked, or did not answer. The message says why."""


def ask_to_reload(config: AgentConfig, timeout: float) -> str:
    """Ask the agent of this configuration to reload it; return why it cannot, "" if it has.
    `timeout` is in seconds. Raises `NotAsked`, and `DocumentError` where the token cannot be
    read."""
    access = config.local
    where = str(access.path or access.tcp)
    asked = local.encode(local.Reload(load_token(config)))
    try:
        with socket.socket(_family(access)) as connection:
            connection.settimeout(timeout)
            connection.connect(_address(access))
            connection.sendall(asked)
            splitter, frames = local.FrameSplitter(local.MAX_AGENT_FRAME), list[bytes]()
            while not frames:
                data = connection.recv(MOST_READ)
                if not data:
                    raise NotAsked(f"{where}: the agent ended the connection: see its log")
                frames = splitter.feed(data)
        answer = local.decode_reloaded_untrusted(frames[0])
    except TimeoutError:
        raise NotAsked(f"{where}: no answer within {timeout:g} seconds: see its log") from None
    except OSError as error:
        told = f"{where}: {error.strerror or error}: is the agent running, and this its user?"
        raise NotAsked(told) from None
    except MalformedMessage as error:
        told = f"{where}: {error}: is it an agent of another version?"
        raise NotAsked(told) from None
    if isinstance(answer, local.Refused):
        raise NotAsked(f"{where}: {answer.reason}: {answer.message}")
    return answer.why


def _family(access: LocalAccess) -> socket.AddressFamily:
    if access.tcp is None:
        return socket.AF_UNIX
    return socket.AF_INET6 if ":" in access.tcp.host else socket.AF_INET


def _address(access: LocalAccess) -> str | tuple[str, int]:
    return str(access.path) if access.tcp is None else (access.tcp.host, access.tcp.port)
