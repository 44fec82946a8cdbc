"""Keys that change while agents run: with overlap everybody goes on, and a key that is taken away
is worth nothing from then on."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from pathlib import Path

import pytest
import zmq

from choreomon.agent_files.addresses import parse_address
from choreomon.agent_files.agent_config import Keys, LocalAccess
from choreomon.agent_files.key_files import (
    KeyPair,
    PublicKey,
    write_key_pair,
    write_public_key,
)
from choreomon.runtime import agent as agent_module
from choreomon.runtime.agent import Agent
from choreomon.runtime.agent_signals import run_agent
from choreomon.runtime.network.peer_limits import Limits
from choreomon.runtime.network.security import Curve, UnusableKeys, secure_asker
from tests.runtime.conftest import Run
from tests.runtime.peer_network import Network, Side, insecure, keys_of, turns
from tests.runtime.real_agents import NAMES, agent_of, config_of, tables_of

OLD = KeyPair("bank", keys_of("bank").public, keys_of("bank").secret)
NEW = KeyPair("bank", keys_of("bank, later").public, keys_of("bank, later").secret)
SHOP = keys_of("shop")
QUICK = Limits(reconnect=0.01, reconnect_most=0.05)


def known_by(*bank: KeyPair) -> Curve:
    """Shop, which asks the bank."""
    return Curve(SHOP, {"bank": tuple(pair.public for pair in bank)})


def bank_with(pair: KeyPair) -> Curve:
    return Curve(pair, {"shop": SHOP.public})


async def asks_until_answered(shop: Side, bank: Side, frame: bytes, *, pass_time: object) -> None:
    """As a driver does: again and again. `pass_time` is called each time."""
    bank.react["asked"] = lambda peer, asked: bank.sockets.answer(peer, b"to " + asked) and None
    answers = len(shop.frames("answered"))
    while not [answer for _, answer in shop.frames("answered")[answers:] if answer.endswith(frame)]:
        shop.sockets.ask("bank", frame)
        pass_time()  # type: ignore[operator]
        await turns()


class Clock:
    """Seconds that pass when they are told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def stands(self) -> None:
        pass

    def passes(self) -> None:
        self.now += 0.001


def test_with_overlap_a_process_gets_another_key_and_is_asked_and_let_in_all_the_time(
    run: Run,
) -> None:
    async def main() -> None:
        with Network() as network:
            clock = Clock()
            bank = network.side(bank_with(OLD), limits=QUICK)
            shop = network.side(
                known_by(OLD), {"bank": bank.sockets.endpoint}, limits=QUICK, clock=clock
            )
            await asks_until_answered(shop, bank, b"1", pass_time=clock.stands)
            shop.sockets.renew(known_by(OLD, NEW))
            await asks_until_answered(shop, bank, b"2", pass_time=clock.stands)
            endpoint = bank.sockets.endpoint
            bank.sockets.renew(bank_with(NEW))
            await asks_until_answered(shop, bank, b"3", pass_time=clock.passes)
            assert bank.sockets.endpoint == endpoint
            shop.sockets.renew(known_by(NEW))
            await asks_until_answered(shop, bank, b"4", pass_time=clock.stands)

    run(main)


def test_whoever_comes_is_let_in_by_either_key(run: Run) -> None:
    async def main() -> None:
        with Network() as network:
            both = Curve(SHOP, {"bank": (OLD.public, NEW.public)})
            shop = network.side(both, limits=QUICK)
            for pair in (OLD, NEW):
                security = Curve(pair, {"shop": SHOP.public})
                bank = network.side(security, {"shop": shop.sockets.endpoint}, limits=QUICK)
                assert bank.sockets.ask("shop", pair.public.encode())
            await shop.until_asked(2)
            assert sorted(shop.frames("asked")) == sorted(
                ("bank", pair.public.encode()) for pair in (OLD, NEW)
            )

    run(main)


def test_who_has_a_key_that_was_taken_away_is_cut_off_and_not_let_in_again(run: Run) -> None:
    async def main() -> None:
        with Network() as network:
            shop = network.side(Curve(SHOP, {"bank": (OLD.public, NEW.public)}), limits=QUICK)
            asker = network.client(RECONNECT_IVL=10)
            secure_asker(asker, Curve(OLD, {"shop": SHOP.public}), "shop")
            monitor = network.monitor(asker, zmq.EVENT_DISCONNECTED)
            asker.connect(shop.sockets.endpoint)
            asker.send(b"before")
            await shop.until_asked()
            shop.sockets.renew(Curve(SHOP, {"bank": NEW.public}))
            assert await asyncio.to_thread(monitor.poll, 10_000)
            await shop.until(lambda: shop.sockets.listening)
            asker.send(b"after")
            await shop.until_refused("unauthorised")
            assert [frame for _, frame in shop.frames("asked")] == [b"before"]

    run(main)


