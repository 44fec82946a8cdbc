"""`choreomon.agent_files.key_files`: keys as files, and what is wrong with them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
import zmq
import zmq.auth
from hypothesis import given
from hypothesis import strategies as st
from zmq.utils import z85

from choreomon.agent_files.key_files import (
    KeyPair,
    PublicKey,
    is_key,
    load_key_pair,
    load_public_key,
    load_public_keys,
    public_file,
    secret_file,
    write_key_pair,
    write_public_key,
)
from choreomon.core.errors import DocumentError

PUBLIC = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
SECRET = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"
OTHER = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"


def put(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_bytes(text.encode())
    path.chmod(mode)
    return path


def wrong(path: Path) -> list[str]:
    """What is told of a file, without its name."""
    load = load_key_pair if path.suffix == ".key" else load_public_key
    with pytest.raises(DocumentError) as error:
        load(path)
    told = str(error.value)
    assert SECRET not in told
    return [line.removeprefix(str(path)) for line in told.splitlines()]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    pair, public = KeyPair("shop", PUBLIC, SECRET), PublicKey("shop", PUBLIC)
    assert load_key_pair(put(tmp_path / "shop.key", write_key_pair(pair))) == pair
    assert load_public_key(put(tmp_path / "shop.pub", write_public_key(public))) == public
    assert load_public_keys(tmp_path) == {"shop": (PUBLIC,)}
    assert SECRET not in write_public_key(public)


def test_tools_of_zmq_find_the_keys_in_the_files(tmp_path: Path) -> None:
    put(tmp_path / "shop.key", write_key_pair(KeyPair("shop", PUBLIC, SECRET)))
    put(tmp_path / "shop.pub", write_public_key(PublicKey("shop", PUBLIC)))
    found = zmq.auth.load_certificate(tmp_path / "shop.key")
    assert found == (PUBLIC.encode(), SECRET.encode())
    assert zmq.auth.load_certificate(tmp_path / "shop.pub") == (PUBLIC.encode(), None)


def test_a_process_may_be_known_by_several_keys_for_a_while(tmp_path: Path) -> None:
    both = PublicKey("shop", PUBLIC, (OTHER,))
    assert load_public_key(put(tmp_path / "shop.pub", write_public_key(both))) == both
    assert load_public_keys(tmp_path) == {"shop": (PUBLIC, OTHER)}
    put(tmp_path / "bank.pub", write_public_key(PublicKey("bank", OTHER)))
    with pytest.raises(DocumentError, match="has the key of bank, too"):
        load_public_keys(tmp_path)


def test_blanks_comments_and_other_line_ends_do_not_count(tmp_path: Path) -> None:
    text = f"\ufeff\r\n  # x\r\npublic-key={PUBLIC}\r\n\r\nprocess   =   shop\r\n"
    assert load_public_key(put(tmp_path / "shop.pub", text)) == PublicKey("shop", PUBLIC)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("shop.pub", "", [": process: is missing", ": public-key: is missing"]),
        ("shop.key", "process = shop", [": public-key: is missing", ": secret-key: is missing"]),
        (
            "shop.pub",
            f"process = bank\npublic-key = {PUBLIC}",
            [":1: process: the key of bank belongs into a file bank.pub"],
        ),
        (
            "shop.pub",
            f"process = shop\npublic-key = {PUBLIC}\nsecret-key = {SECRET}",
            [":3: secret-key: a secret does not belong into a .pub file: make new keys"],
        ),
        (
            "shop.pub",
            f"process = shop\nprocess = shop\npublic-key = {PUBLIC}",
            [":2: process: is there twice"],
        ),
        (
            "shop.key",
            f"process = shop\npublic-key = {PUBLIC}\nsecret-key = {SECRET}x",
            [":3: secret-key: is no key: 40 characters of Z85"],
        ),
        (
            "shop.key",
            f"process = shop\npublic-key = {PUBLIC}\nsecret-key = {SECRET}\n{SECRET}",
            [
                ":4: not understood: the fields are process, public-key, secret-key, "
                "each as `field = value`"
            ],
        ),
        (
            "shop.pub",
            f"process = shop\npublic-key = {PUBLIC}\npublic-key = {OTHER}\npublic-key = {PUBLIC}",
            [":4: public-key: is there twice"],
        ),
        (
            "shop.key",
            f"process = shop\npublic-key = {PUBLIC}\npublic-key = {OTHER}\nsecret-key = {SECRET}",
            [":3: public-key: is there twice"],
        ),
        (
            "shop.pub",
            "process = shop\n" + "".join(f"public-key = {n:040}\n" for n in range(5)),
            [":6: public-key: is one of more than 4: take old ones out"],
        ),
        ("shop.pub", "# " + 4096 * "x", [": is no key: more than 4096 bytes"]),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, name: str, text: str, told: list[str]
) -> None:
    assert wrong(put(tmp_path / name, text)) == told


def test_files_that_are_none_are_told(tmp_path: Path) -> None:
    (tmp_path / "shop.pub").write_bytes(b"\xff")
    assert wrong(tmp_path / "shop.pub") == [": is no key: not UTF-8"]
    assert wrong(tmp_path / "car.pub") == [
        ": cannot be read: there is no such file: `choreomon keygen car` makes one"
    ]
    (tmp_path / "bank.pub").mkdir()
    assert wrong(tmp_path / "bank.pub") == [": is a folder: name a file in it"]


def test_secret_and_public_files_are_not_mixed_up(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"is a secret key: here stands the file NAME\.pub"):
        load_public_key(tmp_path / "shop.key")
    with pytest.raises(DocumentError, match=r"is a public key: here stands .* NAME\.key"):
        load_key_pair(tmp_path / "shop.pub")


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
@pytest.mark.parametrize("mode", [0o604, 0o644, 0o660, 0o620, 0o602, 0o601])
def test_a_secret_that_others_may_read_or_change_is_refused(tmp_path: Path, mode: int) -> None:
    path = put(tmp_path / "shop.key", write_key_pair(KeyPair("shop", PUBLIC, SECRET)), mode)
    (told,) = wrong(path)
    assert told.startswith(f": has mode {mode:04o}, ")
    assert told.endswith(f"`chmod 600 {path}`")


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o400, 0o440, 0o640])
def test_a_group_may_read_a_secret_as_orchestrators_mount_it(tmp_path: Path, mode: int) -> None:
    path = put(tmp_path / "shop.key", write_key_pair(KeyPair("shop", PUBLIC, SECRET)), mode)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert load_key_pair(path).secret == SECRET


def test_a_folder_of_public_keys_is_read_with_all_that_is_wrong(tmp_path: Path) -> None:
    put(tmp_path / "shop.pub", write_public_key(PublicKey("shop", PUBLIC)))
    put(tmp_path / "bank.pub", write_public_key(PublicKey("bank", OTHER)))
    put(tmp_path / "bank.key", "not looked at")
    put(tmp_path / "README", "not looked at")
    assert load_public_keys(tmp_path) == {"bank": (OTHER,), "shop": (PUBLIC,)}
    put(tmp_path / "car.pub", write_public_key(PublicKey("car", PUBLIC)))
    put(tmp_path / "app.pub", "x")
    with pytest.raises(DocumentError) as error:
        load_public_keys(tmp_path)
    told = str(error.value).splitlines()
    assert told[0].startswith(f"{tmp_path}/app.pub:1: not understood")
    assert told[-1] == (
        f"{tmp_path}/shop.pub: public-key: has the key of car, too: make one with "
        "`choreomon keygen`"
    )


def test_a_folder_without_keys_lets_nobody_in_and_that_is_told(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"has no file NAME\.pub: copy that of each process"):
        load_public_keys(tmp_path)
    with pytest.raises(
        DocumentError, match=r"there is no such folder: make it, with the NAME\.pub"
    ):
        load_public_keys(tmp_path / "nowhere")


@given(st.binary(min_size=32, max_size=32))
def test_every_32_bytes_are_a_key(content: bytes) -> None:
    assert is_key(z85.encode(content).decode())


@pytest.mark.parametrize(
    "text", ["", "0" * 39, "0" * 41, "0" * 39 + "~", "0" * 39 + "é", "#" * 40, "%nSc1" + "0" * 35]
)
def test_other_texts_are_none(text: str) -> None:
    assert not is_key(text)


def test_the_largest_group_of_z85_is_a_key() -> None:
    assert is_key("%nSc0" * 8)
    assert z85.decode("%nSc0" * 8) == b"\xff" * 32


@given(st.text(max_size=200))
def test_no_text_does_anything_but_be_refused(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        assert wrong(put(Path(folder) / "shop.key", text))


@pytest.mark.parametrize(
    ("process", "stem"),
    [("shop/2", "shop.2"), ("shop", "shop"), ("shop.2", "shop.2"), ("shop/02", "shop_02~")],
)
def test_files_of_slots_may_be_keys_of_secrets(tmp_path: Path, process: str, stem: str) -> None:
    """Keys of Secrets in Kubernetes are letters, digits, `-`, `_` and `.`."""
    assert secret_file(process).startswith(stem)
    assert secret_file(process).endswith(".key")
    file = tmp_path / secret_file(process)
    put(file, write_key_pair(KeyPair(process, PUBLIC, SECRET)))
    assert load_key_pair(file).process == process
    assert public_file(process) == secret_file(process).replace(".key", ".pub")


def test_the_file_of_a_slot_is_not_that_of_a_process(tmp_path: Path) -> None:
    file = put(tmp_path / "shop_2.key", write_key_pair(KeyPair("shop/2", PUBLIC, SECRET)))
    assert wrong(file)[0].endswith("the key of shop/2 belongs into a file shop.2.key")
