"""Addresses that are found beside leases: when they are looked up, and which are taken."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from choreomon.agent_files.addresses import reached_at
from choreomon.runtime.network.found_addresses import FORGOTTEN, PATIENCE, SECONDS, FoundAddresses
from choreomon.runtime.ports import CommitFailed


class Book:
    """A directory in memory, with a clock."""

    def __init__(self, **there: str) -> None:
        self.there = there
        self.away = False
        self.now = 0.0
        self.asked: list[set[str]] = []

    def announce(self, endpoint: str) -> None:
        self.there["own"] = endpoint

    def look_up(self, processes: Iterable[str]) -> dict[str, str]:
        if self.away:
            raise CommitFailed("away")
        self.asked.append({*processes})
        return {each: self.there[each] for each in processes if each in self.there}


def found(book: Book) -> FoundAddresses:
    return FoundAddresses(book, lambda: book.now)


def test_who_is_asked_first_is_looked_up_and_who_answers_is_not_again() -> None:
    book = Book(one="tcp://a:1", two="tcp://b:1")
    addresses = found(book)
    assert addresses.asks("one")
    assert addresses.asks("two")
    assert addresses.beside({"two": "tcp://known:1"}) == {
        "one": "tcp://a:1",
        "two": "tcp://known:1",
    }
    for _ in range(3):
        assert not addresses.asks("one")
    addresses.heard("one")
    book.now = PATIENCE
    assert not addresses.asks("one")
    assert book.asked == [{"one"}, {"one", "two"}]


def test_who_says_nothing_is_looked_up_again_with_all_that_are_silent() -> None:
    book = Book(one="tcp://a:1", two="tcp://b:1")
    addresses = found(book)
    for peer in ("one", "two"):
        addresses.asks(peer)
    addresses.heard("two")
    book.there["one"] = "tcp://c:1"
    book.now = PATIENCE
    assert addresses.asks("one")
    assert book.asked[-1] == {"one"}
    assert addresses.beside({})["one"] == "tcp://c:1"
    assert not addresses.asks("one")
    assert len(book.asked) == 3
    book.now = 2 * PATIENCE
    assert not addresses.asks("one")
    assert len(book.asked) == 4


def test_who_says_nothing_is_looked_for_once_a_second_and_asked_again_where_it_moved() -> None:
    book = Book(one="tcp://a:1", two="tcp://b:1")
    addresses = found(book)
    assert addresses.due is None
    addresses.asks("one")
    addresses.asks("two")
    assert addresses.due == SECONDS
    assert addresses.moved() == []
    book.now = SECONDS
    assert addresses.moved() == []
    assert addresses.due == 2 * SECONDS
    book.there["one"] = "tcp://c:1"
    book.there["two"] = ""
    book.now = 2 * SECONDS
    assert addresses.moved() == ["one"]
    assert addresses.beside({})["one"] == "tcp://a:1"
    assert addresses.asks("one")
    addresses.heard("one")
    book.away, book.now = True, 3 * SECONDS
    assert addresses.moved() == []


def test_who_is_not_asked_any_more_is_not_looked_for() -> None:
    book = Book(one="tcp://a:1")
    addresses = found(book)
    addresses.asks("one")
    book.now = FORGOTTEN
    assert addresses.due is not None
    assert addresses.moved() == []
    assert addresses.due is None
    addresses.asks("one")
    addresses.heard("one")
    assert addresses.due is None


def test_who_is_nowhere_has_no_address_until_somebody_takes_its_slot() -> None:
    book = Book()
    addresses = found(book)
    assert not addresses.asks("one")
    assert addresses.beside({}) == {}
    book.there["one"] = "tcp://a:1"
    assert not addresses.asks("one")
    book.now = PATIENCE
    assert addresses.asks("one")
    del book.there["one"]
    book.now = 2 * PATIENCE
    assert addresses.asks("one")
    assert addresses.beside({}) == {}


def test_where_the_server_is_away_the_last_addresses_stay() -> None:
    book = Book(one="tcp://a:1")
    addresses = found(book)
    addresses.asks("one")
    book.away, book.now = True, PATIENCE
    assert not addresses.asks("one")
    assert not addresses.asks("two")
    assert addresses.beside({}) == {"one": "tcp://a:1"}


@pytest.mark.parametrize("text", ["", "tcp://*:1", "tcp://a:0", "http://a:1", "x" * 99])
def test_what_is_no_address_is_none(text: str) -> None:
    addresses = found(Book(one=text))
    assert not addresses.asks("one")
    assert addresses.beside({}) == {}


def test_without_a_directory_nothing_is_found() -> None:
    addresses = FoundAddresses(None, lambda: 0.0)
    addresses.announce("tcp://a:1")
    assert addresses.due is None
    assert addresses.moved() == []
    assert not addresses.asks("one")
    assert addresses.beside({"two": "tcp://b:1"}) == {"two": "tcp://b:1"}


@pytest.mark.parametrize(
    ("endpoint", "advertised", "host", "address"),
    [
        ("tcp://10.0.0.1:7600", "", "10.0.0.2", "tcp://10.0.0.1:7600"),
        ("tcp://0.0.0.0:7600", "", "10.0.0.2", "tcp://10.0.0.2:7600"),
        ("tcp://*:7600", "", "10.0.0.2", "tcp://10.0.0.2:7600"),
        ("tcp://[::]:7600", "", "fd00::2", "tcp://[fd00::2]:7600"),
        ("tcp://0.0.0.0:7600", "", "fd00::2", ""),
        ("tcp://[::]:7600", "", "10.0.0.2", ""),
        ("tcp://0.0.0.0:7600", "tcp://shop:1", "fd00::2", "tcp://shop:1"),
    ],
)
def test_where_an_agent_is_reached_follows_from_where_it_listens(
    endpoint: str, advertised: str, host: str, address: str
) -> None:
    assert reached_at(endpoint, advertised, host) == address