def test_in_a_pause_it_stays_paused(run: Run) -> None:
    async def main() -> None:
        with Network() as network:
            bank = network.side(bank_with(OLD), limits=QUICK)
            shop = network.side(known_by(OLD, NEW), {"bank": bank.sockets.endpoint}, limits=QUICK)
            bank.sockets.pause()
            bank.sockets.renew(bank_with(NEW))
            while not bank.sockets.listening:
                await asyncio.sleep(0)
            assert not bank.sockets._reader._reading
            bank.sockets.resume()
            assert bank.sockets._reader._reading
            shop.sockets.close()

    run(main)


def test_nothing_changes_where_the_new_keys_cannot_be_used(run: Run) -> None:
    async def main() -> None:
        with Network() as network:
            bank = network.side(bank_with(OLD), limits=QUICK)
            shop = network.side(known_by(OLD), {"bank": bank.sockets.endpoint}, limits=QUICK)
            with pytest.raises(UnusableKeys, match="no public key of bank"):
                shop.sockets.renew(Curve(SHOP, {}))
            await asks_until_answered(shop, bank, b"1", pass_time=Clock().stands)

    run(main)


def test_closed_in_between_nothing_is_opened_again(run: Run) -> None:
    async def main() -> None:
        with Network() as network:
            bank = network.side(bank_with(OLD))
            bank.sockets.renew(bank_with(NEW))
            bank.sockets.close()
            bank.sockets.renew(bank_with(OLD))
            assert not bank.sockets.listening
            bank.context.term()  # would wait for a socket that is open

    run(main)


def test_without_protection_there_is_nothing_to_renew_and_it_goes_on(run: Run) -> None:
    async def main() -> None:
        with Network() as network:
            bank = network.side(insecure("bank", "shop"), limits=QUICK)
            addresses = {"bank": bank.sockets.endpoint}
            shop = network.side(insecure("shop", "bank"), addresses, limits=QUICK)
            bank.sockets.renew(insecure("bank", "shop"))
            await asks_until_answered(shop, bank, b"1", pass_time=Clock().stands)

    run(main)


# Agents.


def put(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o600)


def write_keys(folder: Path, own: KeyPair, other: KeyPair) -> Keys:
    keys = Keys(folder / "B.key", folder)
    put(keys.secret, write_key_pair(KeyPair("B", own.public, own.secret)))
    put(folder / "A.pub", write_public_key(PublicKey("A", other.public)))
    return keys


def test_an_agent_reads_its_keys_and_its_token_anew(
    run: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="choreomon")
    assert set(NAMES) == {"A", "B"}

    async def main() -> None:
        caplog.clear()
        put(tmp_path / "token", "0123456789abcdef")
        keys = write_keys(tmp_path, OLD, SHOP)
        local = LocalAccess(tcp=parse_address("127.0.0.1:0"), token=tmp_path / "token")
        agent = agent_of(config_of(tmp_path, insecure=False, keys=keys, local=local))
        await agent.start()
        peers, side = agent.node.peers, agent._side
        assert peers is not None
        assert side is not None
        endpoint, before = peers.endpoint, peers.security
        agent.reload()
        assert peers.security is before  # nothing differs, and no connection ends
        write_keys(tmp_path, NEW, SHOP)
        put(tmp_path / "token", "another token of 16")
        agent.reload()
        while agent.not_ready():
            await asyncio.sleep(0)
        assert isinstance(peers.security, Curve)
        assert peers.security.own.public == NEW.public
        assert side.token == "another token of 16"
        assert peers.endpoint == endpoint
        (tmp_path / "A.pub").write_text("process = A\n")
        agent.reload()
        assert peers.security.own.public == NEW.public
        assert not agent.not_ready()
        await agent.stop()
        words = ("keys were read anew", "it cannot be reloaded, and stays as it is")
        told = [record for record in caplog.records if record.message in words]
        assert [record.levelname for record in told] == ["INFO", "INFO", "ERROR"]
        assert "public-key: is missing" in str(vars(told[-1])["fields"]["why"])

    run(main)


def test_a_hang_up_makes_an_agent_read_its_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def reload(agent: Agent) -> str:
        asked.append(agent.config.process)
        os.kill(os.getpid(), signal.SIGTERM)
        return ""

    monkeypatch.setattr(agent_module.Agent, "reload", reload)
    config = config_of(tmp_path)
    asyncio.run(
        run_agent(config, [tables_of()["B"]], ready=lambda _: os.kill(os.getpid(), signal.SIGHUP))
    )
    assert asked == ["B"]
