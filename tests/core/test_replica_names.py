"""Names of replicas in logs -> roles."""

from __future__ import annotations

import re
from random import Random

from choreomon.core.message import ENVIRONMENT, HANDLE, Label, Message
from choreomon.core.replica_names import NO_NAMES, ReplicaNames, matches
from choreomon.core.roles import NO_ROLES


def test_slots_and_what_a_pattern_fits_are_replicas() -> None:
    names = ReplicaNames(("shop", "till"), ("bank",), {"shop": ("shop-*", "store")})
    told = ("shop", "shop/2", "shop/70", "shop-7d9f-x2x", "store", "shop/", "shop/x", "shops")
    roles = ["shop", "shop", "shop", "shop", "shop", "shop/", "shop/x", "shops"]
    assert [names.role_of(name) for name in told] == roles
    assert [names.role_of(name) for name in ("till/0", "till-1", "bank", ENVIRONMENT)] == [
        *("till", "till-1", "bank", ENVIRONMENT)
    ]


def test_the_longest_role_has_a_name_and_processes_stand_for_themselves() -> None:
    patterns = {"shop": ("shop*",), "shop-admin": ("shop-admin*",)}
    names = ReplicaNames(("shop", "shop-admin"), ("shop-db",), patterns)
    assert names.role_of("shop-1") == "shop"
    assert names.role_of("shop-admin-1") == "shop-admin"
    assert names.role_of("shop-admin/3") == "shop-admin"
    assert names.role_of("shop-db") == "shop-db"
    assert names.role_of("shop-admin") == "shop-admin"


def test_replicas_are_those_that_logs_name_and_a_role_names_all_of_its_own() -> None:
    names = ReplicaNames(("shop", "till", "desk"), ("bank",), {"till": ("t-*",)})
    roles = names.recorded(["shop/10", "shop/2", "bank", "desk"], ["t-1", "till", "shop"])
    assert dict(roles.names) == {
        "shop": ("shop/2", "shop/10"),
        "till": ("t-1",),
        "desk": ("desk",),
    }
    assert dict(roles.slots) == {"shop": 2, "till": 1, "desk": 1}
    assert names.recorded([]).slots_of("shop") == ("shop",)
    assert roles.only_slot("till") == "t-1"
    assert roles.only_slot("shop") == "shop"
    assert roles.only_slot("bank") == "bank"
    label = Label(HANDLE, Message("till", "order", "shop"))
    assert [str(each.message.receiver) for each in roles.labels(label)] == ["shop/2", "shop/10"]
    assert {roles.of_roles(each) for each in roles.labels(label)} == {label}


def test_without_roles_there_are_none() -> None:
    assert not NO_NAMES
    assert NO_NAMES.recorded(["shop/1"]) is NO_ROLES
    assert NO_NAMES.role_of("shop/1") == "shop/1"


def test_patterns_fit_what_regular_expressions_of_the_same_meaning_do() -> None:
    random = Random(1)
    fits = 0
    for _ in range(5_000):
        pattern = "".join(random.choice("ab**") for _ in range(random.randint(1, 6)))
        name = "".join(random.choice("ab") for _ in range(random.randint(0, 6)))
        expected = re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None
        assert matches(pattern, name) == expected, (pattern, name)
        fits += expected
    assert fits > 1_000
