"""Sockets between agents: a ROUTER that others ask, a DEALER to each one that is asked.

Messages have one part, a frame of `choreomon.agent_files.wire`, whose content is not examined here.
A frame may be lost on the way without a word: at high-water marks, when a connection breaks, above
the rate, or in a pause. It comes at most once, and frames along one connection keep their order; a
new connection may overtake an old one. Inquiries and answers are idempotent and repeated until
answered, so that is enough.

Who somebody is comes from `choreomon.runtime.network.security`. Here a peer is a name, whatever the
number of its connections; answers go along the one by which it was last heard.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Final, Literal, TypeAlias

import zmq

from choreomon.agent_files.addresses import HERE, Address
from choreomon.runtime.network.addresses import (
    UnusableAddress,
    as_endpoint,
    is_ipv6,
    to_listen,
    to_reach,
)
from choreomon.runtime.network.dealer import Dealer
from choreomon.runtime.network.draining import DrainingReader
from choreomon.runtime.network.peer_limits import Limits as Limits
from choreomon.runtime.network.peer_limits import bound
from choreomon.runtime.network.security import (
    Security,
    UnusableKeys,
    ZapHandler,
    check_addresses,
    is_router_made,
    public_keys_of,
    secure_asker,
    secure_listener,
    user_id,
)
from choreomon.runtime.network.token_bucket import TokenBucket

Refusal: TypeAlias = Literal[
    "unauthorised", "routing-id", "parts", "empty", "oversized", "rate", "paused"
]
"""The reason why a connection was not let in (`unauthorised`), or a frame was dropped."""

_ROUTE: Final = zmq.NOBLOCK | zmq.SNDMORE
_MOMENT: Final = 0.01
"""Seconds until it is tried again to listen where another socket is being closed."""


class CannotListen(UnusableAddress):
    """The address of one's own is taken, or not of this machine."""


