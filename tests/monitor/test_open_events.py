"""What is open, beside a plain list of it that is looked through."""

from __future__ import annotations

from random import Random

from choreomon.monitor.of_instances.open_events import NONE_OPEN, OpenEvent


def event(count: int, decides: bool) -> OpenEvent:
    return OpenEvent((0, count), (), (), decides)


def test_what_is_open_is_what_a_sorted_list_has() -> None:
    random = Random(27)
    for _ in range(200):
        opened, plain, count = NONE_OPEN, list[OpenEvent](), 0
        for _ in range(60):
            if plain and random.random() < 0.5:
                which = random.choice((plain[0], random.choice(plain)))
                now = None if random.random() < 0.8 else event(which.event[1], decides=False)
                opened = opened.noted(which.event[1], now)
                plain = [each for each in plain if each.event != which.event]
            else:  # counts grow, and may leap
                count += random.choice((1, 1, 1, 2, 1 << 20))
                now = event(count, decides=True)
                opened = opened.noted(count, now)
            plain = sorted([*plain, *([] if now is None else [now])])
            assert [*opened] == plain
            assert opened.first == (plain[0] if plain else None)
            assert len(opened) == len(plain)
            assert opened.at(count) == next((e for e in plain if e.event[1] == count), None)
        for each in plain:
            opened = opened.noted(each.event[1], None)
        assert opened == NONE_OPEN


def test_an_older_one_may_be_noted_later_as_after_a_restart() -> None:
    opened = NONE_OPEN.noted(7, event(7, True)).noted(3, event(3, True))
    assert opened.oldest == 3
    assert opened == NONE_OPEN.noted(3, event(3, True)).noted(7, event(7, True))


def test_what_does_not_change_is_the_same() -> None:
    opened = NONE_OPEN.noted(7, event(7, True))
    assert opened.noted(7, event(7, True)) is opened
    assert opened.noted(8, None) is opened
