"""Rubbish, and mutants of valid frames: of their bytes, and of what the bytes mean."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

import msgspec

from choreomon.agent_files.wire import MAX_BYTES

LARGE: Final = 0.004
"""The share of mutants in which something is there thousands of times."""
GENTLE: Final = 0.7
"""The share of changes that keep the type of what they change."""
TIMES: Final = (1_000, 3_000, 10_000, 30_000)
DEPTHS: Final = (10, 500, 5_000, 100_000)
ODD: Final[tuple[Any, ...]] = (
    *(None, True, False, "", "q0", "x" * 201, "\x00", "\U0001f600", b"", b"\xff" * 16, bytes(16)),
    *(0, 1, -1, 2, 127, 128, 255, 2**31, 2**48 + 1, 2**53, 2**59, 2**60 - 1, 2**60, 2**62),
    *(2**63 - 1, -(2**63), 0.0, -0.5, float("inf"), float("nan"), 1e308, [], {}, [[]], {"a": 1}),
    *("Frm", "Frm_p", "Gap", "?", "good", "target", "rogue", "env", "hello", "block", "buffer"),
)

Tree = Any


def damaged(random: Random, valid: Sequence[bytes]) -> bytes:
    """Random bytes, or a valid frame whose bytes are wrong."""
    frame = bytearray(random.choice(valid))
    match random.randrange(8):
        case 0:
            return random.randbytes(random.choice((0, 1, 2, 20, 200, 2000)))
        case 1:
            return bytes(frame[: random.randrange(len(frame) + 1)])
        case 2:
            other = random.choice(valid)
            return (
                bytes(frame[: random.randrange(len(frame))]) + other[random.randrange(len(other)) :]
            )
        case 3:
            return bytes(frame) + random.randbytes(random.randrange(1, 20))
        case 4:
            place = random.randrange(len(frame))
            return (
                bytes(frame[:place])
                + random.randbytes(random.randrange(9))
                + bytes(frame[place + random.randrange(9) :])
            )
        case _:
            for _ in range(random.choice((1, 1, 1, 2, 8))):
                frame[random.randrange(len(frame))] ^= 1 << random.randrange(8)
            return bytes(frame)


def mutated_pack(random: Random, valid: Sequence[bytes], most: int = MAX_BYTES) -> bytes:
    """A mutant of a frame of MessagePack, by its structure; at most so many bytes."""
    tree = _mutated(random, msgspec.msgpack.decode(random.choice(valid)), _nested_pack)
    try:
        data = msgspec.msgpack.encode(tree)
    except (OverflowError, UnicodeEncodeError, RecursionError):
        return damaged(random, valid)
    return data[:most]


def mutated_json(random: Random, valid: Sequence[bytes], most: int) -> bytes:
    """A mutant of a document of JSON, by its structure; at most so many bytes."""
    depth = random.choice(DEPTHS)
    tree = _mutated(random, json.loads(random.choice(valid)), lambda _: "NESTED")
    text = json.dumps(tree, default=str, ensure_ascii=random.random() < 0.5)
    text = text.replace('"NESTED"', "[" * depth + "]" * random.choice((depth, 0)), 1)
    if random.random() < 0.05:
        text = text.replace('"', '"\\ud800', 1)
    return text.encode(errors="surrogatepass")[:most]


def _nested_pack(random: Random) -> Tree:
    return msgspec.Raw(random.choice((b"\x91", b"\x81\xa0")) * random.choice(DEPTHS) + b"\x90")


def _mutated(random: Random, tree: Tree, nested: Callable[[Random], Tree]) -> Tree:
    if random.random() < LARGE:
        lists = [path for path in _paths(tree) if isinstance(_at(tree, path), list)]
        path = random.choice(lists or [()])
        found = _at(tree, path)
        several = found if isinstance(found, list) and found else [random.choice(ODD)]
        return _put(tree, path, several * (random.choice(TIMES) // len(several)))
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        paths = _paths(tree)
        path = random.choice(paths)
        tree = _put(tree, path, _instead(random, _at(tree, path), tree, paths, nested))
    return tree


def _instead(
    random: Random,
    found: Tree,
    tree: Tree,
    paths: Sequence[tuple[Any, ...]],
    nested: Callable[[Random], Tree],
) -> Tree:
    way = random.randrange(10)
    if way and random.random() < GENTLE:
        return _alike(random, found, tree, paths)
    if isinstance(found, int) and not isinstance(found, bool) and way < 6:
        near = found + random.choice((-2, -1, 1, 2, 100, 1 << random.randrange(62)))
        return random.choice((near, -found, random.choice(ODD)))
    if isinstance(found, list) and way < 4:
        place = random.randrange(len(found) + 1)
        return random.choice(
            (found[:place], found[place:], found + found, [*found[:place], *found[place + 1 :]])
        )
    if isinstance(found, dict) and way < 4:
        one = random.choice([*found]) if found else "type"
        return random.choice(
            ({**found, "more": 1}, {key: each for key, each in found.items() if key != one})
        )
    if way < 7:
        return _at(tree, random.choice(paths))
    return nested(random) if way == 7 else random.choice(ODD)


def _alike(random: Random, found: Tree, tree: Tree, paths: Sequence[tuple[Any, ...]]) -> Tree:
    """Something of the same type, so that more than the form is looked at."""
    if isinstance(found, int) and not isinstance(found, bool):
        return abs(found + random.choice((-2, -1, 1, 2, 100, 1 << random.randrange(62))))
    others = [_at(tree, path) for path in paths]
    others += ODD
    return random.choice([each for each in others if type(each) is type(found)])


def _paths(tree: Tree, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(tree, list) and len(tree) < 100:
        for place, each in enumerate(tree):
            found += _paths(each, (*path, place))
    elif isinstance(tree, dict):
        for key, each in tree.items():
            found += _paths(each, (*path, key))
    return found


def _at(tree: Tree, path: tuple[Any, ...]) -> Tree:
    for step in path:
        tree = tree[step]
    return tree


def _put(tree: Tree, path: tuple[Any, ...], new: Tree) -> Tree:
    if not path:
        return new
    step, *rest = path
    if isinstance(tree, list):
        return [*tree[:step], _put(tree[step], tuple(rest), new), *tree[step + 1 :]]
    return {**tree, step: _put(tree[step], tuple(rest), new)}
