"""`choreomon synthesize --verifiers`, `local-check` and `central-check`: checks where the logs
are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from choreomon.core.action import emission
from choreomon.interaction.term import act, seq
from choreomon.interaction_files.offline_json import write_interaction_json
from tests.cli.command_line import Answer, choreomon

INTERACTION = """\
seq(
    customer -- order -> shop,
    shop -- charge -> bank,
    alt(
        seq(bank -- yes -> shop, shop -- parcel -> customer),
        seq(bank -- no -> shop, shop -- sorry -> customer)))
"""
CUSTOMER = "customer!order.customer?parcel"
SHOP = "shop?order.shop!charge.shop?yes.shop!parcel"
BANK = "bank?charge.bank!yes"


@pytest.fixture(autouse=True)
def _files(place: Path) -> None:
    place.joinpath("i.hif").write_text(INTERACTION, encoding="utf-8")
    log("customer", CUSTOMER)
    log("shop", SHOP)
    log("bank", BANK)
    assert made("--verifiers", "V").code == 0


def log(name: str, actions: str) -> None:
    Path(f"{name.replace(',', '+')}.htf").write_text(f"{{[{name}] {actions}}}\n", encoding="utf-8")


def made(*options: object) -> Answer:
    return choreomon("synthesize", "i.hif", "-o", "i.json", *options)


def local(name: str, *options: object, mode: str = "accept") -> Answer:
    asked = (
        "local-check",
        "--verifier",
        f"V/{name}.json",
        f"{name}.htf",
        "-o",
        f"{name}.area.json",
    )
    return choreomon(*asked, "--mode", mode, *options)


def central(*names: str, code: int) -> dict[str, Any]:
    areas = [f"{name}.area.json" for name in names]
    answer = choreomon("central-check", "--automaton", "i.json", *areas, "--json")
    assert answer.code == code, answer.err
    found: dict[str, Any] = json.loads(answer.out)
    return found


def test_each_location_has_a_file_whatever_it_is_called(place: Path) -> None:
    names = ["a", "b", "a+b", "A", "A~2", "%2B"]
    interaction = seq(*(act(emission(name, "m")) for name in names))
    place.joinpath("names.json").write_text(write_interaction_json(interaction))
    command = ("synthesize", "names.json", "-o", "a.json", "--verifiers", "N", "--colocated", "a,b")
    assert choreomon(*command).code == 0
    found = {json.loads(file.read_text())["lifelines"][0] for file in place.joinpath("N").iterdir()}
    assert found == {*names} - {"b"}


def test_verifiers_are_written_and_name_no_other_location() -> None:
    assert (
        "local verifiers in W: bank.json, customer.json, shop.json" in made("--verifiers", "W").out
    )
    for name in ("bank", "customer", "shop"):
        text = Path("W", f"{name}.json").read_text("utf-8")
        assert [other for other in ("bank", "customer", "shop") if other in text] == [name]


def test_right_logs_need_their_traces() -> None:
    for name in ("bank", "customer", "shop"):
        answer = local(name)
        assert (answer.code, answer.out) == (
            0,
            f"{name}.htf: right, as far as it tells by itself\n",
        )
        assert json.loads(Path(f"{name}.area.json").read_text("utf-8"))["trace"] is None
    found = central("bank", "customer", "shop", code=3)
    assert found == {
        "mode": "accept",
        "verdict": None,
        "fault": None,
        "needs": {"areas": [], "traces": [["bank"], ["customer"], ["shop"]]},
    }
    said = choreomon("central-check", "--automaton", "i.json", "bank.area.json")
    assert said.code == 3
    assert "no area of customer, shop" in said.out
    assert "no trace of bank: choreomon local-check --with-trace sends it" in said.out
    for name in ("bank", "customer", "shop"):
        assert local(name, "--with-trace").code == 0
    assert central("bank", "customer", "shop", code=0)["verdict"] == "Pass"


def test_a_log_that_is_wrong_by_itself_is_told_where_it_is() -> None:
    log("shop", "shop?order.shop!charge.shop?yes.shop!sorry")
    answer = local("shop")
    assert answer.code == 1
    assert answer.out == "shop.htf: LocalError: action 4, shop!sorry, cannot be there\n"
    answer = local("shop", "--json")
    assert json.loads(answer.out) == {
        "lifelines": ["shop"],
        "mode": "accept",
        "right": 3,
        "fits": False,
    }
    found = central("shop", code=1)
    assert found["fault"] == {"kind": "LocalError", "locations": [["shop"]]}
    log("bank", "bank?charge")
    assert "LocalError: the log must not end here" in local("bank").out
    assert local("bank", mode="multiprefix").code == 0


def test_areas_alone_tell_who_disagrees() -> None:
    log("bank", "bank?charge.bank!no")
    for name in ("bank", "customer", "shop"):
        local(name)
    assert central("bank", "customer", "shop", code=1)["fault"] == {
        "kind": "InterError",
        "locations": [["bank"], ["customer"]],
        "pairs": [[["bank"], ["customer"]], [["bank"], ["shop"]]],
    }
    areas = ("bank.area.json", "customer.area.json", "shop.area.json")
    said = choreomon("central-check", "--automaton", "i.json", *areas)
    assert said.code == 1
    assert said.out.startswith("Fail\n  InterError: the logs of bank and customer do not go")
    assert "Nor do those of bank and shop." in said.out


def test_locations_may_share_a_clock() -> None:
    assert made("--verifiers", "V", "--colocated", "shop,bank").code == 0
    log("bank,shop", "shop?order.shop!charge.bank?charge.bank!yes.shop?yes.shop!parcel")
    assert Path("V", "bank+shop.json").exists()
    assert local("bank+shop", "--with-trace").code == 0
    assert local("customer", "--with-trace").code == 0
    assert central("bank+shop", "customer", code=0)["verdict"] == "Pass"
    answer = made("--verifiers", "V", "--colocated", "shop,bonk")
    assert answer.code == 2
    assert "'bonk' is no lifeline; did you mean 'bank'?" in answer.err
    answer = made("--colocated", "shop,bank")
    assert answer.code == 2
    assert "--colocated is about the locations of --verifiers" in answer.err


def test_what_does_not_belong_together_is_refused() -> None:
    local("shop")
    local("bank")
    local("customer", mode="slice")

    def refused(*areas: str) -> str:
        answer = choreomon("central-check", "--automaton", "i.json", *areas)
        assert answer.code == 2
        return answer.err

    assert "shop is in shop.area.json, too" in refused("shop.area.json", "shop.area.json")
    said = refused("shop.area.json", "customer.area.json")
    assert "answers slice, and shop.area.json answers accept" in said
    assert "kind: is 'verifier': expected 'area'" in refused("V/shop.json")
    Path("i.hif").write_text("seq(customer -- order -> shop, bank -- yes -> shop)", "utf-8")
    assert made().code == 0
    assert "its verifier was made of another one than i.json" in refused("shop.area.json")
    answer = choreomon("local-check", "--verifier", "V/bank.json", "shop.htf", "-o", "x.json")
    assert answer.code == 2
    assert "shop.htf: has no log of bank by a clock of its own" in answer.err
    for output in ("V/shop.json", "shop.htf"):
        asked = ("local-check", "--verifier", "V/shop.json", "shop.htf", "-o", output)
        assert choreomon(*asked).code == 2


def test_names_of_files_are_safe() -> None:
    Path("i.hif").write_text("seq(CON -- m -> con, con -- m -> a)", "utf-8")
    assert made("--verifiers", "S").code == 0
    assert sorted(path.name for path in Path("S").iterdir()) == [
        "a.json",
        "process~CON.json",
        "process~con~2.json",
    ]


@pytest.mark.parametrize("kind", ["verifier", "area", "outcome"])
def test_shapes_are_published(kind: str) -> None:
    schema = json.loads(choreomon("schema", "--of", kind).out)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["additionalProperties"] is False
