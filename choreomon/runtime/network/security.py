"""Security of connections between agents: who is at the other end, and what nobody else can read.

`Curve` is for every network: each connection is encrypted, each agent has a pair of keys
(`choreomon keygen`), asks only who has the public key that it expects, and lets only those in
whose public key is on its list, under the name that stands beside the key there.

`Insecure` is for trying things out on one machine: nothing is encrypted, and every program on the
machine can say that it is any process. It works on loopback addresses only.

Whoever connects is judged by `admit`, a pure function, which the `ZapHandler` puts to libzmq by the
ZeroMQ Authentication Protocol (ZAP, https://rfc.zeromq.org/spec/27/). The answer names the process,
and libzmq attaches that name to every frame of the connection as `User-Id`. The authenticators of
`zmq.auth` are not used: they are driven by `zmq.asyncio`, and refuse with a code after which a
client of libzmq never tries again, however much the list of keys is mended.

What is *not* guaranteed: that an agent with a valid key is honest about anything but its name. What
a process may ask is checked elsewhere. An agent with a valid key can also send a message of
endlessly many parts, which libzmq collects in memory and has no bound for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Final, NamedTuple, TypeAlias

import zmq
from zmq.utils import z85

from choreomon.agent_files.addresses import Address
from choreomon.agent_files.key_files import KeyPair, is_key, public_file
from choreomon.core.errors import ChoreomonError
from choreomon.core.names import short
from choreomon.runtime.network.addresses import UnusableAddress, as_endpoint
from choreomon.runtime.network.draining import DrainingReader

ZAP_ENDPOINT: Final = "inproc://zeromq.zap.01"
ZAP_VERSION: Final = b"1.0"
DOMAIN: Final = b"choreomon"

_ADMITTED: Final = b"200"
_REFUSED: Final = b"300"
"""A temporary refusal in ZAP. libzmq does not tell it: the connection just ends, and the client
tries again later, and so is let in once the list of keys is mended. After 400 it never would."""

_BATCH: Final = 16
"""Connections judged in one go."""

_NO_PASSWORD: Final = b"none"  # libzmq takes no empty one


class UnusableKeys(ChoreomonError):
    """Keys by which agents cannot authenticate each other. The message says what would be right."""


@dataclass(frozen=True, slots=True)
class Curve:
    """`own` are the keys of this agent, `peers` the public keys (Z85) of each other process, by
    each of which it may come; one alone need be no tuple. The own process is passed over there.

    Raises `UnusableKeys`.
    """

    own: KeyPair
    peers: Mapping[str, str | tuple[str, ...]]

    def __post_init__(self) -> None:
        _check_curve()
        own = self.own
        if not (is_key(own.secret) and is_key(own.public)) or _public_of(own.secret) != own.public:
            raise UnusableKeys(
                f"secret and public key of {own.process} do not belong together: make new ones "
                f"with `choreomon keygen {quote(own.process)} --force`"
            )
        peers = {
            name: (keys,) if isinstance(keys, str) else keys
            for name, keys in self.peers.items()
            if name != own.process
        }
        owners = {own.public: own.process}
        for name, key in ((name, key) for name, keys in peers.items() for key in keys):
            if not is_key(key):
                raise UnusableKeys(f"the public key of {name} is no key: 40 characters of Z85")
            if (owner := owners.setdefault(key, name)) != name:
                raise UnusableKeys(f"{owner} and {name} have the same key: make one for each")
        object.__setattr__(self, "peers", peers)

    @property
    def process(self) -> str:
        """The process of this agent."""
        return self.own.process


@dataclass(frozen=True, slots=True)
class Insecure:
    """Absence of protection: `process` is believed, and so is anybody who claims to be one of
    `peers`; the own process there is ignored."""

    process: str
    peers: Collection[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "peers", frozenset(self.peers) - {self.process})


Security: TypeAlias = Curve | Insecure


class Admission(NamedTuple):
    """Decision to admit `process`, or nobody if it is ""; then `reason` says why, for a log."""

    process: str
    reason: str


def make_key_pair(process: str) -> KeyPair:
    """New keys, from the system's source of randomness. Raises `UnusableKeys` where libzmq has no
    CURVE."""
    _check_curve()
    public, secret = zmq.curve_keypair()
    return KeyPair(process, public.decode("ascii"), secret.decode("ascii"))


def check_addresses(security: Security, bind: Address, addresses: Mapping[str, Address]) -> None:
    """Raises `UnusableAddress` where nothing is protected and an address is not certainly on this
    machine, `UnusableKeys` where the key of a process that is to be asked is not known."""
    match security:
        case Insecure():
            for whose, address in (("the own address", bind), *addresses.items()):
                if not address.loopback:
                    raise UnusableAddress(
                        f"{whose}: {as_endpoint(address)} can be reached from elsewhere, and "
                        "insecure connections are for loopback addresses only: use 127.0.0.1, "
                        "[::1] or localhost, or make keys with `choreomon keygen` and leave "
                        "`insecure` out"
                    )
        case Curve(own, peers):
            if missing := sorted(addresses.keys() - peers.keys()):
                told = f"no public key of {', '.join(missing)}: copy {public_file(missing[0])}"
                raise UnusableKeys(f"{told} to the keys of {own.process}")


def secure_listener(socket: zmq.Socket[bytes], security: Security) -> None:
    """Secure a listener before it binds: only peers that a `ZapHandler` admits may connect."""
    # Without a domain, or with one that is not enforced, libzmq lets everybody in where no
    # ZAP handler is there. The domain has to come first, or libzmq aborts.
    socket.setsockopt(zmq.ZAP_DOMAIN, DOMAIN)
    socket.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)
    match security:
        case Curve(own, _):
            socket.setsockopt(zmq.CURVE_SERVER, 1)
            socket.setsockopt(zmq.CURVE_SECRETKEY, own.secret.encode("ascii"))
        case Insecure():
            socket.setsockopt(zmq.PLAIN_SERVER, 1)


def user_id(process: str) -> str:
    """The id by which connections of a process are known, in ASCII and of fewer than 256 bytes as
    ZAP and PLAIN want it: the name, if it is plain."""
    return short(process)


def public_keys_of(security: Security, peer: str) -> tuple[str, ...]:
    """Return the public keys by which a peer may be known, at least one; without protection a
    placeholder."""
    match security:
        case Curve(_, peers):
            keys = peers[peer]
            return (keys,) if isinstance(keys, str) else keys
        case Insecure():
            return ("",)


def secure_asker(
    socket: zmq.Socket[bytes], security: Security, peer: str, key: str | None = None
) -> None:
    """Secure an asker before it connects: say who asks, and with `Curve` speak to nobody but
    `peer`, who has the public key `key`, by default its first one."""
    match security:
        case Curve(own, _):
            server = key or public_keys_of(security, peer)[0]
            socket.setsockopt(zmq.CURVE_SERVERKEY, server.encode("ascii"))
            socket.setsockopt(zmq.CURVE_PUBLICKEY, own.public.encode("ascii"))
            socket.setsockopt(zmq.CURVE_SECRETKEY, own.secret.encode("ascii"))
        case Insecure(process, _):
            socket.setsockopt(zmq.PLAIN_USERNAME, user_id(process).encode("ascii"))
            socket.setsockopt(zmq.PLAIN_PASSWORD, _NO_PASSWORD)


def mechanism(security: Security) -> tuple[bytes, Mapping[bytes, str]]:
    """The ZMTP mechanism that clients must use, and the owner of each first credential."""
    match security:
        case Curve(_, peers):
            return b"CURVE", {
                z85.decode(key): name for name in peers for key in public_keys_of(security, name)
            }
        case Insecure(_, peers):
            return b"PLAIN", {user_id(name).encode("ascii"): name for name in peers}


def admit(
    request: Sequence[bytes], wanted_mechanism: bytes, owners: Mapping[bytes, str]
) -> Admission:
    """Decide who is let in on a request of ZAP (version, request id, domain, address, routing id of
    the listener, mechanism, credentials): pure."""
    if len(request) < 7:
        return Admission("", "a request of ZAP with parts missing")
    version, _, domain, address, _, used_mechanism, credential = request[:7]
    place = address[:100].decode("ascii", "backslashreplace")
    if version != ZAP_VERSION or domain != DOMAIN or used_mechanism != wanted_mechanism:
        return Admission("", f"{place}: not by the mechanism {wanted_mechanism.decode()}")
    owner = owners.get(credential)
    if owner is not None:
        return Admission(owner, "")
    if wanted_mechanism == b"CURVE" and len(credential) == 32:
        shown = "public key " + z85.encode(credential).decode("ascii")
    else:
        shown = "process " + ascii(credential[:200])[1:]
    return Admission("", f"{place}: {shown} is not on the list")


def is_router_made(routing_id: bytes) -> bool:
    """Tell whether a routing id may have been made by our ROUTER: 5 bytes, of which the first is 0.

    Another one was chosen by the client, who could choose that of somebody else, and hear what is
    meant for them. Ids that begin with 0 are reserved to libzmq, which keeps its own clients from
    choosing one (`ZMQ_ROUTING_ID`). A client of another make is not kept from it: with a valid
    key, and an id that it cannot know but only guess, it could.
    """
    return len(routing_id) == 5 and routing_id[0] == 0


class ZapHandler:
    """A handler of the ZeroMQ Authentication Protocol (https://rfc.zeromq.org/spec/27/): judges
    whoever connects to any socket of a context that `secure_listener` has secured.

    There can be one for a context (libzmq looks for it at a fixed address), so each listener needs
    a context of its own. Raises `UnusableKeys` where there is one already. `on_refused` is told why
    somebody was not let in.

    It lives on the thread of the loop: while that is busy nobody is let in, and clients wait.
    """

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        loop: asyncio.AbstractEventLoop,
        security: Security,
        on_refused: Callable[[str], None],
    ) -> None:
        self._mechanism, self._owners = mechanism(security)
        self._on_refused = on_refused
        self._socket = context.socket(zmq.REP, socket_class=zmq.Socket)
        self._socket.setsockopt(zmq.LINGER, 0)
        try:
            self._socket.bind(ZAP_ENDPOINT)
        except zmq.ZMQError:
            self._socket.close()
            raise UnusableKeys(
                "this context of ZeroMQ lets in the peers of another agent already: give each "
                "agent a zmq.Context of its own"
            ) from None
        self._reader = DrainingReader(loop, self._socket, self._judge, batch=_BATCH)

    def close(self) -> None:
        """Stop admitting peers."""
        self._reader.close()
        self._socket.close()

    def _judge(self) -> bool:
        request = self._socket.recv_multipart(zmq.NOBLOCK)
        process, reason = admit(request, self._mechanism, self._owners)
        answer = [
            *(ZAP_VERSION, request[1] if len(request) > 1 else b""),
            *((_ADMITTED, b"OK") if process else (_REFUSED, b"")),
            *(user_id(process).encode("ascii") if process else b"", b""),
        ]
        self._socket.send_multipart(answer, zmq.NOBLOCK)
        if not process:
            self._on_refused(reason)
        return False


def _check_curve() -> None:
    if not zmq.has("curve"):
        raise UnusableKeys("this libzmq has no CURVE: install the wheel of pyzmq from PyPI")


def _public_of(secret: str) -> str:
    return zmq.curve_public(secret.encode("ascii")).decode("ascii")
