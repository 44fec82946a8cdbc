"""A page in headless Chromium: what is cut off, what overlaps, what is asked of others.

The page is copied and given one script, which measures and leaves what it found as the text of an
element; Chromium prints the document as it is then. Nothing else is needed than the browser.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WIDTHS = (1400, 400)

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None,
    reason="chromium is not installed: whether pages and pictures fit is not seen here",
)

_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-extensions", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND"),
)

_LEAST = 500
"""Windows of Chromium are at least so wide; narrower pages are shown in a frame."""

_SCRIPT = Path(__file__).with_name("measure.js")


@dataclass(frozen=True)
class Seen:
    """What the script found, in words; all but `width` and `focus` are empty for a good page."""

    width: int
    too_wide: list[str]
    cut_off: list[str]
    overlaps: list[str]
    faint: list[str]
    requests: list[str]
    unreachable: list[str]
    focus: list[bool]

    @property
    def faults(self) -> list[str]:
        return [
            *(*self.too_wide, *self.cut_off, *self.overlaps),
            *(*self.faint, *self.requests, *self.unreachable),
        ]


def seen(page: str, width: int, folder: Path, *, dark: bool = False) -> Seen:
    """How a page looks in a window so wide; `folder` is for the copy of it, and for the browser."""
    script = _SCRIPT.read_text(encoding="utf-8")
    measured: dict[str, Any] = told_by((script,), page, width, folder, dark=dark)
    return Seen(**measured)


def told_by(
    scripts: Iterable[str], page: str, width: int, folder: Path, *, dark: bool = False
) -> Any:
    """What the scripts, run in the page one after the other, leave as JSON in a `#measured`."""
    assert CHROMIUM is not None
    copy = folder / "page.html"
    added = "".join(f"<script>{script}</script>" for script in scripts)
    copy.write_text(page.replace("</body>", f"{added}</body>"), encoding="utf-8")
    if width < _LEAST:
        copy = _framed(copy, width)
    night = ["--blink-settings=preferredColorScheme=0"] if dark else []
    printed = subprocess.run(
        [
            *(CHROMIUM, *_OPTIONS, *night, f"--user-data-dir={folder / 'profile'}"),
            *(
                f"--window-size={max(width, _LEAST)},900",
                "--virtual-time-budget=5000",
                "--dump-dom",
            ),
            copy.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    ).stdout
    found = re.search(r'<pre id="measured">(.+?)</pre>', printed, re.DOTALL)
    assert found is not None, "the page was not measured"
    return json.loads(html.unescape(found.group(1)))


def _framed(page: Path, width: int) -> Path:
    """A page that shows the other one in a frame, and takes over what that found."""
    frame = page.with_name("frame.html")
    frame.write_text(
        "<!DOCTYPE html><html><body><pre id='measured'></pre><script>"
        "addEventListener('message', (told) => "
        "{ document.getElementById('measured').textContent = told.data; });</script>"
        f'<iframe src="{page.name}" width="{width}" height="900" frameborder="0"></iframe>'
        "</body></html>",
        encoding="utf-8",
    )
    return frame


def around(pictures: dict[str, str]) -> str:
    """A page of nothing but pictures, each with its name, for measuring them."""
    shown = "".join(
        f'<div data-name="{html.escape(name)}">{svg[svg.index("<svg") :]}</div>'
        for name, svg in pictures.items()
    )
    return f"<!DOCTYPE html><html><body class='pictures'>{shown}</body></html>"
