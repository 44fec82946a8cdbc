"""`choreomon check` of an agent's configuration and of the table of one process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
import yaml

from choreomon.agent_files.table_file import load_table
from choreomon.documents.read import load_document
from tests.cli.command_line import SCENARIOS, choreomon

SAGA = SCENARIOS / "payment-saga-violating.yaml"
AGENT = """\
process: shipping
tables: [tables/shipping.json]
listen: tcp://127.0.0.1:7600
peers:
  customer: tcp://127.0.0.1:7601
  payment: tcp://127.0.0.1:7602
  stock: tcp://127.0.0.1:7603
local: {path: run/shipping.sock}
insecure: true
store: shipping.db
http: 127.0.0.1:7680
"""


ASKED = ("customer", "payment", "stock")
SECURED = AGENT.replace("insecure: true", "keys: {secret: keys/shipping.key, peers: keys}").replace(
    "{path: run/shipping.sock}", "{tcp: 127.0.0.1:7604, token: secret}"
)


def make_keys(*processes: str) -> None:
    for process in processes:
        assert choreomon("keygen", process, "-o", "keys").code == 0


def make_token(text: str = "0123456789abcdef\n") -> None:
    Path("secret").write_text(text, encoding="utf-8")
    Path("secret").chmod(0o600)


@pytest.fixture(autouse=True)
def agent(place: Path) -> Path:
    """`agent.yaml`, with the tables of the saga beside it."""
    assert choreomon("split", SAGA, "-o", "tables").code == 0
    path = place / "agent.yaml"
    path.write_text(AGENT, encoding="utf-8")
    return path


def test_a_configuration_is_explained_with_whom_its_agent_asks() -> None:
    answer = choreomon("check", "agent.yaml", columns=140)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("agent.yaml: the configuration of the agent of shipping is valid")
    assert re.search(
        r"│ tables/shipping.json │ payment-saga, violating │ precise │ +3 │ "
        r"customer, payment, stock │ nobody +│",
        answer.out,
    )
    for said in (
        load_table("tables/shipping.json").system_id,
        "stock at tcp://127.0.0.1:7603",
        "plain text",
        "run/shipping.sock",
        "process, shipping.db",
        "1 s; judged for good after 60 s",
        "http://127.0.0.1:7680",
    ):
        assert said in answer.out
    assert "parcel" not in answer.out


def test_its_rows_are_shown_where_asked_for() -> None:
    answer = choreomon("check", "agent.yaml", "--tables", columns=140)
    assert "Transition table of shipping" in answer.out
    assert "shipping -> customer : parcel" in answer.out


def test_json_is_the_configuration_with_its_tables_and_nothing_else() -> None:
    said = json.loads(choreomon("check", "agent.yaml", "--json").out)
    assert (said["kind"], said["process"], said["deadline"]) == ("agent", "shipping", 1.0)
    assert said["local"] == {
        "path": "run/shipping.sock",
        "tcp": None,
        "token": None,
        "group": False,
    }
    assert said["http"] == "127.0.0.1:7680"
    assert said["verdicts"] == ["the output"]
    (table,) = said["tables"]
    assert (table["rows"], table["asks"]) == (3, ["customer", "payment", "stock"])
    assert "table" not in table
    shown = json.loads(choreomon("check", "agent.yaml", "--json", "--tables").out)
    assert shown["tables"][0]["table"][0]["on"] == "shipping -> customer : parcel"


def test_other_ways_in_and_sinks_are_said_too(agent: Path) -> None:
    text = AGENT.replace("{path: run/shipping.sock}", "{tcp: 127.0.0.1:7604, token: secret}")
    sinks = "verdicts: [{file: v.jsonl}, {webhook: {url: http://127.0.0.1:9/x}}]\n"
    keys = "keys: {secret: keys/shipping.key, peers: keys}\ndurability: off\n"
    text = text.replace("insecure: true\nstore: shipping.db\n", keys) + sinks
    make_keys("shipping", *ASKED)
    make_token()
    agent.write_text(text, encoding="utf-8")
    answer = choreomon("check", "agent.yaml", columns=140)
    assert (answer.code, answer.err) == (0, "")
    for said in ("127.0.0.1:7604", "keys/shipping.key", "v.jsonl, http://127.0.0.1:9/x", "│ off"):
        assert said in answer.out
    said = json.loads(choreomon("check", "agent.yaml", "--json").out)
    assert said["local"]["tcp"] == "127.0.0.1:7604"
    assert said["keys"] == {"secret": "keys/shipping.key", "peers": "keys"}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("process: shipping", "process: orders", "agent.yaml:2: tables[0]: is the table of shippi"),
        ("  stock: tcp://127.0.0.1:7603\n", "", "agent.yaml:4: peers: have no address of stock"),
        (
            "tables/shipping.json",
            "tables/ship.json",
            "agent.yaml:2: tables[0]: tables/ship.json: cannot be read: there ",
        ),
        ("http: ", "htp: ", "agent.yaml:11: htp: is no key of this mapping; did you mean 'http'?"),
    ],
)
def test_what_is_wrong_with_it_is_told_as_of_a_configuration(
    agent: Path, old: str, new: str, told: str
) -> None:
    agent.write_text(AGENT.replace(old, new), encoding="utf-8")
    answer = choreomon("check", "agent.yaml")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(told)
    assert "application" not in answer.err


def test_a_server_in_the_place_of_a_file_is_told_with_its_lease(agent: Path) -> None:
    store = next(line for line in AGENT.splitlines() if line.startswith("store:"))
    server = "store: {postgresql: 'postgresql:///monitoring?user=shop', lease: 77s}"
    agent.write_text(AGENT.replace(store, server), encoding="utf-8")
    answer = choreomon("check", "agent.yaml")
    assert answer.code == 0, answer.err
    for told in ("kept in PostgreSQL", "postgresql:///monitoring, schema", "77"):
        assert told in answer.out


def rename_key() -> None:
    Path("keys/stock.key").rename("keys/shipping.key")


def mix_keys() -> None:
    """The public half of another pair."""
    one, other = Path("keys/shipping.key"), Path("keys/stock.key")
    public = [line for line in other.read_text().splitlines() if line.startswith("public-key")]
    lines = one.read_text().splitlines()
    lines[lines.index(next(each for each in lines if each.startswith("public-key")))] = public[0]
    one.write_text("\n".join(lines))


BROKEN: dict[str, tuple[Callable[[], object], str, str, str]] = {
    "no secret key": (
        lambda: Path("keys/shipping.key").unlink(),
        "",
        "",
        "agent.yaml:9: keys.secret: keys/shipping.key: cannot be read: "
        "there is no such file: `choreomon keygen "
        "shipping` makes one",
    ),
    "another process's key": (
        lambda: None,
        "keys/shipping.key",
        "keys/stock.key",
        "agent.yaml:9: keys.secret: keys/stock.key: is the key of stock, and this is the agent of "
        "shipping: name the file shipping.key",
    ),
    "another process's key under its name": (
        rename_key,
        "",
        "",
        "keys/shipping.key:3: process: the key of stock belongs into a file stock.key",
    ),
    "a public key as the secret one": (
        lambda: None,
        "keys/shipping.key",
        "keys/shipping.pub",
        "agent.yaml:9: keys.secret: keys/shipping.pub: is a public key: here stands the secret "
        "one, NAME.key",
    ),
    "a secret that others may read": (
        lambda: Path("keys/shipping.key").chmod(0o644),
        "",
        "",
        "agent.yaml:9: keys.secret: keys/shipping.key: has mode 0644, so that others than its "
        "owner may read or change this secret: `chmod 600 keys/shipping.key`",
    ),
    "halves of two pairs": (
        mix_keys,
        "",
        "",
        "agent.yaml:9: keys: secret and public key of shipping do not belong together: make new "
        "ones with `choreomon keygen shipping --force`",
    ),
    "no folder of keys": (
        lambda: None,
        "peers: keys}",
        "peers: others}",
        "agent.yaml:9: keys.peers: others: there is no such folder: make it, with the NAME.pub of "
        "each process that may connect",
    ),
    "a file as the folder of keys": (
        lambda: None,
        "peers: keys}",
        "peers: secret}",
        "agent.yaml:9: keys.peers: secret: is no folder: name one with the NAME.pub of each "
        "process that may connect",
    ),
    "no key of a process that is asked": (
        lambda: Path("keys/stock.pub").unlink(),
        "",
        "",
        "agent.yaml:9: keys.peers: keys: has no public key of stock, whom this agent asks: copy "
        "stock.pub there",
    ),
    "no token": (
        lambda: Path("secret").unlink(),
        "",
        "",
        "agent.yaml:8: local.token: secret: cannot be read: "
        "there is no such file: make one, as by `(umask 077; "
        "openssl rand -hex 32 > secret)`",
    ),
    "a short token": (
        lambda: make_token("12345"),
        "",
        "",
        "agent.yaml:8: local.token: secret: should hold 16 to 256 characters, not 5: make one, as "
        "by `(umask 077; openssl rand -hex 32 > secret)`",
    ),
    "a long token": (
        lambda: make_token("1" * 257),
        "",
        "",
        "agent.yaml:8: local.token: secret: should hold 16 to 256 characters, not 257: make one, "
        "as by `(umask 077; openssl rand -hex 32 > secret)`",
    ),
    "a token for all": (
        lambda: Path("secret").chmod(0o644),
        "",
        "",
        "agent.yaml:8: local.token: secret: others can read it (mode 0644): chmod 600 secret",
    ),
    "a folder as the token": (
        lambda: None,
        "token: secret",
        "token: keys",
        "agent.yaml:8: local.token: keys: is a folder: name a file in it",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_keys_and_tokens_are_checked_as_the_agent_does_and_told_alike(
    agent: Path, what: str
) -> None:
    make_keys("shipping", *ASKED)
    make_token()
    if "folder as the token" in what:
        Path("keys").chmod(0o700)
    agent.write_text(SECURED, encoding="utf-8")
    assert choreomon("check", "agent.yaml").code == 0
    spoil, old, new, told = BROKEN[what]
    spoil()
    agent.write_text(SECURED.replace(old, new) if old else SECURED, encoding="utf-8")
    checked = choreomon("check", "agent.yaml")
    assert (checked.code, checked.out, checked.err) == (2, "", told + "\n")
    assert choreomon("agent", "--config", "agent.yaml") == checked
    assert not Path("shipping.db").exists()


def test_all_that_is_wrong_with_keys_and_token_is_told_at_once(agent: Path) -> None:
    agent.write_text(SECURED, encoding="utf-8")
    answer = choreomon("check", "agent.yaml")
    fields = [line.split(": ")[1] for line in answer.err.splitlines()]
    assert fields == ["keys.secret", "keys.peers", "local.token"]


def test_what_a_webhook_is_known_by_is_checked_too(agent: Path) -> None:
    target = "{url: http://127.0.0.1:9/x, headers_file: headers, secret_file: secret}"
    agent.write_text(f"{AGENT}verdicts: [{{webhook: {target}}}]\n", encoding="utf-8")
    Path("headers").write_text("Authorization Bearer hidden\n", encoding="utf-8")
    Path("headers").chmod(0o600)
    answer = choreomon("check", "agent.yaml")
    assert (answer.code, answer.out) == (2, "")
    header, secret = answer.err.splitlines()
    assert header.startswith("headers:1: not understood: a header is `Name: value`")
    assert secret.startswith("agent.yaml:12: verdicts[0].webhook.secret_file: secret: cannot be")
    assert "hidden" not in answer.err
    assert choreomon("agent", "--config", "agent.yaml") == answer


def test_what_has_parts_of_a_document_is_taken_for_one() -> None:
    Path("mixed.yaml").write_text("process: a\nproperty: {}\n", encoding="utf-8")
    answer = choreomon("check", "mixed.yaml")
    assert answer.code == 2
    assert "mixed.yaml:1: process: is no key of this mapping" in answer.err


def test_the_table_of_one_process_is_explained() -> None:
    plain = choreomon("check", "tables/stock.json")
    assert (plain.code, plain.err) == (0, "")
    assert plain.out.startswith("tables/stock.json: the table of stock is valid")
    assert "released" not in plain.out
    assert (
        "stock -> orders : released"
        in choreomon("check", "tables/stock.json", "--tables", columns=120).out
    )
    said = json.loads(choreomon("check", "tables/stock.json", "--json").out)
    document = load_document(SAGA)
    assert (said["kind"], said["asked_by"]) == ("table", ["shipping"])
    assert said["processes"] == list(document.processes)


def test_a_broken_table_is_refused_as_a_table() -> None:
    text = Path("tables/stock.json").read_text().replace('"precise"', '"loud"')
    Path("tables/stock.json").write_text(text)
    answer = choreomon("check", "tables/stock.json")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("tables/stock.json:6: rules: should be precise, sound or paper")


def test_the_schema_of_agents_is_one_that_the_configuration_fulfils() -> None:
    answer = choreomon("schema", "--of", "agent")
    assert (answer.code, answer.err) == (0, "")
    schema = json.loads(answer.out)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(AGENT), schema)
    assert choreomon("schema", "--of", "document").out == choreomon("schema").out != answer.out
