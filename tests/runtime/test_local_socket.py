"""Who may connect to the socket of an agent: docs/operations.md, "agent.yaml"."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from choreomon.core.errors import DocumentError
from choreomon.runtime.local_socket import check_unused, listen_unix


@pytest.mark.parametrize(("group", "folder", "file"), [(False, 0o700, 0o600), (True, 0o750, 0o660)])
def test_the_folder_and_the_socket_are_for_the_owner_and_where_asked_for_its_group(
    tmp_path: Path, group: bool, folder: int, file: int
) -> None:
    path = tmp_path / "run" / "agent.sock"
    with listen_unix(path, group=group):
        assert stat.S_IMODE(path.parent.stat().st_mode) == folder
        assert stat.S_IMODE(path.stat().st_mode) == file


@pytest.mark.parametrize(("group", "mode"), [(False, 0o710), (True, 0o755), (True, 0o770)])
def test_a_folder_that_others_can_enter_is_none(tmp_path: Path, group: bool, mode: int) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(DocumentError, match="others can enter its folder"):
        listen_unix(folder / "agent.sock", group=group)


def test_whether_another_agent_listens_is_told_before_anything_is_done(tmp_path: Path) -> None:
    path = tmp_path / "run" / "agent.sock"
    check_unused(path)
    check_unused(tmp_path / ("long" * 60))  # is refused where it is listened at
    told = "another agent listens there"
    with listen_unix(path, group=False), pytest.raises(DocumentError, match=told):
        check_unused(path)
    check_unused(path)
