"""An agent's configuration: what is read, what is refused, and how that is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from choreomon.agent_files.addresses import MAX_SOCKET_PATH, Address, parse_address, parse_tcp
from choreomon.agent_files.agent_config import (
    AgentConfig,
    Keys,
    Limits,
    LocalAccess,
    LogSettings,
    config_defects,
    load_tables,
    refuse,
    table_defects,
)
from choreomon.agent_files.agent_document import load_agent_config, parse_agent_config
from choreomon.agent_files.delivered.sinks import FileSink, StdoutSink, WebhookSink
from choreomon.agent_files.table_file import SplitTable, write_table
from choreomon.cli.documents.schemas import agent_schema
from choreomon.core.errors import Defect, DocumentError
from choreomon.properties.tables import transition_tables
from tests.imported import imported_by
from tests.laws.drawn import processes
from tests.properties.words import automaton

WHOLE = """\
process: shop
tables: [tables/shop.json]
listen: tcp://0.0.0.0:7600
peers: {customer: "tcp://customer:7600", payment: "tcp://10.0.0.7:7600"}
local:
  path: /run/choreomon/shop.sock
  group: true
keys: {secret: keys/shop.key, peers: keys/}
insecure: false
store: /var/lib/choreomon/shop.db
durability: power
deadline: 250ms
give_up: 1m
most_open: 100
lease: 3000
http: 127.0.0.1:7680
verdicts:
  - stdout: true
  - file: verdicts.jsonl
  - webhook: {url: "http://127.0.0.1:9000/verdict", timeout: 1.5s}
