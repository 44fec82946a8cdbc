"""One target for a fuzzer that is led by coverage: `python -m benchmarks.fuzz.guided TARGET`.

A process of its own, since libFuzzer ends it; `benchmarks.fuzz.guiding` starts it. Each target is
given bytes, and raises for what must not be; half of the mutants are those of libFuzzer, half are
made by the structure of what is right.

    wire      a frame of a peer is refused as malformed, or written again as it was read
    linked    the same of one among many processes, whose clock is relative to another one
    local     the same of what services and agents say, and of a stream cut anywhere
    carried   the same of headers and clocks
    page      any request is answered, in HTTP
    sidecar   frames of peers, and reports, step a sidecar: nothing raises, no clock runs backwards,
              what is remembered has a bound, what is refused changes nothing
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

with atheris.instrument_imports(include=["choreomon"]):
    from benchmarks.fuzz import checks

from benchmarks.fuzz.mutants import damaged, mutated_json, mutated_pack
from benchmarks.fuzz.premises import PeerFrames, conversation, http_requests, local_messages
from choreomon.agent_files import local

SYSTEM: Final = checks.SYSTEM.hex()


def valid(target: str, random: Random) -> list[bytes]:
    """What is right there."""
    match target:
        case "wire" | "sidecar":
            return PeerFrames(random, SYSTEM).valid()
        case "linked":
            return conversation(Random(0), checks.SYSTEM)[0]
        case "local":
            return [local.encode(each)[local.LENGTH_BYTES :] for each in local_messages(SYSTEM, 1)]
        case "carried":
            return [b"1/good/a/ZqwbWAIBAA", b"ZqwbWAKIJ38", b"CgsMDQMBAgNmrBtYAqwCAA"]
        case _:
            return http_requests()


def mutator(target: str) -> Callable[[bytes, int, int], bytes]:
    def mutate(data: bytes, most: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < 0.5:
            return bytes(atheris.Mutate(data, most))
        pool: Sequence[bytes] = valid(target, random)
        if target in ("wire", "linked", "sidecar") and random.random() < 0.8:
            return mutated_pack(random, pool)[:most]
        if target == "local" and random.random() < 0.8:
            return mutated_json(random, pool, most)
        return damaged(random, [*pool, data or b"x"])[:most]

    return mutate


def main() -> None:
    target, *options = sys.argv[1:]
    with asyncio.Runner() as runner:  # what a page is made in
        runner.get_loop()
        atheris.Setup(
            [sys.argv[0], *options], checks.CHECKS[target](), custom_mutator=mutator(target)
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main()
