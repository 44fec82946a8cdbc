"""`.htf` files: both readers against each other, what is read, what is refused, round trips."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import example, find, given
from hypothesis import strategies as st

from choreomon.core.action import parse_action
from choreomon.core.errors import DocumentError
from choreomon.hibou import multitrace as module
from choreomon.hibou import multitrace_pieces as pieces
from choreomon.hibou.multitrace import MultiTraceReader, read_multi_trace, write_multi_trace
from choreomon.hibou.multitrace_pieces import LONGEST_ACTION, _end_of_body
from choreomon.hibou.signature import Signature
from choreomon.multitrace.coded import LONG, CodedTrace
from choreomon.multitrace.multitrace import Component, MultiTrace, component, multi_trace
from tests.hibou.samples import FIGURE_16, LIFELINES, SIGNATURE, multi_traces


def of(*parts: tuple[str, str]) -> MultiTrace:
    return multi_trace(
        component(names.split(), [parse_action(word) for word in actions.split()])
        for names, actions in parts
    )


ABC = ("a", "b", "c")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("{}", of(("a", ""), ("b", ""), ("c", ""))),
        ("{[a,b] b!m.a!m; [c] }", of(("a b", "b!m a!m"), ("c", ""))),
        ("{[c] c?m; [b , a] b!m . a!m;}", of(("c", "c?m"), ("a b", "b!m a!m"))),
        ("{[a] a!m}", of(("a", "a!m"), ("b", ""), ("c", ""))),
        ("[a] a!m; [b] b!m", of(("a", "a!m"), ("b", "b!m"), ("c", ""))),
        ("[a] a!m;", of(("a", "a!m"), ("b", ""), ("c", ""))),
        ("{[#any] a!m.b?m}", of(("a b", "a!m b?m"), ("c", ""))),
        ("{[#any]; [a] a!m}", of(("a", "a!m"), ("b", ""), ("c", ""))),
        ("{[#all] a!m}", of(("a b c", "a!m"))),
        ("[ #all ] a!m.d!m", None),
        ("a!m.b?m", of(("a b c", "a!m b?m"))),
        ("d!m", of(("a b c d", "d!m"))),
        ("{[d] d!m; [c,b,a]}", of(("d", "d!m"), ("a b c", ""))),
        ("\ufeff{/* x */[a] a!m // ;\n./* y */a?m}", of(("a", "a!m a?m"), ("b", ""), ("c", ""))),
    ],
)
def test_every_form_of_a_multi_trace_is_read(written: str, meant: MultiTrace | None) -> None:
    if meant is None:
        with pytest.raises(DocumentError, match=r"d!m is on d, which is not in the component"):
            read_multi_trace(written, ABC)
    else:
        assert read_multi_trace(written, ABC) == meant


def test_figure_16_of_the_slices_paper_is_the_multi_trace_of_its_figure_1() -> None:
    assert read_multi_trace(FIGURE_16) == of(("l1 l2", "l1!m1 l2?m1 l2?m4"), ("l3", "l3?m1 l3!m4"))


@pytest.mark.parametrize(
    ("written", "line", "said"),
    [
        ("", 0, "is empty: expected a multi-trace such as `{[l1] l1!m;"),
        (" // x", 0, "is empty: expected a multi-trace such as `{[l1] l1!m;"),
        ("{", 1, "expected `[` and the lifelines of a component, found the end of the file"),
        ("\n{[a] a!m\n", 3, "expected `;` or `}`, found the end of the file; `{` of line 2 is not"),
        ("{[a] a!m}}", 1, "expected the end of the file after `}`, found '}'"),
        ("{[a] a!m]", 1, "expected `;` or `}`, found ']'"),
        ("{[a] a!m [b] b!m}", 1, "expected `;` or `}`, found '['"),
        ("[a] a!m}", 1, "expected `;`, found '}'"),
        ("a!m; b!m", 1, "expected `.` or the end of the file after the trace, found ';'"),
        ("{[a\n a!m}", 2, "expected `,` or `]`, found 'a'"),
        ("{[]}", 1, "expected lifelines, #any or #all, found ']'"),
        ("{[a,]}", 1, "expected the name of a lifeline, found ']'"),
        ("{[#some]}", 1, "expected `#any`, `#all` or lifelines, found '#some'"),
        ("{[a,a]}", 1, "a is named twice in one component"),
        ("{[a];\n[b,a]}", 2, "a is in components 1 and 2; a lifeline has one clock"),
        ("{[a];\n[#any] a!m}", 2, "a is in components 1 and 2; a lifeline has one clock"),
        ("{[a];\n[#all]}", 2, "a is in components 1 and 2; a lifeline has one clock"),
        ("{[a] a!m.\nb!m}", 2, "b!m is on b, which is not in the component [a]"),
        (
            "{[a-b] }",
            1,
            "expected `,` or `]`, found '-'; a name is a letter, then letters, digits and `_`; "
            "JSON has no such limit",
        ),
        ("{[a] a-b!m}", 1, "expected an action such as `l1!m` or `l2?m`, found 'a-b!m'; a name is"),
        ("{[a] a!m a?m}", 1, "expected `.` between two actions, found 'a'"),
        ("{[a] a!m.}", 1, "expected an action such as `l1!m` or `l2?m`, found '}'"),
        ("{[a] .a!m}", 1, "expected an action such as `l1!m` or `l2?m`, found '.'"),
        ("{[a] a!m.\n\n.a!m}", 3, "expected an action such as `l1!m` or `l2?m`, found '.'"),
        ("a!m.b", 1, "expected an action such as `l1!m` or `l2?m`, found 'b'"),
        ("a!é", 1, "expected an action such as `l1!m` or `l2?m`"),
        ("{a!m,b!m}", 1, "simultaneous actions `{..}` are not supported"),
        (
            "{a!m}",
            1,
            "expected `[` and the lifelines of a component, as in `{[l1] l1!m}`, found 'a'",
        ),
        ("{\na!m.b!m}", 2, "expected `[` and the lifelines of a component, as in `{[l1] l1!m}`"),
        ("{a", 1, "expected `[` and the lifelines of a component, as in `{[l1] l1!m}`, found 'a'"),
        ("{[a] a!m.a->m}", 1, "expected an action such as `l1!m` or `l2?m`, found 'a->m'"),
        ("strict(a!m,b?m)", 1, "expected an action such as `l1!m` or `l2?m`, found 'strict(a!m"),
        ("{a!m,b!m}.c!m", 1, "simultaneous actions `{..}` are not supported"),
        ("a!m.\n{a!m,b!m}", 2, "simultaneous actions `{..}` are not supported"),
        ("{[a] {a!m,b!m}}", 1, "simultaneous actions `{..}` are not supported"),
        ("\n/* {}", 2, "this comment is not closed"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(written: str, line: int, said: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_multi_trace(written, ABC, file="x.htf")
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == ("x.htf", line)
    assert problem.message.startswith(said)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{[a] a!m; [z]}", "unknown lifeline 'z'; the lifelines are a, b"),
        ("{[a] a!z}", "unknown message 'z'; the messages are m"),
        ("z!m", "unknown lifeline 'z'; the lifelines are a, b"),
        ("{[a]\n\na!m.a!z}", "unknown message 'z'; the messages are m"),
    ],
)
def test_names_that_the_signature_does_not_declare_are_refused(written: str, said: str) -> None:
    signature = Signature(("a", "b"), ("m",))
    with pytest.raises(DocumentError) as caught:
        read_multi_trace(written, signature=signature)
    assert caught.value.problems[0].message == said
    assert read_multi_trace("{[a] a!m}", signature=signature) == of(("a", "a!m"), ("b", ""))


@given(multi_traces())
def test_reading_what_was_written_gives_the_multi_trace_back(multitrace: MultiTrace) -> None:
    assert read_multi_trace(write_multi_trace(multitrace)) == multitrace
    everything = read_multi_trace(write_multi_trace(multitrace), signature=SIGNATURE)
    assert everything == multi_trace(multitrace.components, LIFELINES)


def test_the_round_trip_law_notices_a_writer_that_loses_the_last_component() -> None:
    whole = of(("a", "a!m"), ("b", "b!m"))

    def planted(multitrace: MultiTrace) -> str:
        return write_multi_trace(MultiTrace(multitrace.components[:-1]))

    assert read_multi_trace(write_multi_trace(whole)) == whole
    assert read_multi_trace(planted(whole)) != whole


def test_names_that_the_files_cannot_express_are_not_written() -> None:
    for part in (component(["a b"]), component(["a"], [parse_action("a!m")._replace(message="-")])):
        with pytest.raises(ValueError, match="cannot be written in HIBOU's files"):
            write_multi_trace(multi_trace([part]))


# ---------------------------------------------------------------- both readers

PIECES = [
    *("{", "}", "[", "]", ";", ".", ",", " ", "\n", "a", "b", "!", "?", "m", "#any", "#all"),
    *("a!m", "b?m", "[a]", "[a,b]", "[b] b!m", "{[a] a!m", "; [b] b?m}", "/*", "*/", "//", "é"),
]
texts = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)
spaced = (
    multi_traces()
    .map(write_multi_trace)
    .flatmap(
        lambda text: st.lists(st.sampled_from(["", " ", "\n", "."]), min_size=9, max_size=9).map(
            lambda fill: "".join(sign + fill[number % 9] for number, sign in enumerate(text))
        )
    )
)


def judged(reader: MultiTraceReader, chunks: list[str]) -> MultiTrace | str:
    try:
        return reader.read(chunks[0]) if len(chunks) == 1 else reader.read_chunks(chunks)
    except DocumentError as error:
        return str(error)


READERS = [
    lambda: MultiTraceReader(),
    lambda: MultiTraceReader(("a", "c")),
    lambda: MultiTraceReader((), Signature(("a", "b"), ("m",))),
]


@given(texts | spaced | multi_traces().map(write_multi_trace), st.sampled_from(READERS))
@example("{[a] a!m; [a] a!m}", READERS[0])
@example("{[a] b!m}", READERS[0])
@example("{[a,a]}", READERS[0])
@example("{[z] z!m}", READERS[2])
@example("{;}", READERS[0])
@example("{[a];;}", READERS[0])
@example("{[a];} ", READERS[0])
def test_the_fast_reader_agrees_with_the_one_that_reads_in_pieces(
    text: str, make: type[MultiTraceReader]
) -> None:
    whole = judged(make(), [text])
    slow = judged(make(), [text, ""])
    assert whole == slow
    reader = make()
    for known in (text, "{[a] a!m;[b] b?m}", text):  # what it remembers changes nothing
        again = judged(reader, [known])
    assert again == slow


@given(texts | spaced, st.data())
def test_where_a_text_is_cut_into_pieces_changes_nothing(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    chunks = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    reader = MultiTraceReader(("a",))
    assert judged(reader, [*chunks, ""]) == judged(reader, [text, ""])
    assert judged(reader, [*text, ""]) == judged(reader, [text, ""])


def test_the_law_notices_a_fast_reader_that_does_not_look_for_overlaps() -> None:
    class Blind(MultiTraceReader):
        def _quickly(self, text: str) -> MultiTrace | None:
            return MultiTrace((Component(("a",), ()),)) if text == "{[a];[a]}" else None

    assert judged(Blind(), ["{[a];[a]}"]) != judged(Blind(), ["{[a];[a]}", ""])


def test_the_usual_form_takes_the_fast_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_other_way(*_: object) -> MultiTrace:
        raise AssertionError("the slow reader was asked")

    monkeypatch.setattr(MultiTraceReader, "read_chunks", no_other_way)
    written = "{\n[l1] l1!m1.l1?m2;\n[l2] ;\n[l3,l4] l4!m1.l3?m3 \n}"
    assert read_multi_trace(written).length == 4
    assert read_multi_trace(write_multi_trace(read_multi_trace(written))).length == 4


@pytest.mark.parametrize("names", ["l{0}", "a"])
def test_a_reader_forgets_spellings_before_they_are_too_many(
    names: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MANY_SPELLINGS", 20)
    reader = MultiTraceReader()
    for number in range(200):
        name = names.format(number)
        text = f"{{[{name}] {name}!m{number}; [b] b!m.b!m{number}}}"
        assert reader.read(text).length == 3
        assert sum(1 + len(known.actions) for known in reader._heads.values()) <= 20


def remembered(monkeypatch: pytest.MonkeyPatch) -> tuple[int, int, int]:
    """How many components and layouts a reader remembers at most, and the length of the longest
    component."""
    monkeypatch.setattr(module, "SHORT", 40)
    reader = MultiTraceReader(("a", "b", "c"))
    components = layouts = longest = 0
    for number in range(60):
        name = f"x{number % 7}"
        text = f"{{[{name}] {'.'.join([name + '!m'] * (number % 20 + 1))};[b] b?m{number % 5}}}"
        assert reader.read(text) == reader.read_chunks([text])
        components = max(components, len(reader._components))
        layouts = max(layouts, len(reader._silent))
        longest = max(longest, *map(len, reader._components))
    return components, layouts, longest


def test_a_reader_remembers_few_components_and_only_short_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MANY_COMPONENTS", 8)
    monkeypatch.setattr(module, "MANY_LAYOUTS", 3)
    components, layouts, longest = remembered(monkeypatch)
    assert (components, layouts) == (8, 3)
    assert 30 < longest <= 40


def test_without_its_bounds_a_reader_would_remember_more(monkeypatch: pytest.MonkeyPatch) -> None:
    components, layouts, _ = remembered(monkeypatch)
    assert components > 8
    assert layouts > 3


def test_the_law_notices_components_that_are_remembered_by_their_lifelines_alone() -> None:
    reader = MultiTraceReader()
    whole = reader.read("{[a] a!m}")
    reader._components["[a] a?m"] = whole.components[0]  # planted
    assert judged(reader, ["{[a] a?m}"]) != judged(reader, ["{[a] a?m}", ""])


# ---------------------------------------------------------------- long logs


def long_text(actions: int) -> Iterator[str]:
    """A log of two components, in pieces that do not end where actions do."""
    words = [f"l1!m{number % 50}" for number in range(97)]
    yield "{[l1]\n"
    text = ".\n".join(words)
    for number in range(actions // len(words)):
        yield text if number == 0 else "." + text[:250]
        yield "" if number == 0 else text[250:]
    yield "; [l2] l2?x}"


def ends_as_said(text: str, at: int) -> bool:
    """Whether the end of a trace is where a regular expression finds it."""
    found = re.compile(r"[\[\]{};]").search(text, at)
    return _end_of_body(text, at) == (-1 if found is None else found.start())


@given(texts, st.integers(0, 10))
def test_the_end_of_a_trace_is_where_a_regular_expression_finds_it(text: str, at: int) -> None:
    assert ends_as_said(text, at)


@pytest.mark.parametrize("planted", [";}]{", ";}][", "}]{[", ";]{[", ";}{["])
def test_the_law_notices_a_sign_that_is_not_looked_for(
    monkeypatch: pytest.MonkeyPatch, planted: str
) -> None:
    monkeypatch.setattr(pieces, "BODY_ENDS", planted)
    assert find(texts, lambda text: not ends_as_said(text, 0))


def test_a_long_log_needs_few_bytes_an_action() -> None:
    """Measured at two lengths: what grows with the log must be small, whatever the rest is. A
    file of 100 MB has some 12 million actions such as these."""
    peaks, lengths = [], []
    for actions in (20_000, 120_000):
        tracemalloc.start()
        try:
            multitrace = MultiTraceReader().read_chunks(long_text(actions))
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        lengths.append(multitrace.length)
        trace = multitrace.components[0].actions
        assert isinstance(trace, CodedTrace)
        assert str(trace[98]) == "l1!m1"
    assert (peaks[1] - peaks[0]) / (lengths[1] - lengths[0]) <= 16


def test_a_long_text_in_memory_is_a_coded_trace_too() -> None:
    text = ".".join(["a!m"] * (LONG * 6))
    trace = read_multi_trace(text).components[0].actions
    assert isinstance(trace, CodedTrace)
    assert len(trace) == LONG * 6


@pytest.mark.parametrize("start", ["a!m.", "[", "{[a] a!m.a", "[#"])
def test_garbage_without_an_end_is_not_gathered(start: str) -> None:
    taken = 0

    def garbage() -> Iterator[str]:
        nonlocal taken
        yield start
        while True:
            taken += 1
            yield "x" * (LONGEST_ACTION // 4)

    with pytest.raises(DocumentError):
        MultiTraceReader().read_chunks(garbage())
    assert taken < 20
