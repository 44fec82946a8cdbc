"""Where agents are, and how soon they are looked for again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.sdk.address import (
    Address,
    Backoff,
    drawn,
    given_address,
    parse_address,
    read_token,
)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("/run/shop.sock", Address(path="/run/shop.sock")),
        ("unix:/run/shop.sock", Address(path="/run/shop.sock")),
        ("unix:///run/shop.sock", Address(path="/run/shop.sock")),
        ("shop.sock", Address(path="shop.sock")),
        ("tcp://127.0.0.1:7001", Address(host="127.0.0.1", port=7001)),
        ("tcp://[::1]:7001", Address(host="::1", port=7001)),
        ("tcp://localhost:1", Address(host="localhost", port=1)),
    ],
)
def test_addresses_are_read_and_written(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tcp://10.0.0.1:7001", "own machine"),
        ("tcp://127.0.0.1", "own machine"),
        ("tcp://127.0.0.1:", "port"),
        ("tcp://127.0.0.1:0", "port"),
        ("tcp://127.0.0.1:70000", "port"),
        ("tcp://127.0.0.1:x", "port"),
        ("http://127.0.0.1:1", "path"),
        ("unix:", "path"),
        ("no", "'no' is neither an address nor `off`: use .* or ./no, or tcp"),
        ("0", "neither"),
        ("False", "neither"),
    ],
)
def test_other_addresses_are_refused_with_the_fix(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_address(text)


@pytest.mark.parametrize(
    ("address", "environment", "expected"),
    [
        (None, {}, None),
        (None, {"CHOREOMON": ""}, None),
        (None, {"CHOREOMON": "Off"}, None),
        ("/a", {"CHOREOMON": "off"}, None),
        ("off", {"CHOREOMON": "/b"}, None),
        (None, {"CHOREOMON": "/b"}, Address(path="/b")),
        ("/a", {"CHOREOMON": "/b"}, Address(path="/a")),
        (Path("/a"), {}, Address(path="/a")),
        (Path("agent"), {}, Address(path="agent")),
        (None, {"CHOREOMON": " off\n"}, None),
        ("/a", {"CHOREOMON": "OFF "}, None),
        ("/a", {"CHOREOMON": " "}, Address(path="/a")),
        (None, {"CHOREOMON": " /b "}, Address(path="/b")),
        (" Off", {}, None),
    ],
)
def test_the_environment_may_switch_monitoring_off(
    address: str | None, environment: dict[str, str], expected: Address | None
) -> None:
    assert given_address(address, environment) == expected


@pytest.mark.parametrize("said", ["0", "no", " none", "FALSE", "disabled", "tcp://10.0.0.1:1"])
@pytest.mark.parametrize("address", [None, "/a"])
def test_what_the_environment_says_is_an_address_or_off(said: str, address: str | None) -> None:
    with pytest.raises(ValueError, match=r"^the environment variable CHOREOMON: agent address '"):
        given_address(address, {"CHOREOMON": said})


def test_tokens_are_read_from_files(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("secret\n")
    where = Address(host="127.0.0.1", port=1)
    assert read_token(where, file, {}) == "secret"
    assert read_token(where, None, {"CHOREOMON_TOKEN_FILE": str(file)}) == "secret"
    assert read_token(where, None, {}) == ""


def test_at_a_unix_socket_no_token_is_told_and_no_file_read(tmp_path: Path) -> None:
    where = Address(path="/run/shop.sock")
    file = tmp_path / "token"
    for present in (False, True):
        if present:
            file.write_text("secret\n")
        assert read_token(where, file, {}) == ""
        assert read_token(where, None, {"CHOREOMON_TOKEN_FILE": str(file)}) == ""


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_delays_grow_up_to_the_longest_and_are_never_nothing(failures: int, draw: float) -> None:
    backoff = Backoff(0.05, 2.0, 2.0)
    assert 0.025 <= backoff.delay(failures, draw) <= 2.0
    assert backoff.delay(failures, draw) <= backoff.delay(failures + 1, draw)
    assert backoff.delay(50, 1.0) == 2.0


def test_what_is_drawn_is_from_0_to_1_and_not_always_the_same() -> None:
    several = {drawn() for _ in range(50)}
    assert all(0 <= one <= 1 for one in several)
    assert len(several) > 1
