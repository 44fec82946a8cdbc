"""Headers and secrets in files: what is read, what is refused, and that nothing is shown of it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

from choreomon.agent_files.delivered.webhook_credentials import (
    MAX_BYTES,
    RESERVED_HEADERS,
    load_headers,
    load_secrets,
)
from choreomon.core.errors import DocumentError

OLD, NEW = bytes(range(24)), bytes(range(64))


def written(folder: Path, content: str | bytes, mode: int = 0o600) -> Path:
    path = folder / "file"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(mode)
    return path


def whsec(secret: bytes) -> str:
    return f"whsec_{b64encode(secret).decode()}"


def problems(load: Callable[[Path], object], path: Path) -> list[str]:
    with pytest.raises(DocumentError) as refused:
        load(path)
    assert all(each.file == str(path) for each in refused.value.problems)
    return [f"{each.line} {each.field}: {each.message}" for each in refused.value.problems]


def test_headers_are_a_line_each(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "# of the alerting team\n\nAuthorization: Bearer a:b c\r\n  X-Tenant:7  \n",
        0o640,
    )
    assert dict(load_headers(path)) == {"Authorization": "Bearer a:b c", "X-Tenant": "7"}


@pytest.mark.parametrize(
    ("line", "field", "told"),
    [
        ("Authorization Bearer-hidden", "", "not understood: a header is `Name: value`"),
        ("X Y: hidden", "", "not understood"),
        (": hidden", "", "not understood"),
        ("X:", "X", "should be letters"),
        ("X: hidden\x01", "X", "should be letters"),
        ("X: hiddené", "X", "should be letters"),
        ("content-length: 1", "content-length", "take it out"),
        ("Webhook-Signature: hidden", "Webhook-Signature", "take it out"),
        ("FIRST: hidden", "FIRST", "is there twice"),
    ],
)
def test_what_is_no_header_is_told_with_its_line(
    tmp_path: Path, line: str, field: str, told: str
) -> None:
    (problem,) = problems(load_headers, written(tmp_path, f"First: 1\n{line}\n"))
    assert problem.startswith(f"2 {field}: ")
    assert told in problem
    assert "hidden" not in problem


def test_more_headers_may_be_reserved(tmp_path: Path) -> None:
    path = written(tmp_path, "Authorization: Basic eDp5\n")
    reserved = RESERVED_HEADERS | {"authorization"}
    (problem,) = problems(lambda path: load_headers(path, reserved=reserved), path)
    assert "in the URL" in problem


def test_secrets_are_a_line_each(tmp_path: Path) -> None:
    path = written(tmp_path, f"# new\n{whsec(NEW)}\n# until Friday\n {whsec(OLD)} \n")
    assert load_secrets(path) == (NEW, OLD)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("hidden", "whsec_"),
        ("whsec_hidden!", "whsec_"),
        (whsec(bytes(23)), "24 to 64 bytes"),
        (whsec(bytes(65)), "24 to 64 bytes"),
        (whsec(OLD), "twice"),
    ],
)
def test_what_is_no_secret_is_told_with_its_line(tmp_path: Path, line: str, told: str) -> None:
    (problem,) = problems(load_secrets, written(tmp_path, f"{whsec(OLD)}\n{line}\n"))
    assert problem.startswith("2 : ")
    assert told in problem
    assert line not in problem


def test_too_many_secrets_are_refused(tmp_path: Path) -> None:
    lines = "".join(f"{whsec(bytes([each]) * 24)}\n" for each in range(5))
    (problem,) = problems(load_secrets, written(tmp_path, lines))
    assert "at most 4" in problem


@pytest.mark.parametrize("load", [load_headers, load_secrets])
def test_files_that_cannot_be_are_told(tmp_path: Path, load: Callable[[Path], object]) -> None:
    assert "no such file" in problems(load, tmp_path / "missing")[0]
    assert problems(load, tmp_path)
    assert "not UTF-8" in problems(load, written(tmp_path, b"\xff\n"))[0]
    assert "larger than" in problems(load, written(tmp_path, b"#" * (MAX_BYTES + 1)))[0]
    assert "holds no" in problems(load, written(tmp_path, "# nothing\n"))[0]


@pytest.mark.parametrize("load", [load_headers, load_secrets])
@pytest.mark.parametrize("mode", [0o604, 0o620, 0o644])
def test_what_others_may_read_is_no_secret(
    tmp_path: Path, load: Callable[[Path], object], mode: int
) -> None:
    (problem,) = problems(load, written(tmp_path, "X: hidden\n", mode))
    assert f"has mode {mode:04o}" in problem
    assert "chmod 600" in problem