log: {level: debug, format: text}
limits: {frame_bytes: 65536, frames_per_second: 10, sessions: 3, window: 8}
"""
LEAST = """\
process: shop
tables: [shop.json]
listen: tcp://127.0.0.1:0
local: {path: shop.sock}
insecure: true
store: shop.db
"""


def config(text: str, file: str = "agent.yaml") -> AgentConfig:
    return parse_agent_config(text, file)


def refusals(text: str, file: str = "agent.yaml") -> list[str]:
    with pytest.raises(DocumentError) as refused:
        config(text, file)
    return str(refused.value).splitlines()


def varied(old: str, new: str, text: str = WHOLE) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


# --- what is read -------------------------------------------------------------------


def test_every_field_is_read_in_seconds_and_from_the_folder_of_the_file() -> None:
    assert config(WHOLE, "/etc/shop/agent.yaml") == AgentConfig(
        process="shop",
        tables=(Path("/etc/shop/tables/shop.json"),),
        listen="tcp://0.0.0.0:7600",
        peers={"customer": "tcp://customer:7600", "payment": "tcp://10.0.0.7:7600"},
        local=LocalAccess(path=Path("/run/choreomon/shop.sock"), group=True),
        keys=Keys(Path("/etc/shop/keys/shop.key"), Path("/etc/shop/keys")),
        insecure=False,
        store=Path("/var/lib/choreomon/shop.db"),
        durability="power",
        deadline=0.25,
        give_up=60.0,
        most_open=100,
        lease=3.0,
        http=Address("127.0.0.1", 7680),
        verdicts=(
            StdoutSink(),
            FileSink(Path("/etc/shop/verdicts.jsonl")),
            WebhookSink("http://127.0.0.1:9000/verdict", 1.5),
        ),
        log=LogSettings("debug", "text"),
        limits=Limits(frame_bytes=65536, frames_per_second=10, sessions=3, window=8),
    )


def test_what_a_webhook_is_known_by_is_looked_for_beside_the_file() -> None:
    target = (
        '{url: "http://127.0.0.1:9000/verdict", format: cloudevents, headers_file: headers, '
        "secret_file: /etc/secret, dead_letter_file: letters.jsonl}"
    )
    text = varied('{url: "http://127.0.0.1:9000/verdict", timeout: 1.5s}', target)
    assert config(text, "/etc/shop/agent.yaml").verdicts[2] == WebhookSink(
        "http://127.0.0.1:9000/verdict",
        2.0,
        "cloudevents",
        Path("/etc/shop/headers"),
        Path("/etc/secret"),
        Path("/etc/shop/letters.jsonl"),
    )
    wrong = varied("cloudevents", "avro", text)
    assert "verdicts[2].webhook.format" in refusals(wrong)[0]


def test_what_is_left_out_is_as_in_a_value_made_in_python() -> None:
    assert config(LEAST) == AgentConfig(
        process="shop",
        tables=(Path("shop.json"),),
        listen="tcp://127.0.0.1:0",
        local=LocalAccess(path=Path("shop.sock")),
        insecure=True,
        store=Path("shop.db"),
    )


def test_a_service_may_connect_by_tcp_on_loopback_with_a_token() -> None:
    found = config(varied("{path: shop.sock}", '{tcp: "[::1]:7601", token: secret}', LEAST))
    assert found.local == LocalAccess(tcp=Address("::1", 7601), token=Path("secret"))


def test_json_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "agent.json"
    path.write_text(json.dumps(yaml.safe_load(LEAST)))
    assert load_agent_config(path).store == tmp_path / "shop.db"
    with pytest.raises(DocumentError, match=r"nowhere\.yaml: cannot be read: there is no"):
        load_agent_config(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("250ms", 0.25),
        ("2s", 2.0),
        ("0.5 s", 0.5),
        ("1m", 60.0),
        ("1h", 3600.0),
        ("100", 0.1),
        ("1.5", 0.0015),
        ('"30s"', 30.0),
    ],
)
def test_times_have_units_or_are_milliseconds(written: str, seconds: float) -> None:
    assert config(varied("lease: 3000", f"lease: {written}")).lease == seconds


@pytest.mark.parametrize(
    "written",
    ["0", "-1", "0s", "soon", "1 day", "5S", "true", "null", ".nan", ".inf", "1e13", "[]"],
)
def test_what_is_no_time_is_refused(written: str) -> None:
    (told,) = refusals(varied("lease: 3000", f"lease: {written}"))
    assert told.startswith('agent.yaml:15: lease: should be a time such as "250ms", "2s" or "1m"')


# --- what is refused, field by field ------------------------------------------------

WRONG = {
    "deadline: 250ms": {
        "misspelt": (
            "dedline: 250ms",
            "12: dedline: is no key of this mapping; did you mean 'deadline'?",
        ),
    },
    "most_open: 100": {
        "unknown": ("zzz: 1", "14: zzz: is no key of this mapping; known here: "),
        "none open": ("most_open: 0", "14: most_open: should be at least 1, not 0"),
        "half open": ("most_open: 1.5", "14: most_open: should be an integer, not 1"),
    },
    "listen: tcp://0.0.0.0:7600\n": {
        "missing": ("", "1: listen: is missing: give where peers that ask connect"),
    },
    "process: shop": {
        "a number": ("process: 7", "1: process: should be text, not 7 (put it in"),
        "no name": ('process: "a\\tb"', "1: process: has U+0009 as character 2"),
        "the environment": ("process: env", "1: process: 'env' has no monitor: name a process"),
    },
    "[tables/shop.json]": {
        "no list": ("tables/shop.json", "2: tables: should be a list"),
        "no table": ("[]", "2: tables: should not be empty: give at least one"),
        "a table twice": (
            "[a.json, b.json, ./a.json]",
            "2: tables[2]: comes twice: keep one of the two",
        ),
        "an empty path": ('[""]', "2: tables[0]: should be the path of a file"),
    },
    "tcp://0.0.0.0:7600": {
        "no address": (
            "0.0.0.0:7600",
            "3: listen: should be tcp://ADDRESS:PORT, as in tcp://0.0.0.0:7600",
        ),
        "a name to listen at": ("tcp://shop:7600", "3: listen: should be tcp://ADDRESS:PORT"),
        "a port too high": ("tcp://0.0.0.0:76000", "3: listen: should be tcp"),
    },
    "tcp://customer:7600": {
        "a peer at no port": (
            "tcp://customer:0",
            "4: peers.customer: should be tcp://HOST:PORT, as in tcp://shop:7600",
        ),
    },
    "tcp://10.0.0.7:7600": {
        "a peer everywhere": ("tcp://*:7600", "4: peers.payment: should be tcp"),
        "two peers in one place": (
            "tcp://customer:7600",
            "4: peers.payment: has the address of customer, tcp://customer:7600: every agent has",
        ),
    },
    "customer: ": {
        "a peer that is itself": (
            "shop: ",
            "4: peers.shop: is the process of this agent itself: take it out",
        ),
        "a peer that is none": ("env: ", "4: peers.env: has no monitor that could be"),
    },
    "path: /run/choreomon/shop.sock\n  group: true": {
        "no way in": (
            "pth: x",
            "5: local: should be {path: SOCKET} or {tcp: HOST:PORT, token: FILE}, not a mapping of",
        ),
        "tcp without token": (
            "tcp: 127.0.0.1:7601",
            "5: local.token: is missing: give a file of mode 0600",
        ),
        "tcp for all": (
            "{tcp: 0.0.0.0:7601, token: x}",
            "6: local.tcp: should be a loopback address such as 127.0.0.1:7601, not 0.0.0.0:7601",
        ),
    },
    "group: true": {
        "two ways in": (
            "tcp: 127.0.0.1:7601",
            "5: local: has both path and tcp: should be {path: SOCKET} or",
        ),
    },
    "/run/choreomon/shop.sock": {
        "a long socket": (
            "/run/" + "x" * MAX_SOCKET_PATH,
            "6: local.path: is longer than a socket's path may be",
        ),
    },
    "insecure: false": {
        "keys and none": (
            "insecure: true",
            "9: insecure: is true, and keys are given: keep one of the two",
        ),
    },
    "keys: {secret: keys/shop.key, peers: keys/}\n": {
        "no keys": (
            "",
            "1: keys: are missing: make some with `choreomon keygen`, or say insecure: true",
        ),
    },
    "{secret: keys/shop.key, peers: keys/}": {
        "half of the keys": (
            "{secret: keys/shop.key}",
            "8: keys.peers: is missing: give the folder with the public key of each process",
        ),
    },
    "store: /var/lib/choreomon/shop.db\n": {
        "no store": (
            "",
            "1: store: is missing, and durability is power: give a file for what must survive",
        ),
    },
    "durability: power": {
        "a store for nothing": (
            "durability: off",
            "10: store: is never written with durability: off: take it out, or choose",
        ),
        "unknown durability": (
            "durability: disk",
            "11: durability: should be 'off', 'process' or 'power', not 'disk'",
        ),
    },
    "give_up: 1m": {
        "given up too early": (
            "give_up: 250",
            "13: give_up: should be longer than the deadline, 0.25s: at the deadline",
        ),
    },
    "http: 127.0.0.1:7680": {
        "a port alone": ("http: 7680", "16: http: should be text, not 7680"),
    },
    "127.0.0.1:7680": {
        "everywhere": ('"*:7680"', "16: http: should be ADDRESS:PORT, as in 127."),
    },
    "lease: 3000": {
        "a long lease": (
            "lease: 2h",
            "15: lease: should be at most 3600s, not 7200s: so long a service may wait for a dead",
        ),
    },
    "- stdout: true": {
        "no sink": (
            "- print: true",
            "18: verdicts[0]: should be one sink: {stdout: true}, {file: FILE} or {webhook:",
        ),
        "an idle sink": ("- stdout: false", "18: verdicts[0].stdout: should be true"),
        "a sink twice": ("- file: ./verdicts.jsonl", "19: verdicts[1]: comes twice"),
    },
    "http://127.0.0.1:9000/verdict": {
        "no URL": (
            "127.0.0.1:9000/verdict",
            "20: verdicts[2].webhook.url: should be a URL, as in http://127.0.0.1:9000/verdict",
        ),
    },
    "http://127.0.0.1:9000/": {
        "a URL of another kind": ("ftp://x/", "20: verdicts[2].webhook.url:"),
        "a URL with no port": ("http://x:99999/", "20: verdicts[2].webhook"),
    },
    "level: debug": {
        "unknown level": ("level: loud", "21: log.level: should be 'debug', 'info'"),
    },
    "frame_bytes: 65536": {
        "large frames": (
            "frame_bytes: 1048577",
            "22: limits.frame_bytes: should be at most 1048576, not 1048577",
        ),
    },
}
"""What stands in the file, and instead of it something wrong; by what is wrong."""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [(old, *wrong) for old, all_wrong in WRONG.items() for wrong in all_wrong.values()],
    ids=[name for all_wrong in WRONG.values() for name in all_wrong],
)
def test_what_is_wrong_is_told_with_its_line_and_what_would_be_right(
    old: str, new: str, said: str
) -> None:
    (told,) = refusals(varied(old, new))
    assert told.startswith(f"agent.yaml:{said}")


def test_plain_text_is_for_loopback_alone() -> None:
    text = varied("127.0.0.1:0", "0.0.0.0:7600", LEAST)
    assert refusals(text + "peers: {a: tcp://a:7600, b: tcp://localhost:7601}") == [
        "agent.yaml:3: listen: should be a loopback address such as tcp://127.0.0.1:7600, not "
        "tcp://0.0.0.0:7600, where insecure is true: messages are plain text; or give keys",
        "agent.yaml:7: peers.a: should be a loopback address such as tcp://127.0.0.1:7600, not "
        "tcp://a:7600, where insecure is true: messages are plain text; or give keys",
    ]


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file() -> None:
    text = varied("level: debug", "level: loud", varied("process: shop", "process: 7"))
    assert [told.split(":")[1] for told in refusals(text)] == ["1", "21"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "agent.yaml: is empty: write the configuration of an agent"),
        ("- a", "agent.yaml:1: is not a mapping: write keys such as process: and tables:"),
        ("a: [", "agent.yaml:2: is not YAML"),
        ("process: a\nprocess: b", "agent.yaml:2: process: comes twice, first on line 1"),
    ],
)
def test_what_is_no_configuration_at_all_is_refused(text: str, said: str) -> None:
    assert refusals(text)[0].startswith(said)


@settings(max_examples=300)
@given(st.data())
def test_changed_configurations_are_read_or_refused(data: st.DataObject) -> None:
    text = WHOLE
    for _ in range(data.draw(st.integers(1, 5))):
        place = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 8))
        text = text[:place] + data.draw(st.text(max_size=6)) + text[place + cut :]
    try:
        found = config(text)
    except DocumentError:
        return
    assert not list(config_defects(found))


# --- values made in Python ----------------------------------------------------------

GOOD = config(WHOLE)


def told(defects: Iterator[Defect]) -> list[str]:
    return [".".join(map(str, defect.path)) for defect in defects]


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({}, []),
        ({"insecure": True, "keys": None}, ["listen", "peers.customer", "peers.payment"]),
        ({"local": LocalAccess()}, ["local"]),
        ({"local": LocalAccess(tcp=Address("127.0.0.1", 7))}, ["local.token"]),
        ({"local": LocalAccess(tcp=Address("10.0.0.1", 7), token=Path("t"))}, ["local.tcp"]),
        ({"deadline": 60.0}, ["give_up"]),
        ({"listen": "tcp://10.0.0.1:7", "http": Address("10.0.0.1", 7)}, ["http"]),
        ({"listen": "tcp://*:7", "http": Address("127.0.0.1", 7)}, ["http"]),
        ({"listen": "tcp://127.0.0.1:7", "http": Address("localhost", 7)}, ["http"]),
        ({"listen": "tcp://[::1]:7", "http": Address("::", 7)}, ["http"]),
        ({"listen": "tcp://*:7", "http": Address("::1", 7)}, []),
        ({"listen": "tcp://10.0.0.1:7", "http": Address("127.0.0.1", 7)}, []),
        ({"listen": "tcp://10.0.0.1:0", "http": Address("10.0.0.1", 0)}, []),
        (
            {
                "listen": "tcp://*:7",
                "http": Address("127.0.0.1", 8),
                "local": LocalAccess(tcp=Address("127.0.0.1", 8), token=Path("t")),
            },
            ["local.tcp"],
        ),
        ({"tables": tuple(Path(f"{n}.json") for n in range(65))}, ["tables"]),
    ],
    ids=str,
)
def test_values_made_in_python_are_held_to_the_same(
    changes: dict[str, Any], fields: list[str]
) -> None:
    assert told(config_defects(replace(GOOD, **changes))) == fields


def test_defects_of_a_value_without_a_file_name_the_field_alone() -> None:
    made = AgentConfig(
        process="shop", tables=(), listen="tcp://127.0.0.1:0", local=LocalAccess(path=Path("s"))
    )
    with pytest.raises(DocumentError) as refused:
        refuse(made, config_defects(made))
    assert str(refused.value).splitlines()[0].startswith("keys: are missing: make some with")


# --- with its tables ----------------------------------------------------------------


def split(process: str, system: str = "1" * 32, watchers: str = "P3") -> SplitTable:
    """The table of a process in a property where P2 asks P1, and `watchers` asks P2."""
    found = automaton("q0 a q1, q1 b q2, q2 c q3", final="q3", watchers={"b": "P2", "c": watchers})
    names = processes(4)
    table = transition_tables(found, names)[process]
    return SplitTable(system, "a property", "sound", names, table)


def of(process: str, *peers: str) -> AgentConfig:
    listed = ", ".join(f"{peer}: tcp://127.0.0.1:{7700 + n}" for n, peer in enumerate(peers))
    return config(f"{LEAST}peers: {{{listed}}}\n".replace("process: shop", f"process: {process}"))


def problems(config: AgentConfig, *tables: SplitTable) -> list[str]:
    with pytest.raises(DocumentError) as refused:
        refuse(config, table_defects(config, tables))
    return str(refused.value).splitlines()


def test_tables_that_fit_are_no_problem_and_more_peers_than_are_asked_neither() -> None:
    assert split("P2").asked == ("P1",)
    assert not list(table_defects(of("P2", "P1"), [split("P2")]))
    assert not list(table_defects(of("P2", "P3", "P1"), [split("P2"), split("P2", "2" * 32)]))


def test_the_table_of_another_process_is_refused() -> None:
    assert problems(of("P2", "P1"), split("P1")) == [
        "agent.yaml:2: tables[0]: is the table of P1, and this is the agent of P2: "
        "name the file of P2"
    ]


def test_whom_a_table_asks_must_be_to_be_found() -> None:
    assert problems(of("P3", "P1"), split("P3")) == [
        "agent.yaml:7: peers: have no address of P2, whom this agent asks: add P2: tcp://HOST:PORT"
    ]


def test_peers_that_no_table_knows_are_refused() -> None:
    (unknown,) = problems(of("P2", "P1", "backoffice"), split("P2"))
    assert (
        unknown == "agent.yaml:7: peers.backoffice: is no process of any of the tables: take it out"
    )
    missing, misspelt = problems(of("P2", "p1"), split("P2"))
    assert missing.endswith("add P1: tcp://HOST:PORT; did you mean 'p1'?")
    assert misspelt.endswith("peers.p1: is no process of any of the tables; did you mean 'P1'?")


def test_two_tables_of_one_system_or_of_systems_that_look_alike_are_refused() -> None:
    assert problems(of("P2", "P1"), split("P2"), split("P2", "2" * 32), split("P2")) == [
        "agent.yaml:2: tables[2]: is of the same system as tables[0]: keep one of the two"
    ]
    alike = "1" * 8 + "2" * 24
    assert problems(of("P2", "P1"), split("P2"), split("P2", alike)) == [
        "agent.yaml:2: tables[1]: its system cannot be told from that of tables[0]: split it again"
    ]


def test_tables_are_loaded_in_the_order_of_the_configuration(tmp_path: Path) -> None:
    first, second = split("P2", "3" * 32), split("P2", "2" * 32)
    for name, table in (("b.json", first), ("a.json", second)):
        tmp_path.joinpath(name).write_bytes(write_table(table))
    text = varied("[shop.json]", "[b.json, a.json]", LEAST).replace("shop\n", "P2\n")
    path = tmp_path / "agent.yaml"
    path.write_text(text + "peers: {P1: tcp://127.0.0.1:7701}\n")
    assert load_tables(load_agent_config(path)) == (first, second)
    tmp_path.joinpath("a.json").unlink()
    tmp_path.joinpath("b.json").write_text("{}")
    with pytest.raises(DocumentError) as refused:
        load_tables(load_agent_config(path))
    assert [problem.message for problem in refused.value.problems] == [
        "is missing: expected 'table'",
        f"{tmp_path}/a.json: cannot be read: "
        "there is no such file: name the file of P2 that `choreomon split` "
        "wrote",
    ]


# --- addresses ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "address", "numeric", "loopback"),
    [
        ("127.0.0.1:1", Address("127.0.0.1", 1), True, True),
        ("127.9.9.9:0", Address("127.9.9.9", 0), True, True),
        ("[::1]:65535", Address("::1", 65535), True, True),
        ("0.0.0.0:80", Address("0.0.0.0", 80), True, False),
        ("[2001:db8::7]:80", Address("2001:db8::7", 80), True, False),
        ("*:80", Address("*", 80), True, False),
        ("localhost:80", Address("localhost", 80), False, True),
        ("shop-1.svc.local:80", Address("shop-1.svc.local", 80), False, False),
        ("my_shop:80", Address("my_shop", 80), False, False),
    ],
)
def test_an_address_is_a_host_and_a_port(
    text: str, address: Address, numeric: bool, loopback: bool
) -> None:
    assert parse_address(text) == address
    assert parse_tcp(f"tcp://{text}") == address
    assert str(address) == text
    assert (address.numeric, address.loopback) == (numeric, loopback)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            ":80",
            "a:",
            "a:b",
            "a:65536",
            "a",
            "::1:80",
            "[::1]",
            "[a]:1",
            "[1.2.3.4]:1",
            "a b:1",
        ),
        *(
            "127.0.0.256:1",
            "10.1:1",
            "-a:1",
            "a-:1",
            "**:1",
            "*a:1",
            "a:80 ",
            "a:+1",
            "a:80\n",
            "ä:1",
        ),
    ],
)
def test_what_is_no_address_is_none(text: str) -> None:
    assert parse_address(text) is None
    assert parse_tcp(f"tcp://{text}") is None
    assert parse_tcp("ipc:///tmp/x") is None


# --- the JSON Schema, and what is imported ------------------------------------------


def test_the_schema_says_what_the_reader_does() -> None:
    schema = agent_schema()
    Draft202012Validator.check_schema(schema)
    valid = Draft202012Validator(schema).is_valid
    for text in (WHOLE, LEAST):
        assert valid(yaml.safe_load(text))
    for old, new in (
        ("deadline: 250ms", "dedline: 250ms"),
        ("deadline: 250ms", "deadline: soon"),
        ("listen: tcp://0.0.0.0:7600\n", ""),
        ("[tables/shop.json]", "[]"),
        ("- stdout: true", "- print: true"),
        ("most_open: 100", "most_open: 0"),
    ):
        assert not valid(yaml.safe_load(varied(old, new)))


def test_every_field_of_the_schema_says_what_it_means_and_defaults_are_as_written() -> None:
    schema = agent_schema()
    parts = [schema, *schema["$defs"].values()]
    fields = [found for part in parts for found in part.get("properties", {}).items()]
    assert len(fields) > 30
    assert [name for name, field in fields if not field.get("description")] == []
    defaults = {name: field["default"] for name, field in reversed(fields) if "default" in field}
    assert (defaults["deadline"], defaults["give_up"], defaults["lease"]) == ("1s", "1m", "5s")
    assert defaults["timeout"] == "2s"
    assert defaults["verdicts"] == [{"stdout": True}]
    assert config(LEAST + "give_up: 1m\ndeadline: 1s\nlease: 5s\n") == config(LEAST)


def test_a_value_made_in_python_needs_neither_pydantic_nor_yaml() -> None:
    assert imported_by("import choreomon.agent_files.agent_config", ["pydantic", "yaml"]) == set()


def test_reading_a_file_imports_no_scenario_no_interaction_and_no_screen(tmp_path: Path) -> None:
    """Agents start quickly."""
    path = tmp_path / "agent.yaml"
    path.write_text(LEAST)
    reading = (
        "from choreomon.agent_files.agent_document import load_agent_config\n"
        f"load_agent_config({str(path)!r})"
    )
    heavy = ["choreomon.documents.shape", "choreomon.interaction", "rich", "click"]
    assert imported_by(reading, [*heavy, "yaml"]) == {"yaml"}
