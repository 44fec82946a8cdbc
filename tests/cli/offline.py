"""Interactions and multi-traces as files, for commands."""

from __future__ import annotations

from pathlib import Path

INTERACTION = "seq(a -- m -> b, loopW(alt(b -- n -> c, c -- k -> b)))\n"
SIGNATURE = "@message{m;n;k} @lifeline{a;b;c}\n"

TRACES = {
    "pass.htf": "{ [a] a!m; [b] b?m.b!n.b?k; [c] c?n.c!k }",
    "weak.htf": "{ [a] a!m; [b] b?m.b!n; [c] }",
    "fail.htf": "{ [a] a!m; [b] b!n.b?m; [c] c?n }",
    "late.htf": "{ [a] ; [b] b?k; [c] c!k }",
    "bad.htf": "{ [a] a!m",
    "unknown.htf": "{ [a] a!x; [b]; [c] }",
}
"""Accepted; a multi-prefix; nothing of it; a slice; unreadable; with an undeclared message."""

ENDLESS = "loopP(par(a -- m -> b, b -- m -> a, c -- m -> a))\n"
"""Together with `endless.htf` nothing that is decided at once."""


def write_offline_files(place: Path) -> None:
    place.joinpath("i.hif").write_text(INTERACTION, encoding="utf-8")
    place.joinpath("s.hsf").write_text(SIGNATURE, encoding="utf-8")
    for name, text in TRACES.items():
        place.joinpath(name).write_text(text, encoding="utf-8")
