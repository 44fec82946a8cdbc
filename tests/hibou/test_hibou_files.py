"""Documents by the path of their file."""

from __future__ import annotations

from pathlib import Path

import pytest

from choreomon.core.errors import DocumentError
from choreomon.documents.interactions import load_interaction
from choreomon.hibou.configuration_reader import read_configuration
from choreomon.hibou.model import read_interaction, read_signature
from choreomon.hibou.multitrace import read_multi_trace
from choreomon.interaction_files.configuration_json import write_configuration_json
from choreomon.interaction_files.loading import load_configuration, load_multi_trace, load_signature
from choreomon.interaction_files.offline_json import (
    write_interaction_json,
    write_multi_trace_json,
    write_signature_json,
)
from choreomon.multitrace.coded import CodedTrace
from tests.hibou.samples import FIGURE_14, FIGURE_15, FIGURE_16, FIGURE_18

SIGNATURE = read_signature(FIGURE_14)
EVENT = (
    '{"index":0,"time":0,"event":"send","process":"l1","message":'
    '{"sender":"l1","name":"m1","receiver":"l2"},"clock":{"l1":1}}\n'
)


def test_the_suffix_says_what_a_file_is_in(tmp_path: Path) -> None:
    term = read_interaction(FIGURE_15)
    multitrace = read_multi_trace(FIGURE_16)
    configuration = read_configuration(FIGURE_18)
    for name, text in {
        "s.hsf": FIGURE_14,
        "i.hif": FIGURE_15,
        "t.htf": FIGURE_16,
        "c.hcf": FIGURE_18,
        "old.hsf": FIGURE_14 + FIGURE_18 + FIGURE_15,
        "s.json": write_signature_json(SIGNATURE),
        "i.JSON": write_interaction_json(term),
        "t.json": write_multi_trace_json(multitrace),
        "c.json": write_configuration_json(configuration),
        "run-1.jsonl": EVENT,
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8-sig" if "." in name[:2] else None)
    assert load_signature(tmp_path / "s.hsf") == SIGNATURE
    assert load_signature(tmp_path / "old.hsf") == SIGNATURE
    assert load_signature(tmp_path / "s.json") == SIGNATURE
    assert load_interaction(tmp_path / "i.hif", SIGNATURE) is term
    assert load_interaction(tmp_path / "old.hsf") is term
    assert load_interaction(str(tmp_path / "i.JSON"), SIGNATURE) is term
    assert load_multi_trace(tmp_path / "t.htf") == multitrace
    assert load_multi_trace(tmp_path / "t.json") == multitrace
    assert load_multi_trace(tmp_path / "t.json", ["l4"]).lifelines == ("l1", "l2", "l3", "l4")
    assert load_configuration(tmp_path / "c.hcf") == configuration
    assert load_configuration(tmp_path / "c.json") == configuration
    log = load_multi_trace(tmp_path / "run-1.jsonl", ["l3"], SIGNATURE)
    assert str(log) == "{[l1] l1!m1; [l2]; [l3]}"


def test_a_large_file_is_read_in_pieces(tmp_path: Path) -> None:
    file = tmp_path / "long.htf"
    body = ".\r\n".join(["é"[:0] + "l1!m1", "l1?m2"] * 20_000)
    file.write_bytes(b"\xef\xbb\xbf{[l1] " + body.encode() + b";\r\n[l2] l2!m1}")
    multitrace = load_multi_trace(file)
    assert isinstance(multitrace.components[0].actions, CodedTrace)
    assert multitrace.length == 40_001
    assert multitrace == read_multi_trace(file.read_text(encoding="utf-8-sig"))
    file.write_bytes(file.read_bytes()[:-1] + b".}")
    with pytest.raises(DocumentError, match=r"long\.htf:40001: expected an action"):
        load_multi_trace(file)
    file.write_bytes(file.read_bytes() + b"\xff")
    with pytest.raises(DocumentError, match="is not UTF-8"):
        load_multi_trace(file)


@pytest.mark.parametrize(
    "load", [load_signature, load_interaction, load_configuration, load_multi_trace]
)
def test_a_file_that_cannot_be_read_is_told(load: object, tmp_path: Path) -> None:
    assert callable(load)
    for suffix in (".hif", ".json", ".jsonl"):
        with pytest.raises(DocumentError, match="there is no such file"):
            load(tmp_path / f"none{suffix}")
        with pytest.raises(DocumentError, match="cannot be read: embedded null"):
            load(f"\0{suffix}")
        folder = tmp_path / f"folder{suffix}"
        folder.mkdir()
        with pytest.raises(DocumentError, match="is a directory: name a file in it"):
            load(folder)
        folder.rmdir()
        broken = tmp_path / f"broken{suffix}"
        broken.write_bytes(b"\n\xff")
        with pytest.raises(DocumentError):
            load(broken)
        broken.write_bytes(b"")
        with pytest.raises(DocumentError, match="is empty"):
            load(broken)