class PeerSockets:
    """Listens at `bind` at once, and connects to a process of `addresses` when it is first asked.

    All callbacks are called by `loop`, on its thread, and never from within a method of this class;
    they may call any of them.

    - `on_asked(peer, frame)`: a frame came in at the ROUTER. `peer` is what `security` says: proved
      with `Curve`, only claimed with `Insecure`.
    - `on_answered(peer, frame)`: a frame came in at the DEALER to that peer.
    - `on_drained()`: a batch has been handed on and is over, because there is nothing more or
      others have a turn. Each socket has batches of its own.
    - `on_refused(reason, detail)`: see `Refusal`. As often as it happens: count, and log seldom.
      `detail` may be what somebody who was refused chose; it is short and ASCII.

    `context` must be this object's alone; it is not terminated here. `ipv6`: listen at IPv6
    addresses, too, where all are meant, and look names up there, too; literal addresses are taken
    as they are. `clock` gives seconds that do not run backwards. Raises `UnusableAddress` and
    `UnusableKeys`, and leaves nothing open then.
    """

    def __init__(
        self,
        *,
        context: zmq.Context[zmq.Socket[bytes]],
        loop: asyncio.AbstractEventLoop,
        bind: str,
        addresses: Mapping[str, str],
        security: Security,
        on_asked: Callable[[str, bytes], None],
        on_answered: Callable[[str, bytes], None],
        on_refused: Callable[[Refusal, str], None],
        on_drained: Callable[[], None],
        ipv6: bool = False,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._addresses = {
            peer: to_reach(text) for peer, text in addresses.items() if peer != security.process
        }
        check_addresses(security, to_listen(bind), self._addresses)
        self._context = context
        self._loop = loop
        self._security = security
        self._on_asked = on_asked
        self._on_answered = on_answered
        self._on_refused = on_refused
        self._on_drained = on_drained
        self._ipv6 = ipv6
        self._limits = limits or Limits()
        self._clock = clock
        self._peers = {user_id(peer): peer for peer in security.peers}
        self._threads = self._lookup_threads()
        self._routes: dict[str, bytes] = {}
        self._buckets: dict[tuple[str, str], TokenBucket] = {}
        self._dealers: dict[str, Dealer] = {}
        self._tries: Counter[str] = Counter()
        """The number of keys of a peer that were tried in vain."""
        self._dropping = False
        self._paused: asyncio.TimerHandle | None = None
        self._opening: asyncio.TimerHandle | None = None
        self._closed = False
        self._open(bind)

    def _open(self, bind: str) -> None:
        own = to_listen(bind)
        self._skipping = False
        with ExitStack() as opened:
            self._zap_handler = ZapHandler(
                self._context,
                self._loop,
                self._security,
                lambda reason: self._on_refused("unauthorised", reason),
            )
            opened.callback(self._zap_handler.close)
            self._router = self._socket(zmq.ROUTER, own)
            opened.callback(self._router.close)
            self._endpoint = self._listen(bind, own)
            opened.pop_all()
        self._reader = self._read(self._router, self._take_asked)

    def renew(
        self,
        security: Security,
        addresses: Mapping[str, str] | None = None,
        *,
        bearable: int = 0,
    ) -> None:
        """Know the others, and be known, by these keys from now on; ask them at these addresses, or
        those that are known; and take frames of this many bytes at least (`Limits.bearable`). Where
        keys or bytes change, all connections end, also of those who are still known, and are made
        anew after a moment, as after a restart: what was on its way is lost, and nobody comes by a
        key that is not known any more. New names are looked up on the thread of all.

        Raises as the constructor does for `security` and `addresses`, and changes nothing then.
        """
        there = self._addresses
        if addresses is not None:
            there = {peer: to_reach(text) for peer, text in addresses.items()}
        check_addresses(security, to_listen(self._endpoint), there)
        if self._closed:
            return
        for peer in [peer for peer in self._dealers if there.get(peer) != self._addresses[peer]]:
            self._dealers.pop(peer).close()
        self._addresses = there
        if security == self._security and bearable <= self._limits.bearable:
            return
        self._limits = replace(self._limits, bearable=max(bearable, self._limits.bearable))
        self._security = security
        self._peers = {user_id(peer): peer for peer in security.peers}
        self._tries.clear()
        self._close_sockets()
        self._open_again()

    def _open_again(self) -> None:
        self._opening = None
        try:
            self._open(self._endpoint)
        except (CannotListen, UnusableKeys):
            # libzmq closes sockets on threads of its own, and takes a moment for it.
            self._opening = self._loop.call_later(_MOMENT, self._open_again)

    @property
    def security(self) -> Security:
        """The keys that say who is who at present."""
        return self._security

    @property
    def listening(self) -> bool:
        """True if others can connect."""
        return self._opening is None and not self._closed

    @property
    def endpoint(self) -> str:
        """The endpoint at which it listens, with the free port found if any would do. The host of a
        listener on all interfaces is `0.0.0.0` or `[::]`, at which nobody can be reached."""
        return self._endpoint

    def ask(self, peer: str, frame: bytes) -> bool:
        """Send an inquiry. False: it cannot be sent now, since too many wait for the peer already
        or the connection is broken for good; or never, since the peer has no address or the frame
        is longer than any that is taken. True does not mean that it will arrive."""
        if self._closed or len(frame) > self._limits.frame_bytes:
            return False
        try:
            dealer = self._dealer(peer)
        except zmq.ZMQError:  # there are no descriptors left for one more socket
            return False
        if dealer is None:
            return False
        dealer.reader.look()
        try:
            dealer.socket.send(frame, zmq.NOBLOCK)
        except zmq.ZMQError:
            dealer.refused(self._clock())
            return False
        dealer.sent(self._clock())
        return True

    def answer(self, peer: str, frame: bytes) -> bool:
        """Send an answer along the connection by which the peer last asked. False: there is none,
        or too much waits for it already, or the frame is longer than any that is taken. True does
        not mean that it will arrive."""
        route = self._routes.get(peer)
        if route is None or self._closed or len(frame) > self._limits.frame_bytes:
            return False
        self._reader.look()
        try:
            self._router.send(route, _ROUTE)
            self._router.send(frame, zmq.NOBLOCK)
        except zmq.ZMQError:  # too much waits; or it does not exist any more
            return False
        return True

    def pause(self) -> None:
        """Hand on nothing more. What comes is kept for a moment (`Limits.pause`), up to the
        high-water marks, and then dropped: a full socket would stop heartbeats, be given up by
        its peer, and filled again by the next connection, without end."""
        if self._paused is None and not self._closed:
            self._paused = self._loop.call_later(self._limits.pause, self._drop)
            for reader in self._readers():
                reader.pause()

    def resume(self) -> None:
        """Go on."""
        if self._paused is not None and not self._closed:
            self._paused.cancel()
            self._paused = None
            self._dropping = False
            for reader in self._readers():
                reader.resume()

    def close(self) -> None:
        """Close all connections, at once: what waits to be sent is lost. Nothing is called back
        after that, and `ask` and `answer` say no."""
        if self._closed:
            return
        self._closed = True
        for timer in (self._paused, self._opening):
            if timer is not None:
                timer.cancel()
        self._close_sockets()

    def _close_sockets(self) -> None:
        for dealer in self._dealers.values():
            dealer.close()
        self._dealers.clear()
        self._routes.clear()
        if self._opening is not None:
            self._opening.cancel()
        self._reader.close()
        self._router.close()
        self._zap_handler.close()

    def _readers(self) -> list[DrainingReader]:
        return [self._reader, *(dealer.reader for dealer in self._dealers.values())]

    def _drop(self) -> None:
        self._dropping = True
        for reader in self._readers():
            reader.resume()

    def _listen(self, bind: str, own: Address) -> str:
        self._router.setsockopt(zmq.ROUTER_MANDATORY, 1)
        secure_listener(self._router, self._security)
        try:
            self._router.bind(as_endpoint(own))
        except zmq.ZMQError as error:
            raise CannotListen(
                f"{bind}: cannot be listened at: {zmq.strerror(error.errno or 0)}: name {HERE}, "
                "or tcp://*:PORT"
            ) from None
        return self._router.getsockopt_string(zmq.LAST_ENDPOINT)

    def _lookup_threads(self) -> dict[str, int]:
        """A thread for each peer whose address is a name, as far as `Limits.lookups` goes, beside
        the one of all others. libzmq looks names up on the threads that send and receive, and
        waits: where one peer is gone and names are answered slowly, all would be silent."""
        named = [peer for peer, address in self._addresses.items() if not address.numeric]
        threads = min(len(named), self._limits.lookups)
        self._context.set(zmq.IO_THREADS, 1 + threads)
        return {peer: 1 + place % threads for place, peer in enumerate(named)} if threads else {}

    def _socket(self, kind: int, address: Address, thread: int = 0) -> zmq.Socket[bytes]:
        socket = self._context.socket(kind, socket_class=zmq.Socket)
        socket.setsockopt(zmq.IPV6, int(self._ipv6 or is_ipv6(address)))
        socket.setsockopt(zmq.AFFINITY, 1 << thread)
        bound(socket, self._limits)
        return socket

    def _read(self, socket: zmq.Socket[bytes], take: Callable[[], bool]) -> DrainingReader:
        reader = DrainingReader(
            self._loop,
            socket,
            take,
            batch=self._limits.batch,
            batch_bytes=self._limits.batch_bytes,
            on_drained=self._on_drained,
        )
        if self._paused is not None and not self._dropping:
            reader.pause()
        return reader

    def _dealer(self, peer: str) -> Dealer | None:
        """The connection to a peer, a new one where there is none or it takes nothing any more.
        None: the peer has no address. Raises `zmq.ZMQError`."""
        dealer = self._dealers.get(peer)
        if dealer is not None:
            now = self._clock()
            if dealer.may_have_another_key(now, self._limits.other_key):
                self._tries[peer] += 1
            elif not dealer.may_be_given_up(now, self._limits.revive):
                return dealer
            del self._dealers[peer]
            dealer.close()
        address = self._addresses.get(peer)
        if address is None:
            return None
        dealer = self._dealers[peer] = self._connected(peer, address)
        return dealer

    def _connected(self, peer: str, address: Address) -> Dealer:
        socket = self._socket(zmq.DEALER, address, self._threads.get(peer, 0))
        keys = public_keys_of(self._security, peer)
        try:
            secure_asker(socket, self._security, peer, keys[self._tries[peer] % len(keys)])
            socket.connect(as_endpoint(address))
        except zmq.ZMQError:
            socket.close()
            raise
        dealer = Dealer(peer, socket, keys)
        dealer.reader = self._read(socket, lambda: self._take_answered(dealer))
        return dealer

    def _take_asked(self) -> bool:
        router = self._router
        route = router.recv(zmq.NOBLOCK)
        if self._skipping:  # it is one of too many parts
            self._skipping = bool(router.getsockopt(zmq.RCVMORE))
            return False
        part = router.recv(zmq.NOBLOCK, copy=False)
        self._reader.took(len(part))
        self._skipping = part.more
        # It is read from every frame, not remembered of every connection: that costs a hundredth
        # of what a message costs, and nothing is left to be taken over.
        user = _user_of(part)
        peer = self._peers.get(user)
        if peer is None or not is_router_made(route):
            self._on_refused("routing-id", f"{user[:200]} with {ascii(route[:100])[1:]}")
            return False
        frame = part.bytes
        if self._refuses("asked", peer, frame, self._skipping):
            return False
        self._routes[peer] = route
        self._on_asked(peer, frame)
        return True

    def _take_answered(self, dealer: Dealer) -> bool:
        frame = dealer.socket.recv(zmq.NOBLOCK)
        dealer.answered()
        dealer.reader.took(len(frame))
        skipped = dealer.skipping
        dealer.skipping = bool(dealer.socket.getsockopt(zmq.RCVMORE))
        if skipped or self._refuses("answered", dealer.peer, frame, dealer.skipping):
            return False
        self._on_answered(dealer.peer, frame)
        return True

    def _refuses(self, way: str, peer: str, frame: bytes, more: bool) -> bool:
        """Tell whether to drop the frame; report it if so."""
        bucket = self._buckets.get((way, peer))
        now = self._clock()
        if bucket is None:
            bucket = TokenBucket(self._limits.rate, self._limits.burst, now)
            self._buckets[way, peer] = bucket
        reason: Refusal
        if not bucket.take(now):
            reason = "rate"
        elif more:
            reason = "parts"
        elif not frame:
            reason = "empty"
        elif len(frame) > self._limits.frame_bytes:
            reason = "oversized"
        elif self._dropping:
            reason = "paused"
        else:
            return False
        self._on_refused(reason, peer)
        return True


def _user_of(part: zmq.Frame) -> str:
    """The owner of the connection of a frame, by the `user_id` that the ZAP handler gave; "" if it
    gave none."""
    try:
        return str(part.get("User-Id"))
    except zmq.ZMQError:
        return ""
