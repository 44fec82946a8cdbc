"""The lease of a slot as a value, and what may be done to it.

Who keeps leases reads a row under a lock, asks here, and writes what it gets, in one transaction.
What each rule prevents is in docs/adr/037-roles.md, "Leases". Times are seconds of one clock, that
of whoever keeps the leases; none is read here.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import NamedTuple

from choreomon.monitor.host import LEAP


class Lease(NamedTuple):
    """The row of a slot. `number` grows whenever it is taken, and never goes back. `holder` is the
    name of a pod, empty where nobody has the slot; `address` that of its agent, which is a hint.
    `until`: when others may take it. `used`: a service of the holder has it; else it is vacant, and
    the holder only answers for it. `lives`: how many have begun;
    a life is all that is done with one store, and ends where that is lost. `pod`: the name of the
    one whose service had it last, whose session is there; whoever has it as vacant, or nobody, has
    that from it."""

    slot: str
    number: int = 0
    holder: str = ""
    address: str = ""
    until: float = 0.0
    used: bool = False
    lives: int = 0
    pod: str = ""


def is_free(lease: Lease, holder: str, now: float) -> bool:
    """Tell whether nobody but this holder has a right to the slot any more: nobody ever had or it
    was given back, its time is past, or its own pod had it, whose agent was started again."""
    return not lease.holder or lease.until <= now or lease.holder == holder


def may_be_taken(lease: Lease, holder: str, now: float, *, used: bool) -> bool:
    """Tell whether this holder may take the slot; `used`: for its service, which may have one that
    somebody else holds as vacant. That one is not asked: its next commit is refused."""
    return is_free(lease, holder, now) or (used and not lease.used)


def taken(lease: Lease, holder: str, address: str, until: float, *, used: bool) -> Lease:
    """The lease when it was taken. Only then may snapshot and journal be read: what an old holder
    commits later is refused."""
    pod = holder if used else lease.pod
    return lease._replace(
        number=lease.number + 1, holder=holder, address=address, until=until, used=used, pod=pod
    )


def renewed(lease: Lease, number: int, until: float) -> Lease | None:
    """The lease that goes on; `None`: it is somebody else's. An agent that has nothing to commit
    learns so only here."""
    return lease._replace(until=until) if lease.number == number else None


def given_back(lease: Lease, number: int) -> Lease | None:
    """The lease of which its holder, who has committed all, needs no more; `None`: it is somebody
    else's already. The number stays, so that the next one is a new one."""
    if lease.number != number:
        return None
    return Lease(lease.slot, number, lives=lease.lives, pod=lease.pod)


def with_store(lease: Lease, *, empty: bool, behind: bool = False) -> tuple[Lease, bool]:
    """The lease of a slot that was taken, when its store was read, and whether something is lost:
    the store is `empty`, though a life had begun there, or `behind`, as after a fail-over to a
    server that lacks the last commits. A life that begins is kept with its first commit, which says
    that everything may have happened where something is lost."""
    lost = behind or (empty and lease.lives > 0)
    return (lease._replace(lives=lease.lives + 1), lost) if empty or behind else (lease, False)


def reached_before(lives: int) -> int:
    """The count that earlier lives are taken to have reached when this one begins with nothing: its
    host goes on `LEAP` after it (`choreomon.monitor.host.Host.forgot`), so that no two lives of
    fewer events count alike, also where nothing but the lease is left."""
    return (lives - 1) * LEAP


def for_service(leases: Iterable[Lease], holder: str, now: float) -> Lease | None:
    """The best slot of a role for the service of this holder: the one that its pod had, whose
    session then need not move; one that nobody has; one that is vacant; one whose holder is late.
    `None`: there are more replicas than slots."""
    return min(
        (lease for lease in leases if may_be_taken(lease, holder, now, used=True)),
        key=lambda lease: (
            lease.pod != holder,
            bool(lease.holder),
            lease.used,
        ),
        default=None,
    )


def until_next(leases: Iterable[Lease], held: Iterable[str], now: float) -> float:
    """Seconds until the first lease of others is over, unless it is renewed; none is: for ever."""
    mine = {*held}
    ends = [each.until - now for each in leases if each.holder and each.slot not in mine]
    return min((seconds for seconds in ends if seconds > 0), default=inf)


def to_adopt(
    leases: Iterable[Lease], holder: str, held: Iterable[str], now: float, *, starts: bool = False
) -> list[Lease]:
    """The slots of its role for which nobody answers, and which an agent therefore takes as vacant;
    `held` are those that it has already. One that `starts` takes those of its pod at once. Later
    they are those of another agent of the pod, which came after it, and they would take them from
    each other for ever."""
    mine, name = {*held}, holder if starts else ""
    return [each for each in leases if each.slot not in mine and is_free(each, name, now)]
