"""Commands that install more of choreomon, where it is installed already."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname


def install_command(extra: str) -> str:
    """Return the command that adds an extra to this installation, however it was made."""
    return shlex.join([*_pip(), "install", *requirement(extra, _direct_url())])


def _direct_url() -> str | None:
    """The place that choreomon was installed from; a checkout that Python finds by its path counts
    as installed from there. None for an index of packages."""
    from importlib import metadata

    # There may be several: a checkout has its own metadata from when it was built.
    for found in metadata.distributions(name="choreomon"):
        if told := found.read_text("direct_url.json"):
            return told
    checkout = Path(__file__).resolve().parents[3]
    if checkout.joinpath("pyproject.toml").exists():
        return json.dumps({"url": checkout.as_uri(), "dir_info": {"editable": True}})
    return None


def requirement(extra: str, direct_url: str | None) -> list[str]:
    """The arguments of `pip install` for an extra of choreomon; `direct_url` is where it was
    installed from, as a `direct_url.json` says it (PyPA, "Recording the Direct URL Origin of
    installed distributions"), None for an index of packages."""
    origin: dict[str, Any] = {} if direct_url is None else json.loads(direct_url)
    url = origin.get("url", "")
    if not url:
        return [f"choreomon[{extra}]"]
    if "vcs_info" in origin:
        vcs = origin["vcs_info"]
        return [f"choreomon[{extra}] @ {vcs['vcs']}+{url}@{vcs['commit_id']}"]
    parts = urlsplit(url)
    if parts.scheme != "file":
        return [f"choreomon[{extra}] @ {url}"]
    path = f"{url2pathname(parts.path)}[{extra}]"
    editable = origin.get("dir_info", {}).get("editable", False)
    return ["-e", path] if editable else [path]


def _pip() -> list[str]:
    """Return the `pip` command that belongs to this Python."""
    found = shutil.which("pip")
    if found is not None and Path(found).parent == Path(sys.executable).parent:
        return ["pip"]
    return [sys.executable, "-m", "pip"]
