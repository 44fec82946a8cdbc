"""`choreomon explore`, `mutate`, `slice`, `join`, `canonize` and `generate-interaction`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from choreomon.core.action import emission
from choreomon.hibou.model import read_interaction, read_signature
from choreomon.hibou.multitrace import read_multi_trace
from choreomon.interaction.measures import metrics
from choreomon.interaction.normal import normal
from choreomon.interaction_files.offline_json import (
    read_interaction_json,
    read_multi_trace_json,
    write_multi_trace_json,
)
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.multitrace.slices import is_multi_prefix, is_slice
from tests.cli.command_line import Answer, choreomon
from tests.cli.offline import INTERACTION, TRACES, write_offline_files

PASS = read_multi_trace(TRACES["pass.htf"])
SVG = "<svg"
PNG = b"\x89PNG\r\n"


@pytest.fixture(autouse=True)
def _files(place: Path) -> None:
    write_offline_files(place)


def made(answer: Answer) -> list[MultiTrace]:
    """The multi-traces that a command printed as JSON."""
    assert answer.code == 0, answer.err
    return [read_multi_trace_json(line) for line in answer.out.splitlines()]


def configure(text: str) -> None:
    Path("c.hcf").write_text(text, encoding="utf-8")


def files_of(folder: str) -> dict[str, str]:
    """The texts in a folder by the names of their files."""
    return {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}


class TestExplore:
    def explored(self, *options: object) -> dict[str, Any]:
        answer = choreomon("explore", "i.hif", *options, "--json")
        assert answer.code == 0, answer.err
        found = json.loads(answer.out)
        assert isinstance(found, dict)
        return found

    def test_says_how_large_the_tree_is(self) -> None:
        answer = choreomon("explore", "i.hif", "--max-depth", 2)
        assert answer.out == (
            "7 nodes, 8 steps cut off; the interaction may stop at 1 of them; the longest path "
            "has 2 actions\n"
        )

    def test_bounds_loops_where_nothing_else_is_bounded(self) -> None:
        nodes = self.explored()["nodes"]
        assert max(node["loop_depth"] for node in nodes) == 1

    def test_says_what_the_default_cut_off_and_how_to_go_further(self) -> None:
        answer = choreomon("explore", "i.hif")
        assert answer.err == (
            "cut off by default after 1 loop on a path: --max-loop-depth goes further\n"
        )
        assert choreomon("explore", "i.hif", "--max-loop-depth", 1).err == ""

    def test_nodes_are_bounded_where_nothing_else_is(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("choreomon.cli.interactions.explore.DEFAULT_NODES", 5)
        Path("wide.hif").write_text("par(a!x, b!x, c!x)", encoding="utf-8")
        further = "cut off by default at 5 nodes: --max-nodes goes further"
        answer = choreomon("explore", "wide.hif")
        assert answer.out.startswith("5 nodes, ")
        assert answer.err == further + "\n"
        assert choreomon("explore", "wide.hif", "--generate", "prefix").err.endswith(
            f"\n{further}\n"
        )
        assert choreomon("explore", "wide.hif", "--max-nodes", 99).out.startswith("16 nodes, ")
        assert choreomon("explore", "wide.hif", "--max-depth", 9).out.startswith("16 nodes, ")
        assert choreomon("explore", "i.hif").err == (
            "cut off by default after 1 loop on a path and at 5 nodes: --max-loop-depth and "
            "--max-nodes go further\n"
        )

    def test_json_says_what_bounded_the_tree(self) -> None:
        def bounds(*options: object) -> tuple[object, bool]:
            found = self.explored(*options)
            return found["bounds"], found["bounds_by_default"]

        none = {"max_depth": None, "max_loop_depth": None, "max_node_number": None}
        default = none | {"max_loop_depth": 1, "max_node_number": 30_000}
        assert bounds() == (default, True)
        assert bounds("--max-nodes", 9) == (none | {"max_node_number": 9}, False)
        configure("@explore_option{ filters = [max_depth = 2] }")
        assert bounds("--config", "c.hcf") == (none | {"max_depth": 2}, False)

    @pytest.mark.parametrize(
        ("option", "field", "bound"),
        [("--max-depth", "depth", 3), ("--max-loop-depth", "loop_depth", 2)],
    )
    def test_has_bounds_of_depth(self, option: str, field: str, bound: int) -> None:
        more = [] if option == "--max-depth" else ["--max-depth", "8"]
        assert max(n[field] for n in self.explored(option, bound, *more)["nodes"]) == bound

    def test_has_a_bound_of_nodes(self) -> None:
        assert len(self.explored("--max-nodes", 7)["nodes"]) == 7

    def test_strategies_visit_in_different_orders(self) -> None:
        orders = {
            tuple(
                (node["parent"], node["action"])
                for node in self.explored("--strategy", strategy, "--max-depth", 3)["nodes"]
            )
            for strategy in ("dfs", "bfs", "hcs")
        }
        assert len(orders) == 3

    def test_priorities_and_seeds_say_what_comes_first(self) -> None:
        deep = ["--strategy", "dfs", "--max-nodes", "5"]

        def actions(*options: str) -> list[str]:
            return [str(node["action"]) for node in self.explored(*deep, *options)["nodes"]]

        assert actions("--priority", "reception=1") != actions("--priority", "emission=1")
        assert actions("--priority", "loop=-1") == actions()
        assert len({tuple(actions("--seed", str(seed))) for seed in range(8)}) > 1
        assert actions("--seed", "3") == actions("--seed", "3")

    def test_a_configuration_is_read_and_options_come_before_it(self) -> None:
        Path("c.hcf").write_text(
            "@explore_option{ strategy = DFS; filters = [max_depth = 2, max_node_number = 9] }",
            encoding="utf-8",
        )
        assert max(n["depth"] for n in self.explored("--config", "c.hcf")["nodes"]) == 2
        wider = self.explored("--config", "c.hcf", "--max-depth", 3)["nodes"]
        assert max(n["depth"] for n in wider) == 3
        Path("c.hcf").write_text("@analyze_option{ strategy = DFS }", encoding="utf-8")
        answer = choreomon("explore", "i.hif", "--config", "c.hcf")
        assert (answer.code, answer.err) == (2, "c.hcf: has no section @explore_option{..}\n")

    @pytest.mark.parametrize("kind", ["exact", "prefix", "terminal"])
    def test_makes_multi_traces_that_verify_agrees_about(self, kind: str) -> None:
        options = ["--generate", kind, "--traces", "made", "--max-depth", 4]
        answer = choreomon("explore", "i.hif", *options)
        assert answer.code == 0
        written, cut = answer.err.splitlines()
        assert written.endswith(" multi-traces written to made")
        assert cut.startswith("made of a part of the tree: 31 nodes, 32 steps cut off; ")
        mode = "accept" if kind == "exact" else "prefix"
        assert choreomon("verify", "-i", "i.hif", "made", "--mode", mode).code == 0

    def test_traces_without_generate_are_accepted_ones(self) -> None:
        assert choreomon("explore", "i.hif", "--traces", "made").code == 0
        choreomon("explore", "i.hif", "--traces", "asked", "--generate", "exact")
        assert files_of("made") == files_of("asked") != {}

    def test_says_that_no_end_was_reached_and_how_to_get_there(self) -> None:
        none = "no end was reached in 2 nodes"
        asked = ["explore", "i.hif", "--generate", "exact", "--max-nodes", 2]
        answer = choreomon(*asked)
        assert (answer.code, answer.out) == (0, "")
        assert answer.err.startswith(f"{none}: --strategy dfs gets there sooner\nmade of a part")
        assert choreomon(*asked, "--strategy", "dfs").err.startswith(f"{none}\nmade of a part")
        assert choreomon(*asked, "--max-depth", 0).err.startswith("no end was reached in 1 node\n")
        configure("@explore_option{ filters = [max_node_number = 2]; loggers = [tracegen[exact]] }")
        answer = choreomon("explore", "i.hif", "--config", "c.hcf")
        assert f"{none}: --strategy dfs gets there sooner\n" in answer.err

    def test_says_nothing_of_ends_where_one_was_reached_or_none_is_needed(self) -> None:
        for kind, nodes in ("exact", 9), ("prefix", 2), ("terminal", 2):
            asked = ["explore", "i.hif", "--generate", kind, "--max-nodes", nodes]
            assert "no end" not in choreomon(*asked).err

    def test_loops_are_bounded_where_a_configuration_bounds_nothing(self) -> None:
        configure("@explore_option{ strategy = DFS }")
        nodes = self.explored("--config", "c.hcf")["nodes"]
        assert max(node["loop_depth"] for node in nodes) == 1

    def test_a_tree_with_nodes_that_are_reached_twice_cannot_be_asked_for(self) -> None:
        configure("@explore_option{ memoize = true }")
        answer = choreomon("explore", "i.hif", "--config", "c.hcf")
        assert (answer.code, answer.out) == (2, "")
        assert answer.err.startswith("c.hcf: memoize = true is not supported by explore")

    @pytest.mark.parametrize("by", ["--partition", "--config"])
    def test_a_partition_of_what_is_no_lifeline_is_bad_usage(self, by: str) -> None:
        Path("c.hcf").write_text(
            "@explore_option{ loggers = [tracegen[exact, partition={(a,bank),(nobody)}]] }",
            encoding="utf-8",
        )
        options = {"--partition": ["a,bank;nobody", "--generate", "exact"], "--config": ["c.hcf"]}
        answer = choreomon("explore", "i.hif", by, *options[by])
        assert (answer.code, answer.out) == (2, "")
        said = " ".join(answer.err.replace("│", " ").split())
        assert f"Invalid value for {by}" in said
        assert "no lifeline is called bank or nobody: there are a, b, c" in said

    def test_lifelines_that_only_the_signature_declares_may_be_in_a_partition(self) -> None:
        Path("more.hsf").write_text("@message{m;n;k} @lifeline{a;b;c;d}", encoding="utf-8")
        asked = ["explore", "i.hif", "--generate", "exact", "--partition", "a,d"]
        assert choreomon(*asked).code == 2
        assert choreomon(*asked, "-s", "more.hsf").code == 0

    @pytest.mark.parametrize(
        ("partition", "expected"),
        [
            ("discrete", [("a",), ("b",), ("c",)]),
            ("trivial", [("a", "b", "c")]),
            ("c,a", [("a", "c"), ("b",)]),
            ("b;c", [("b",), ("c",), ("a",)]),
        ],
    )
    def test_partitions_say_who_shares_a_clock(
        self, partition: str, expected: list[tuple[str, ...]]
    ) -> None:
        answer = choreomon(
            "explore", "i.hif", "--generate", "exact", "--partition", partition, "--json"
        )
        assert {tuple(part.lifelines for part in one.components) for one in made(answer)} == {
            tuple(expected)
        }

    def test_draws_the_tree(self) -> None:
        for name in ("t.svg", "t.png"):
            assert choreomon("explore", "i.hif", "-o", name).code == 0
        assert SVG in Path("t.svg").read_text(encoding="utf-8")
        assert Path("t.png").read_bytes().startswith(PNG)

    def test_a_signature_is_checked(self) -> None:
        assert choreomon("explore", "i.hif", "-s", "s.hsf").code == 0
        Path("s.hsf").write_text("@message{m} @lifeline{a;b;c}", encoding="utf-8")
        answer = choreomon("explore", "i.hif", "-s", "s.hsf")
        assert answer.code == 2
        assert "unknown message 'n'" in answer.err

    @pytest.mark.parametrize(
        "options",
        [
            ["--partition", "trivial"],
            ["-o", "tree.txt"],
            ["--priority", "emission"],
            ["--priority", "silence=1"],
            ["--priority", "emission=" + 19 * "9"],
            ["--generate", "exact", "--partition", "a,;b"],
            ["--generate", "exact", "--partition", "bank,a"],
            ["--generate", "exact", "--partition", "a;a"],
            ["--max-nodes", "0"],
            ["--strategy", "portfolio"],
        ],
        ids=" ".join,
    )
    def test_wrong_options_are_bad_usage(self, options: list[str]) -> None:
        answer = choreomon("explore", "i.hif", *options)
        assert (answer.code, answer.out) == (2, "")
        assert "Usage: choreomon explore" in answer.err


class TestLoggersOfAnExploration:
    """The slices paper, Fig. 17."""

    FIGURE_17 = (
        "@explore_option{ loggers = [graphic[svg,vertical], tracegen[generation = exact, "
        "partition={(a,b),(c)}]]; strategy = HCS; filters = [max_depth = 35, max_loop_depth = 1, "
        "max_node_number = 25]; priorities = random }"
    )

    def test_the_configuration_of_the_paper_draws_and_writes(self) -> None:
        configure(self.FIGURE_17)
        answer = choreomon("explore", "i.hif", "--config", "c.hcf")
        assert answer.code == 0
        assert answer.out.startswith("14 nodes, 15 steps cut off;")
        assert answer.err == "i-tree.svg written\n3 multi-traces written to i-traces\n"
        picture = Path("i-tree.svg").read_text(encoding="utf-8")
        assert "exploration, strategy: hcs" in picture
        assert "Sequence diagram: " in picture
        made = [read_multi_trace(text) for text in files_of("i-traces").values()]
        assert {tuple(p.lifelines for p in one.components) for one in made} == {
            (("a", "b"), ("c",))
        }
        assert choreomon("verify", "-i", "i.hif", "i-traces", "--mode", "accept").code == 0

    @pytest.mark.parametrize("generation", ["exact", "prefix", "terminal"])
    @pytest.mark.parametrize("partition", ["discrete", "trivial"])
    def test_a_logger_writes_what_the_options_would(self, generation: str, partition: str) -> None:
        logger = f"tracegen[{generation}, partition={partition}, folder=f, name_prefix=p]"
        configure(f"@explore_option{{ filters = [max_depth = 4]; loggers = [{logger}] }}")
        assert choreomon("explore", "i.hif", "--config", "c.hcf").code == 0
        options = ["--generate", generation, "--partition", partition, "--traces", "g"]
        assert choreomon("explore", "i.hif", "--max-depth", 4, *options).code == 0
        renamed = {name.replace("i-", "p-", 1): text for name, text in files_of("g").items()}
        assert files_of("f") == renamed != {}

    def test_options_come_before_loggers(self) -> None:
        configure(self.FIGURE_17)
        asked = ["explore", "i.hif", "--config", "c.hcf", "--max-depth", 3]
        options = [
            "--generate",
            "prefix",
            "--partition",
            "discrete",
            "--traces",
            "f",
            "-o",
            "t.png",
        ]
        answer = choreomon(*asked, *options)
        assert (answer.code, answer.out) == (0, "")
        assert Path("t.png").read_bytes().startswith(PNG)
        assert not Path("i-tree.svg").exists()
        assert not Path("i-traces").exists()
        assert {name.split("-")[1] for name in files_of("f")} == {"prefix"}
        read = read_multi_trace(files_of("f")["i-prefix-1.htf"])
        assert [part.lifelines for part in read.components] == [("a",), ("b",), ("c",)]

    def test_draws_diagrams_in_place_of_terms_where_asked(self) -> None:
        assert choreomon("explore", "i.hif", "-o", "t.svg", "--nodes", "diagram").code == 0
        assert "Sequence diagram" in Path("t.svg").read_text(encoding="utf-8")
        answer = choreomon("explore", "i.hif", "--nodes", "diagram")
        assert answer.code == 2
        assert "--nodes can only be used with -o" in answer.err

    def test_several_loggers_write_files_of_their_own(self) -> None:
        configure("""@explore_option{ filters = [max_depth = 2]; loggers = [
            graphic[svg,name=one], graphic[png,horizontal,folder=pictures],
            tracegen[prefix,partition=discrete], tracegen[prefix,partition=trivial]] }""")
        assert choreomon("explore", "i.hif", "--config", "c.hcf").code == 0
        assert Path("one.svg").exists()
        assert Path("pictures/i-tree.png").read_bytes().startswith(PNG)
        assert "i-prefix-1-again-2.htf" in files_of("i-traces")

    @pytest.mark.parametrize("folder", ["", ",folder=here"])
    def test_two_loggers_cannot_write_one_picture(self, folder: str) -> None:
        Path("here").symlink_to(".")
        configure(f"@explore_option{{ loggers = [graphic[svg], graphic[svg,horizontal{folder}]] }}")
        answer = choreomon("explore", "i.hif", "--config", "c.hcf")
        assert (answer.code, answer.out) == (2, "")
        written = Path("here" if folder else "") / "i-tree.svg"
        assert answer.err.startswith(f"c.hcf: two pictures would be {written}")

    @pytest.mark.parametrize(
        ("settings", "shown", "hidden"),
        [
            (
                "draw_sd=false",
                ["exploration, strategy"],
                ["Sequence diagram: ", "Term of"],
            ),
            (
                "draw_legend=false",
                ["Sequence diagram: "],
                ["exploration, strategy"],
            ),
            ("draw_tt=true,draw_sd=false", ["Term of "], ["Sequence diagram: "]),
        ],
    )
    def test_a_logger_says_what_is_drawn(
        self, settings: str, shown: list[str], hidden: list[str]
    ) -> None:
        configure(f"@explore_option{{ loggers = [graphic[svg,{settings}]] }}")
        assert choreomon("explore", "i.hif", "--config", "c.hcf").code == 0
        picture = Path("i-tree.svg").read_text(encoding="utf-8")
        assert all(words in picture for words in shown)
        assert not any(words in picture for words in hidden)


class TestMutate:
    @pytest.mark.parametrize("kind", ["insert", "swap-actions", "remove"])
    def test_makes_mutants_that_differ(self, kind: str) -> None:
        mutants = made(choreomon("mutate", "pass.htf", "--kind", kind, "--number", 9, "--json"))
        assert len(mutants) == 9
        assert len({*mutants}) > 1
        assert PASS not in mutants

    def test_swaps_components_of_two(self) -> None:
        Path("other.htf").write_text("{ [a] ; [b] b?m; [c] c!k }", encoding="utf-8")
        options = ["--kind", "swap-components", "--seed", 4, "--json"]
        first, second = made(choreomon("mutate", "pass.htf", "other.htf", *options))
        assert first != PASS
        assert second.length + first.length != 0

    def test_tries_all_others_before_it_gives_up_swapping_components(self) -> None:
        Path("same.htf").write_text(TRACES["pass.htf"], encoding="utf-8")
        Path("other.htf").write_text("{ [a] ; [b] b?m; [c] c!k }", encoding="utf-8")
        drawn = set()
        for seed in range(8):
            asked = ["mutate", "pass.htf", "same.htf", "other.htf", "--kind", "swap-components"]
            answer = choreomon(*asked, "--seed", seed, "--json")
            assert len(made(answer)) == 3
            assert answer.err == ""
            assert choreomon(*asked, "--seed", seed, "--json").out == answer.out
            drawn.add(answer.out)
        assert len(drawn) > 1

    def test_removes_as_many_actions_as_asked_for(self) -> None:
        options = ["--kind", "remove", "--actions", 4, "--json"]
        (mutant,) = made(choreomon("mutate", "pass.htf", *options))
        assert mutant.length == PASS.length - 4

    def test_inserts_what_a_signature_declares(self) -> None:
        Path("s.hsf").write_text("@message{m;n;k;zzz} @lifeline{a;b;c}", encoding="utf-8")
        options = ["--kind", "insert", "--number", 40, "--json"]
        answer = choreomon("mutate", "pass.htf", *options, "--signature", "s.hsf")
        assert "zzz" in answer.out
        assert "zzz" not in choreomon("mutate", "pass.htf", *options).out

    def test_one_seed_gives_one_result(self) -> None:
        outputs = [
            choreomon("mutate", "pass.htf", "--kind", "insert", "--number", 9, "--seed", seed).out
            for seed in (1, 1, -1, 2)
        ]
        assert outputs[0] == outputs[1]
        assert len({*outputs}) == 3

    def test_writes_a_file_for_each(self) -> None:
        answer = choreomon("mutate", "pass.htf", "--kind", "insert", "--number", 2, "-o", "out")
        assert (answer.out, answer.err) == ("", "2 multi-traces written to out\n")
        assert sorted(path.name for path in Path("out").iterdir()) == [
            "pass-insert-1.htf",
            "pass-insert-2.htf",
        ]

    def test_files_of_one_name_are_not_written_over_each_other(self) -> None:
        for folder in ("x", "y"):
            Path(folder).mkdir()
            Path(folder, "t.htf").write_text(TRACES["pass.htf"], encoding="utf-8")
        answer = choreomon("mutate", "x", "y", "--kind", "insert", "-o", "out")
        assert answer.code == 0
        assert sorted(path.name for path in Path("out").iterdir()) == [
            "t-insert-1-again-2.htf",
            "t-insert-1.htf",
        ]

    @pytest.mark.parametrize(
        ("kind", "why"),
        [
            ("insert", "nothing to insert: no message is known; --signature says which there are"),
            ("swap-actions", "nothing to swap: no component has two different actions"),
            ("swap-components", "nothing to swap: no other multi-trace differs from it in two"),
            ("remove", "nothing to remove: there are fewer actions than --actions says"),
        ],
    )
    def test_what_cannot_be_changed_is_said_and_left_out(self, kind: str, why: str) -> None:
        Path("empty.htf").write_text("{ [a]; [b] }", encoding="utf-8")
        other = {"insert": [], "swap-components": ["empty.htf"]}.get(kind, ["pass.htf"])
        answer = choreomon("mutate", "empty.htf", *other, "--kind", kind, "--json")
        assert len(answer.out.splitlines()) == (other == ["pass.htf"])
        *said, last = answer.err.splitlines()
        assert said
        assert all(line.startswith(f"empty.htf: {why}") for line in said)
        made_of = "1 of 2 mutants" if other == ["pass.htf"] else f"0 of {1 + len(other)} mutant"
        assert last.startswith(made_of)
        assert answer.code == (0 if other == ["pass.htf"] else 2)

    def test_how_many_mutants_were_made_is_said_where_some_were_not(self) -> None:
        Path("empty.htf").write_text("{ [a]; [b]; [c] }", encoding="utf-8")
        asked = ["mutate", "pass.htf", "empty.htf", "--kind", "remove", "--number", 3, "-o", "made"]
        assert choreomon(*asked).err.splitlines()[1:] == [
            "3 multi-traces written to made",
            "3 of 6 mutants made",
        ]
        asked.remove("empty.htf")
        assert choreomon(*asked).err == "3 multi-traces written to made\n"

    @pytest.mark.parametrize(
        "options",
        [
            [],
            ["--kind", "twist"],
            ["--kind", "remove", "--actions", "0"],
            ["--kind", "insert", "--actions", "2"],
            ["--kind", "insert", "--actions", "1"],
            ["--kind", "remove", "--signature", "s.hsf"],
            ["--kind", "swap-components"],
            ["--kind", "insert", "--number", "0"],
        ],
        ids=" ".join,
    )
    def test_wrong_options_are_bad_usage(self, options: list[str]) -> None:
        answer = choreomon("mutate", "pass.htf", *options)
        assert (answer.code, answer.out) == (2, "")
        assert "Usage: choreomon mutate" in answer.err

    def test_components_of_different_partitions_are_bad_input(self) -> None:
        Path("shared.htf").write_text("{ [a,b] a!m; [c] }", encoding="utf-8")
        answer = choreomon("mutate", "pass.htf", "shared.htf", "--kind", "swap-components")
        assert answer.code == 2
        assert answer.err.startswith("Error: pass.htf and shared.htf: the multi-traces are over")
        assert answer.err.endswith(": give multi-traces over the same clocks\n")

    def test_a_file_that_cannot_be_read_is_bad_input(self) -> None:
        answer = choreomon("mutate", "bad.htf", "--kind", "insert")
        assert answer.code == 2
        assert answer.err.startswith("bad.htf:1: ")


class TestSlice:
    def test_cuts_pieces_out(self) -> None:
        pieces = made(choreomon("slice", "pass.htf", "--number", 20, "--json"))
        assert len(pieces) == 20
        assert all(is_slice(piece, PASS) for piece in pieces)
        assert not all(is_multi_prefix(piece, PASS) for piece in pieces)

    def test_cuts_only_ends_off_where_prefixes_are_asked_for(self) -> None:
        pieces = made(choreomon("slice", "pass.htf", "--prefixes", "--number", 20, "--json"))
        assert all(is_multi_prefix(piece, PASS) for piece in pieces)
        assert len({*pieces}) > 5

    def test_leaves_at_least_the_share_that_is_asked_for(self) -> None:
        for piece in made(choreomon("slice", "pass.htf", "--wide", "2/3", "--number", 9, "--json")):
            lengths = [len(part.actions) for part in piece.components]
            assert all(now >= least for now, least in zip(lengths, (1, 2, 2), strict=True))

    def test_all_are_all_and_a_number_bounds_them(self) -> None:
        whole = made(choreomon("slice", "weak.htf", "--all", "--prefixes", "--json"))
        assert len(whole) == len({*whole}) == 2 * 3 * 1
        some = made(choreomon("slice", "weak.htf", "--all", "--number", 4, "--json"))
        assert len(some) == 4

    def test_one_seed_gives_one_result(self) -> None:
        asked = ["slice", "pass.htf", "--number", 9]
        outputs = [choreomon(*asked, "--seed", seed).out for seed in (1, 1, -1, 2)]
        assert outputs[0] == outputs[1]
        assert len({*outputs}) == 3

    def test_prints_hibou_s_format_or_writes_it(self) -> None:
        answer = choreomon("slice", "pass.htf", "--wide", "1")
        assert read_multi_trace(answer.out) == PASS
        assert choreomon("slice", "pass.htf", "--wide", "1", "-o", "out").out == ""
        assert read_multi_trace(Path("out/pass-slice-1.htf").read_text(encoding="utf-8")) == PASS

    @pytest.mark.parametrize(
        "options",
        [
            ["--wide", "2"],
            ["--wide", "much"],
            ["--wide", "1/0"],
            ["--wide", "1e-999999999"],
            ["--all", "--wide", "1/2"],
            ["--all", "--wide", "0"],
            ["--all", "--seed", "0"],
            ["--number", "0"],
        ],
        ids=" ".join,
    )
    def test_wrong_options_are_bad_usage(self, options: list[str]) -> None:
        answer = choreomon("slice", "pass.htf", *options)
        assert (answer.code, answer.out) == (2, "")
        assert "Usage: choreomon slice" in answer.err


class TestJoin:
    """What the machines of `pass.htf` recorded, each in a file of its own."""

    @pytest.fixture(autouse=True)
    def _machines(self) -> None:
        Path("machines").mkdir()
        for part in PASS.components:
            text = str(MultiTrace((part,)))
            Path("machines", f"{part.lifelines[0]}.htf").write_text(text, encoding="utf-8")

    def test_puts_the_logs_of_a_run_together(self) -> None:
        assert read_multi_trace(choreomon("join", "machines").out) == PASS
        assert made(choreomon("join", "machines", "--json")) == [PASS]
        files = ["machines/a.htf", "machines/b.htf", "machines/c.htf"]
        for name in ("run.htf", "run.json"):
            answer = choreomon("join", *files, "-o", name)
            assert (answer.code, answer.out) == (0, "")
            assert choreomon("verify", "-i", "i.hif", name, "--mode", "accept").code == 0

    def test_is_what_verify_speaks_of_where_files_are_about_different_machines(self) -> None:
        apart = choreomon("verify", "-i", "i.hif", "machines", "--json")
        assert "if they are the logs of one run, `choreomon join` makes one file" in apart.err
        assert choreomon("verify", "-i", "i.hif", "pass.htf", "weak.htf").err == ""

    def test_refuses_two_logs_of_one_machine(self) -> None:
        answer = choreomon("join", "machines", "weak.htf")
        assert (answer.code, answer.out) == (2, "")
        assert "a has a log in machines/a.htf and in weak.htf; of one run" in answer.err

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            (["pass.htf", "-o", "pass.htf"], "pass.htf: is read, too"),
            (["pass.htf", "-o", "x.htf", "--json"], "is JSON only where it ends in .json"),
            (["unknown.htf", "-s", "s.hsf"], "unknown.htf:1: unknown message 'x'"),
            (["missing.htf"], "missing.htf: cannot be read: there is no such file"),
            ([], "Missing argument"),
        ],
    )
    def test_tells_bad_usage_and_input(self, options: list[str], told: str) -> None:
        answer = choreomon("join", *options)
        assert answer.code == 2
        assert told in answer.err
        assert not Path("x.htf").exists()

    def test_says_how_to_write_names_that_the_format_cannot_hold(self) -> None:
        text = write_multi_trace_json(multi_trace([component(["a-b"], [emission("a-b", "m")])]))
        Path("dash.json").write_text(text, encoding="utf-8")
        answer = choreomon("join", "dash.json")
        assert answer.code == 2
        assert "--json" in answer.err
        assert choreomon("join", "dash.json", "--json").code == 0
        refused = choreomon("slice", "dash.json", "-o", "pieces")
        assert refused.code == 2
        assert "JSON has no such limit: use --json" in refused.err
        assert not Path("pieces").exists(), "it would be empty"


class TestCanonize:
    def test_prints_the_normal_form(self) -> None:
        Path("x.hif").write_text("seq(o, alt(a -- m ->|, a -- m ->|, o))", encoding="utf-8")
        answer = choreomon("canonize", "x.hif")
        assert answer.code == 0
        assert read_interaction(answer.out) is normal(read_interaction("alt(a -- m ->|, o)"))

    def test_simplifying_takes_out_what_is_redundant_and_sorts_nothing(self) -> None:
        Path("x.hif").write_text("par(o, par(b -- n ->|, a -- m ->|))", encoding="utf-8")
        simple = read_interaction("par(b -- n ->|, a -- m ->|)")
        answer = choreomon("canonize", "x.hif", "--simplify")
        assert read_interaction(answer.out) is simple
        assert read_interaction(choreomon("canonize", "x.hif").out) is normal(simple)

    def test_writes_files(self) -> None:
        for name in ("n.hif", "n.json"):
            answer = choreomon("canonize", "i.hif", "-o", name)
            assert (answer.code, answer.out) == (0, "")
        form = normal(read_interaction(INTERACTION))
        assert read_interaction(Path("n.hif").read_text(encoding="utf-8")) is form
        assert read_interaction_json(Path("n.json").read_text(encoding="utf-8")) is form

    def test_json_has_both_forms_and_their_sizes(self) -> None:
        found = json.loads(choreomon("canonize", "i.hif", "--json", "-s", "s.hsf").out)
        assert [*found] == ["given", "normal", "metrics"]
        given = read_interaction(found["given"])
        assert given is read_interaction(INTERACTION)
        assert found["metrics"]["given"]["symbols"] == metrics(given).symbols

    def test_a_configuration_that_changes_nothing_is_told(self) -> None:
        configure("@canonize_option{ strategy = DFS; memoize = false; priorities = random }")
        answer = choreomon("canonize", "i.hif", "--config", "c.hcf")
        assert (answer.code, answer.out) == (0, choreomon("canonize", "i.hif").out)
        assert answer.err == (
            "c.hcf: no effect here, since nothing is searched: strategy, randomize, memoize\n"
        )
        configure("@canonize_option{ }")
        assert choreomon("canonize", "i.hif", "--config", "c.hcf").err == ""

    @pytest.mark.parametrize(
        ("section", "problem"),
        [
            ("@canonize_option{ loggers = [graphic[svg]] }", "loggers are not supported"),
            ("@canonize_option{ search_all = true }", "search_all is not supported"),
            ("@explore_option{ }", "has no section @canonize_option{..}"),
        ],
    )
    def test_what_only_a_search_by_rewriting_could_show_is_refused(
        self, section: str, problem: str
    ) -> None:
        configure(section)
        answer = choreomon("canonize", "i.hif", "--config", "c.hcf")
        assert (answer.code, answer.out) == (2, "")
        assert answer.err.startswith(f"c.hcf: {problem}")

    def test_names_that_hibou_cannot_write_are_told(self) -> None:
        choreomon("canonize", "i.hif", "-o", "n.json")
        text = Path("n.json").read_text(encoding="utf-8").replace("a!m", "a-b!m")
        Path("n.json").write_text(text, encoding="utf-8")
        answer = choreomon("canonize", "n.json")
        assert answer.code == 2
        assert "n.json: 'a-b' cannot be written in HIBOU's files" in answer.err
        assert "use -o NAME.json" in answer.err
        assert "without --json" in choreomon("canonize", "n.json", "--json").err
        assert choreomon("canonize", "n.json", "-o", "again.json").code == 0


@pytest.mark.parametrize("command", [["slice"], ["mutate", "--kind", "insert"]], ids=" ".join)
@pytest.mark.parametrize("folder", ["logs", "./logs/../logs", "link"])
def test_pieces_are_not_written_into_a_folder_that_is_read(command: list[str], folder: str) -> None:
    Path("logs").mkdir()
    Path("link").symlink_to("logs")
    for name in ("a.htf", "a-slice-1.htf"):
        Path("logs", name).write_text("{ [a] a!m }", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in Path("logs").iterdir()}
    answer = choreomon(*command, "logs", "-o", folder)
    assert (answer.code, answer.out) == (2, "")
    assert "which is read: name another folder" in " ".join(answer.err.split())
    assert {path.name: path.read_bytes() for path in Path("logs").iterdir()} == before


class TestGenerateInteraction:
    def drawn(self, *options: object) -> str:
        answer = choreomon("generate-interaction", *options)
        assert answer.code == 0, answer.err
        return answer.out

    def test_draws_what_is_asked_for(self) -> None:
        options = ["--min-depth", 5, "--min-symbols", 12, "--max-symbols", 40, "--lifelines", 2]
        for seed in range(5):
            drawn = metrics(read_interaction(self.drawn(*options, "--seed", seed)))
            assert drawn.depth >= 5
            assert 12 <= drawn.symbols <= 40
            assert {*drawn.lifelines} <= {"l1", "l2"}

    def test_names_may_be_given(self) -> None:
        options = ["--lifelines", "ann, ben", "--messages", "hi", "--min-depth", 2]
        drawn = metrics(read_interaction(self.drawn(*options, "--min-symbols", 5)))
        assert {*drawn.lifelines} <= {"ann", "ben"}
        assert drawn.messages == ("hi",)

    def test_operators_may_be_given(self) -> None:
        options = ["--min-depth", 3, "--min-symbols", 8, "--number", 20]
        assert "loopH" in self.drawn(*options, "--operators", "all")
        assert "loopH" not in self.drawn(*options)
        some = self.drawn(*options, "--operators", "alt,loopS")
        assert not any(name in some for name in ("strict", "seq", "par", "loopW", "loopP"))

    def test_one_seed_gives_one_result(self) -> None:
        drawn = [self.drawn("--seed", seed) for seed in (7, 7, -7, 8)]
        assert drawn[0] == drawn[1]
        assert len({*drawn}) == 3

    def test_writes_files_and_the_signature(self) -> None:
        options = ["--number", 2, "-o", "r.hif", "--signature", "r.hsf", "--messages", "x,y"]
        assert self.drawn(*options) == ""
        declared = read_signature(Path("r.hsf").read_text(encoding="utf-8"))
        assert declared.messages == ("x", "y")
        for name in ("r-1.hif", "r-2.hif"):
            assert choreomon("canonize", name, "-s", "r.hsf").code == 0
        assert self.drawn("-o", "one.json", "--signature", "one-s.json") == ""
        assert choreomon("canonize", "one.json", "-s", "one-s.json").code == 0

    def test_prints_json_on_request(self) -> None:
        text = self.drawn("--json", "--seed", 3)
        assert read_interaction_json(text) is read_interaction(self.drawn("--seed", 3))

    @pytest.mark.parametrize(
        "options",
        [
            ["--lifelines", "0"],
            ["--messages", "9999999999"],
            ["--messages", "a,,b"],
            ["--messages", "a,a"],
            ["--operators", "seq,join"],
            ["--min-symbols", "30", "--max-symbols", "10"],
            ["--lifelines", "a-b"],
            ["--lifelines", "a-b", "--json", "--signature", "x.hsf"],
            ["--json", "-o", "x.hif"],
            ["-o", "x.hif", "--signature", "x.hif"],
            ["-o", "x.hif", "--signature", "../here/x-2.hif", "--number", "2"],
        ],
        ids=" ".join,
    )
    def test_wrong_options_are_bad_usage(self, options: list[str]) -> None:
        folder = Path("here")
        folder.mkdir()
        os.chdir(folder)
        answer = choreomon("generate-interaction", *options)
        assert (answer.code, answer.out) == (2, "")
        assert "Usage: choreomon generate-interaction" in answer.err
        assert [*Path().iterdir()] == []

    def test_where_nothing_can_be_written_is_found_out_before_anything_is_drawn(self) -> None:
        Path("file").touch()
        answer = choreomon("generate-interaction", "-o", "file/x.hif", "--number", "2")
        assert (answer.code, answer.out) == (2, "")
        assert answer.err == "Error: file: is no folder: name another one\n"
