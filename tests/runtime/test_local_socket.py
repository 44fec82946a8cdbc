"""Who may connect to the socket of an agent: docs/operations.md, "agent.yaml"."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from choreomon.core.errors import DocumentError
from choreomon.runtime.local_socket import listen_unix


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
