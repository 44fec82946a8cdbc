"""`choreomon keygen`."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from choreomon.agent_files.key_files import load_key_pair, load_public_key, load_public_keys
from choreomon.runtime.network.security import Curve
from tests.cli.command_line import choreomon
from tests.core.names_for_tests import HARD_NAMES


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_it_makes_a_secret_and_a_public_key_and_says_what_they_are_for() -> None:
    answer = choreomon("keygen", "shop", "-o", "keys/shop")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.splitlines() == [
        "keys/shop/shop.key: the secret key. Only the agent of shop may read it.",
        "keys/shop/shop.pub: the public key. Copy it to every agent that shop asks, or that asks "
        "shop.",
    ]
    folder = Path("keys/shop")
    assert names(folder) == ["shop.key", "shop.pub"]
    pair = load_key_pair(folder / "shop.key")
    assert Curve(pair, {}).process == "shop"
    assert load_public_key(folder / "shop.pub").public == pair.public


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_nobody_but_the_owner_may_read_the_secret_whatever_the_umask() -> None:
    before = os.umask(0)
    try:
        choreomon("keygen", "shop")
        choreomon("keygen", "shop", "--force")
    finally:
        os.umask(before)
    assert mode(Path("shop.key")) == 0o600
    assert mode(Path("shop.pub")) == 0o644


def test_the_secret_is_not_printed() -> None:
    answer = choreomon("keygen", "shop")
    assert load_key_pair("shop.key").secret not in answer.out


@pytest.mark.parametrize("there", ["shop.key", "shop.pub"])
def test_keys_that_are_there_are_replaced_only_by_force(there: str) -> None:
    Path(there).write_text("mine")
    answer = choreomon("keygen", "shop")
    assert answer.code == 2
    assert answer.err == (
        f"Error: {there}: is there already, and whoever has the old key would not know the new "
        "one: name another folder with -o, or add --force to replace it\n"
    )
    assert Path(there).read_text() == "mine"
    other = "shop.pub" if there == "shop.key" else "shop.key"
    assert not Path(other).exists()
    assert choreomon("keygen", "shop", "--force").code == 0
    assert load_key_pair("shop.key").public == load_public_key("shop.pub").public


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="there are no links")
def test_a_link_is_not_written_through(place: Path) -> None:
    Path("shop.pub").symlink_to(place / "elsewhere")
    assert choreomon("keygen", "shop").code == 2
    assert choreomon("keygen", "shop", "--force").code == 0
    assert not Path("elsewhere").exists()


def test_two_at_once_do_not_replace_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the other one came between the look and the writing."""
    there = os.path.lexists

    def comes_then(path: Path) -> bool:
        found = there(path)
        Path("shop.pub").write_text("other")
        return found and path != Path("shop.pub")

    monkeypatch.setattr(os.path, "lexists", comes_then)
    answer = choreomon("keygen", "shop")
    assert answer.code == 2
    assert "cannot be written: File exists" in answer.err
    assert Path("shop.pub").read_text() == "other"
    assert not [name for name in names(Path()) if name.startswith((".shop", "shop.key"))]


def test_it_does_without_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    assert choreomon("keygen", "shop").code == 0
    assert load_key_pair("shop.key").public == load_public_key("shop.pub").public


@pytest.mark.parametrize("name", ["", "a\n", "\x1b[31m", "\u202eshop", "x" * 201])
def test_what_is_no_name_of_a_process_is_refused(name: str) -> None:
    before = names(Path())
    answer = choreomon("keygen", "--", name)
    assert answer.code == 2
    assert "is no name of a process, which has 1 to 200 printable characters: it " in answer.err
    assert names(Path()) == before


@pytest.mark.parametrize("name", HARD_NAMES)
def test_keys_of_any_name_stay_in_the_folder(name: str) -> None:
    Path("keys").mkdir()
    before = names(Path())
    assert choreomon("keygen", "-o", "keys", "--", name).code == 0
    assert names(Path()) == before
    secret, public = sorted(Path("keys").iterdir())
    assert load_key_pair(secret).process == load_public_key(public).process == name
    assert load_public_keys("keys") == {name: (load_key_pair(secret).public,)}


def test_the_longest_name_fits() -> None:
    assert choreomon("keygen", "x" * 200).code == 0


def test_a_place_that_cannot_be_written_is_told() -> None:
    Path("file").write_text("")
    answer = choreomon("keygen", "shop", "-o", "file")
    assert answer.code == 2
    assert "file" in answer.err
    Path("shop.key").mkdir()
    answer = choreomon("keygen", "shop", "--force")
    assert answer.code == 2
    assert answer.err == "Error: shop.key: is a directory: name another one with -o\n"


def test_help_says_who_needs_which_file() -> None:
    answer = choreomon("keygen", "--help")
    assert "Only the agent of NAME may read NAME.key." in answer.out
