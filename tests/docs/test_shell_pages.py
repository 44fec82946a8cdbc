"""Following a page: its files, its changes, its commands; and noticing where it is not true."""

from __future__ import annotations

import select
from pathlib import Path

import pytest

from tests.docs import shell_pages
from tests.docs.shell_pages import Shell, agrees, change_in, follow, missing_programs

PAGE = """
```python
# folder/greet.py
import sys

print("hello")
```

```diff
--- folder/greet.py
+++ folder/greet.py
@@
-print("hello")
+print("hello", sys.argv[1])
```

```console
$ cat < pipe > heard.out & read pid <<< $!
$ python folder/greet.py you
hello you
$ python folder/greet.py you > pipe; wait $pid
$ cat heard.out
... you
$ python folder/greet.py
...
IndexError: list index out of range
$ echo $?
1
```
"""


def test_a_page_is_followed_from_its_top_to_its_end(tmp_path: Path) -> None:
    page = PAGE.replace("$ cat < pipe", "$ mkfifo pipe\n$ cat < pipe")
    follow(page, tmp_path)
    assert (tmp_path / "heard.out").read_text() == "hello you\n"


@pytest.mark.parametrize(
    ("true", "wrong"),
    [
        ("hello you\n$ python", "hello me\n$ python"),
        ("hello you\n$ python", "$ python"),
        ("$ echo $?\n1\n", "$ echo $?\n0\n"),
        ("$ echo $?\n1\n", ""),
        ("you > pipe", "me > pipe"),
    ],
)
def test_a_page_that_is_not_true_is_noticed(tmp_path: Path, true: str, wrong: str) -> None:
    page = PAGE.replace("$ cat < pipe", "$ mkfifo pipe\n$ cat < pipe")
    assert page.count(true) == 1
    with pytest.raises(AssertionError):
        follow(page.replace(true, wrong), tmp_path)


@pytest.mark.parametrize(
    "shown", ["-print(1)\n+print(2)\n", " x\n+y\n", " print()\n+y\n"], ids=["none", "not", "twice"]
)
def test_a_change_of_what_is_not_there_once_is_noticed(shown: str) -> None:
    change = change_in(f"--- a.py\n+++ a.py\n@@\n{shown}")
    with pytest.raises(ValueError, match=r"a\.py has [02] times"):
        change.applied("print()\nprint()\n")


def test_a_change_may_have_several_pieces_and_empty_lines() -> None:
    change = change_in("--- a\n+++ a\n@@\n one\n+two\n@@\n\n-four\n+five\n")
    assert change.applied("one\nthree\n\nfour\n") == "one\ntwo\nthree\n\nfive\n"


def test_what_is_no_change_is_noticed() -> None:
    with pytest.raises(ValueError, match="no change of a file"):
        change_in("--- a\n+++ b\n@@\n+x\n")


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "b\n", False),
        ("... b\n", "a b\n", True),
        ("... b\n", "a\nb\n", False),
        ("...\nb\n", "a\nb\n", True),
        ("a...c\n", "abc\n", True),
        ("a.c\n", "abc\n", False),
    ],
)
def test_dots_stand_for_lines_or_parts_of_them(shown: str, printed: str, same: bool) -> None:
    assert agrees(shown, printed) is same


def test_programs_that_are_missing_are_named() -> None:
    page = "```console\n$ A=1 nonesuch -x\n$ B=$!\n$ choreomon x\n$ nonesuch\n$ cat x\n```\n"
    assert missing_programs(page) == ["nonesuch"]


def test_a_command_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell_pages, "PATIENCE", 0.2)
    with Shell(tmp_path) as shell, pytest.raises(TimeoutError, match="cat never: no end within"):
        shell.run("mkfifo never; cat never")


def test_what_was_left_in_the_background_is_ended(tmp_path: Path) -> None:
    with Shell(tmp_path) as shell:
        shell.run("mkfifo never")
        shell.run("cat never &")
        output = shell.process.stdout
        assert output is not None
        shell.close()
        # Who is in the background has the output, too: it ends with the last of them.
        assert select.select([output], [], [], 60)[0] == [output]
        assert output.read() == ""
