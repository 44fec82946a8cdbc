"""What a user imports from `choreomon` itself."""

from __future__ import annotations

import choreomon


def test_the_face_is_sorted_and_every_name_in_it_is_there() -> None:
    assert choreomon.__all__ == sorted(choreomon.__all__)
    for name in choreomon.__all__:
        assert getattr(choreomon, name).__module__.startswith("choreomon.")


def test_the_face_has_no_other_names() -> None:
    assert not hasattr(choreomon, "load_documents")
