"""Who may import whom, what the pure packages may touch, and what every module owes its
readers. import-linter says some of it too; here it needs nothing but the source."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("choreomon", "simulator")

BYTES = (
    *("files", "documents", "logs", "hibou", "diagrams", "interaction_files", "sessions"),
    *("agent_files", "reports"),
)
"""Rooms where bytes come in or go out."""
SHOWN = ("sentences", "pictures", "terminal", "pages")
"""Rooms where values become what people look at."""
OFFLINE = ("interaction", "multitrace", "automata", "verify")

LAYERS = {
    "core": (),
    "properties": ("core",),
    "monitor": ("core", "properties"),
    "interaction": ("core",),
    "multitrace": ("core",),
    "automata": ("core",),
    "verify": ("core", "interaction", "multitrace", "automata"),
    "actors": ("core",),
    "audit": ("core", "properties", "monitor"),
    "possible": ("core", "properties", "interaction", "automata", "actors"),
    "files": ("core",),
    "hibou": ("core", "interaction", "multitrace", "verify"),
    "logs": ("core", "files", "hibou", "multitrace"),
    "diagrams": ("core", "hibou", "interaction"),
    "interaction_files": ("core", *OFFLINE, "files", "hibou", "diagrams", "logs"),
    "documents": (
        *("core", "properties", "actors", "interaction"),
        *("files", "hibou", "interaction_files"),
    ),
    "sessions": ("core", "files", "hibou", "interaction_files"),
    "agent_files": ("core", "properties", "monitor", "files"),
    "reports": ("core", "automata", "verify", "audit", "logs"),
    "sentences": ("core", "properties", "verify"),
    "pictures": ("core", "properties", *OFFLINE, "sentences"),
    "terminal": ("core", "properties", "verify", "audit", "sentences", "pictures"),
    "pages": (
        *("core", "properties", "interaction", "audit", "verify"),
        *("sentences", "pictures", "terminal"),
    ),
    "batch": ("core", "properties", *OFFLINE, "audit", *BYTES),
    "runtime": ("core", "monitor", "files", "logs", "agent_files"),
    "sdk": ("core", "agent_files"),
    "proxies": ("core", "agent_files", "runtime", "sdk"),
    "opentelemetry": ("core", "agent_files", "logs", "sdk"),
    "deployment": ("core", "properties", "actors", "documents", "agent_files", "runtime", "sdk"),
    "testing": (
        *("core", "properties", "files", "documents", "logs", "agent_files"),
        *("sentences", "terminal", "pages", "sdk", "deployment"),
    ),
    "experiments": (
        *("core", "properties", "monitor", *OFFLINE, "actors", "files", "hibou"),
        *("sentences", "pictures", "pages"),
    ),
    "cli": (
        *("core", "properties", *OFFLINE, "actors", "audit", "possible", *BYTES, *SHOWN),
        *("batch", "runtime", "proxies", "deployment", "experiments"),
    ),
}
"""What each package of `choreomon` may import, besides itself."""

MORE = {"choreomon.sdk.embedded": ("runtime",)}
"""What single modules may import beyond that."""

SIMULATOR_MAY_IMPORT = (
    *("core", "properties", "monitor", "multitrace", "actors"),
    *("documents", "agent_files", "logs", "reports"),
)
SIMULATING = {("cli", True), ("experiments", True), ("experiments", False)}
"""The packages that know the simulator, commands only within a function."""
PURE = (
    *("core", "properties", "monitor", "interaction", "multitrace", "automata", "verify"),
    *("actors", "audit", "possible"),
)
IMPURE = {
    "os",
    "io",
    "time",
    "random",
    "secrets",
    "uuid",
    "socket",
    "logging",
    "asyncio",
    "pathlib",
    "threading",
    "subprocess",
    "datetime",
    "tempfile",
    "sys",
    "shutil",
}
SEEDED = ("choreomon.actors.randomness", "random")
"""The one import that is pure all the same: generators, each made from a seed and a name."""
THIRD_PARTY = {
    "click": "cli",
    "rich": "cli terminal",
    "matplotlib": "pictures",
    "pydantic": "interaction_files",
    "yaml": "files",
    "immutables": "monitor runtime",
    "msgspec": ("files logs interaction_files sessions agent_files runtime deployment experiments"),
    "zmq": "runtime deployment",
    "uvloop": "runtime",
    "prometheus_client": "runtime",
    "regex": "logs",
    "numpy": "automata batch sessions",
    "pyarrow": "sessions",
    "psycopg": "runtime",
    "ray": "batch",
    "pytest": "testing",
    "opentelemetry": "opentelemetry",
    "wrapt": "opentelemetry",
    "faststream": "sdk",
    "grpc": "sdk",
    "paho": "sdk",
}
"""Where each dependency may be imported."""

GUIDELINE = 400
"""Lines of a module. A longer one is no fault where it is still one idea; it is named here then."""
LONGER = {
    "choreomon/runtime/driver.py": "what is taken, committed and let out, and in which order",
    "choreomon/runtime/network/peers.py": "sockets to other agents, and what of them may change",
    "choreomon/sdk/session.py": "the service's side of the protocol, all that it decides",
    "choreomon/interaction/term.py": "a term, how it is made, and which ones there are",
    "choreomon/verify/beam_search.py": "one search, and what it prefers and leaves out",
}


LONG_FUNCTIONS = {
    "choreomon/runtime/agent.py: __init__": "puts an agent together, what can fail first",
    "choreomon/pictures/space_time/diagram.py: space_time_picture": "says what each option shows",
    "choreomon/cli/offline/audit.py: command": "a third of it are its options",
    "choreomon/monitor/precise.py: _found": "the search of the precise rules",
    "choreomon/monitor/pull.py: _process": "Algorithm 1 of the paper, in one piece",
    "simulator/world.py: _arrive": "the hot loop",
    "simulator/run.py: run": "says what each option means",
}
"""Functions of more than 60 lines, with signature and docstring, and why they are."""


@dataclass(frozen=True)
class Import:
    """`inside`: in a function or for the type checker only, so not when the module loads.
    `typing_only`: for the type checker only, so never."""

    module: str
    imports: str
    inside: bool
    typing_only: bool


MOST_MODULES = 30
"""Modules in one folder, so that a newcomer finds the room by its name."""


def modules() -> list[Path]:
    return sorted(path for package in PACKAGES for path in ROOT.joinpath(package).rglob("*.py"))


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports_in(module: str, tree: ast.Module) -> Iterator[Import]:
    def walk(node: ast.AST, inside: bool, typing_only: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield Import(module, alias.name, inside or typing_only, typing_only)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{module}: imports are absolute"
                assert child.module is not None
                yield Import(module, child.module, inside or typing_only, typing_only)
            else:
                checked = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
                function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                yield from walk(child, inside or function, typing_only or checked)

    return walk(tree, False, False)


def all_imports() -> list[Import]:
    return [found for path in modules() for found in imports_in(name_of(path), tree_of(path))]


def violations(imports: list[Import]) -> list[str]:
    """What the architecture forbids, in words."""
    found = []
    for i in imports:
        package = i.module.split(".")[1] if i.module.startswith("choreomon.") else ""
        top, *rest = i.imports.split(".")
        wrong = f"{i.module} imports {i.imports}"
        if top == "choreomon" and rest:
            allowed = (
                SIMULATOR_MAY_IMPORT
                if i.module.startswith("simulator")
                else (*LAYERS.get(package, LAYERS), package, *MORE.get(i.module, ()))
            )
            if rest[0] not in allowed:
                found.append(wrong)
        elif top == "simulator":
            if not i.module.startswith("simulator") and ((package, i.inside) not in SIMULATING):
                found.append(f"{wrong}, not inside a function of a command")
        elif top in THIRD_PARTY:
            where = THIRD_PARTY[top].split()
            if package not in where:
                found.append(f"{wrong}, which only {' and '.join(where)} may")
        elif top not in sys.stdlib_module_names and top != "__future__":
            found.append(f"{wrong}, which is no dependency")
        seeded = (i.module, i.imports) == SEEDED
        if package in PURE and top in IMPURE and not i.typing_only and not seeded:
            found.append(f"{wrong}, and is pure")
    return found


def test_imports_go_in_the_directions_of_the_architecture() -> None:
    imports = all_imports()
    assert len(imports) > 300
    assert violations(imports) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("choreomon.core.message", "import choreomon.monitor.pull"),
        ("choreomon.properties.tables", "def f():\n    from choreomon.monitor.rules import SOUND"),
        ("choreomon.monitor.pull", "from choreomon.agent_files.wire import encode"),
        ("choreomon.monitor.pull", "import time"),
        ("choreomon.core.run", "def f():\n    from pathlib import Path"),
        ("choreomon.properties.formula", "import msgspec"),
        ("choreomon.interaction.term", "from choreomon.multitrace.multitrace import MultiTrace"),
        ("choreomon.multitrace.slices", "from random import Random"),
        ("choreomon.automata.automaton", "from choreomon.interaction.term import EMPTY"),
        ("choreomon.automata.automaton", "import time"),
        ("choreomon.actors.delays", "from random import Random"),
        ("choreomon.actors.randomness", "import time"),
        ("choreomon.actors.application", "from choreomon.documents.shape import Document"),
        ("choreomon.monitor.pull", "from choreomon.actors.randomness import Streams"),
        ("choreomon.verify.verdict", "from choreomon.documents.read import read_property"),
        ("choreomon.monitor.pull", "from choreomon.interaction.term import EMPTY"),
        ("choreomon.documents.read", "from choreomon.pictures.shapes.svg import svg_element"),
        ("choreomon.documents.read", "def f():\n    import simulator.run"),
        ("choreomon.cli.simulation.simulate", "from simulator.run import simulation"),
        ("choreomon.pictures.shapes.svg", "from choreomon.cli import main"),
        ("choreomon.batch.judge", "from choreomon.pictures.shapes.svg import svg_document"),
        ("choreomon.batch.outcomes", "import click"),
        ("choreomon.verify.outcome", "from choreomon.batch.judge import Judge"),
        ("choreomon.runtime.agent", "from choreomon.cli import main"),
        ("choreomon.runtime.agent", "from simulator.world import World"),
        ("choreomon.sdk.client", "from choreomon.runtime.network.peers import PeerSockets"),
        ("choreomon.runtime.agent", "from choreomon.deployment.run import Deployment"),
        ("choreomon.deployment.run", "from simulator.run import Simulation"),
        ("choreomon.agent_files.wire", "import zmq"),
        ("simulator.world", "from choreomon.terminal.text import summary_table"),
        ("simulator.world", "import numpy"),
    ],
)
def test_a_planted_import_is_found(module: str, source: str) -> None:
    assert len(violations([*imports_in(module, ast.parse(source))])) == 1


def test_pure_packages_call_nothing_that_reads_or_writes() -> None:
    pure = tuple(f"choreomon.{package}." for package in PURE)
    called = {
        f"{name_of(path)}: {node.func.id}"
        for path in modules()
        if name_of(path).startswith(pure)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("open", "print", "input", "exec", "eval", "__import__")
    }
    assert called == set()


def test_heavy_imports_of_the_command_line_are_inside_of_functions() -> None:
    """So `--help` answers at once; tests/cli sees that it does."""
    outside = [
        found
        for found in all_imports()
        if found.module.startswith("choreomon.cli") and not found.inside
    ]
    assert {found.imports for found in outside if found.imports.split(".")[0] in THIRD_PARTY} == {
        "click"
    }


IMPORTING = {"choreomon.cli", "choreomon.sdk"}
"""Packages that are what is in them: the console script, and what services import."""


def test_packages_import_nothing_by_themselves() -> None:
    """Whoever needs one module of a package would else wait for all of them."""
    found = {
        f"{one.module} imports {one.imports}"
        for one in all_imports()
        if (ROOT.joinpath(*one.module.split("."), "__init__.py")).exists()
        and one.module not in IMPORTING
        and not one.inside
        and one.imports.partition(".")[0] in ("simulator", "choreomon", *THIRD_PARTY)
    }
    assert found == set()


def test_modules_of_more_than_400_lines_are_one_idea_that_somebody_has_named() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in modules()
    }
    assert {path for path, length in lengths.items() if length > GUIDELINE} == LONGER.keys()


def test_functions_of_more_than_60_lines_are_named() -> None:
    long = {
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in modules()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= 60
    }
    assert long == LONG_FUNCTIONS.keys()


MOST_BY_PLACE = 6
"""Values that somebody who reads a call can tell apart without their names."""


def test_named_tuples_of_more_than_six_fields_are_not_filled_by_place() -> None:
    wide = {
        node.name
        for path in modules()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ClassDef)
        and "NamedTuple" in map(ast.unparse, node.bases)
        and sum(isinstance(each, ast.AnnAssign) for each in node.body) > MOST_BY_PLACE
    }
    assert "MonitorState" in wide
    found = {
        f"{path.relative_to(ROOT)}: {call.func.id}"
        for path in modules()
        for call in ast.walk(tree_of(path))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in wide
        and len(call.args) > MOST_BY_PLACE
    }
    assert found == set()


def test_every_module_says_what_it_is() -> None:
    silent = [
        name_of(path)
        for path in modules()
        if tree_of(path).body and not ast.get_docstring(tree_of(path))
    ]
    assert silent == []


def test_no_module_is_called_after_nothing() -> None:
    vague = {"utils", "util", "common", "manager", "helpers", "helper", "misc", "base"}
    assert not {name_of(path).split(".")[-1] for path in modules()} & vague


SHORT = 20
"""Lines up to which a public name with its types may speak for itself."""

PLAIN = {
    "choreomon.pictures.space_time.frame.axis",
    "choreomon.pictures.space_time.frame.lanes",
    "choreomon.pictures.space_time.scene.scene_of",
}
"""Parts of one picture, which its modules introduce together."""

PROTOCOLS = ("Rules", "Measurements", "Observer")
"""What is documented here need not be again where it is implemented."""


def lines_of(node: ast.stmt) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def protocol_methods() -> set[str]:
    return {
        method.name
        for path in modules()
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef) and node.name in PROTOCOLS
        for method in node.body
        if isinstance(method, ast.FunctionDef)
    }


def undocumented(tree: ast.Module, elsewhere: set[str]) -> Iterator[str]:
    """Public functions, classes and methods that say nothing, unless they are short or
    documented elsewhere."""
    for node in tree.body:
        members: list[tuple[str, ast.stmt]] = [("", node)]
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            members += [(f"{node.name}.", member) for member in node.body]
        for prefix, member in members:
            if (
                isinstance(member, ast.FunctionDef | ast.ClassDef)
                and not member.name.startswith("_")
                and not ast.get_docstring(member)
                and lines_of(member) > SHORT
                and member.name not in elsewhere
            ):
                yield prefix + member.name


def test_public_names_are_documented() -> None:
    elsewhere = protocol_methods()
    assert {"findings", "told"} <= elsewhere
    silent = {
        f"{name_of(path)}.{name}"
        for path in modules()
        for name in undocumented(tree_of(path), elsewhere)
    }
    assert silent <= PLAIN


OF_A_CLASS = re.compile(r"(?:`[a-z_]+`|the rest) of (?:an? |the )?`([A-Z]\w*[a-z]\w*)`")


def known_in(tree: ast.Module) -> set[str]:
    """The classes of a module, and what it imports."""
    return {
        *(node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)),
        *(
            name.asname or name.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in node.names
        ),
    }


def owners(text: str) -> set[str]:
    """The classes whose members a module's source speaks of, as "`seed` of `RunOptions`"."""
    return {*OF_A_CLASS.findall(" ".join(text.split()))}


def test_a_member_that_is_spoken_of_is_of_a_class_that_the_module_knows() -> None:
    classes = set().union(
        *(
            {node.name for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef)}
            for path in modules()
        )
    )
    found = {
        path: (owners(path.read_text("utf-8")) & classes, known_in(tree_of(path)))
        for path in modules()
    }
    assert any(named for named, _ in found.values())
    assert [name_of(path) for path, (named, known) in found.items() if named - known] == []


def test_folders_are_small_and_say_what_is_in_them() -> None:
    folders = Counter(path.parent for path in modules() if path.name != "__init__.py")
    assert {name for name, number in folders.items() if number > MOST_MODULES} == set()
    assert [folder for folder in folders if not folder.joinpath("__init__.py").exists()] == []


def test_modules_of_tests_have_names_of_their_own() -> None:
    """Two of one name in two folders cannot be collected in one run."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, times in names.items() if times > 1] == []


REPLACED = re.compile(
    r'(?:setattr|patch|patch\.object)\(\s*(?:([\w.]+),\s*)?"([\w.]*\.)?(_[a-z]\w*)"'
)


def test_tests_replace_nothing_private_of_ours() -> None:
    """Else a change of what nobody outside sees would break them."""
    for planted in ('monkeypatch.setattr(a.b, "_c", 1)', 'patch("a._b")', 'patch.object(a, "_b")'):
        assert REPLACED.search(planted)
    private = {
        f"{path.name}: {owner or module}{name}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for owner, module, name in REPLACED.findall(path.read_text(encoding="utf-8"))
        if (owner, name) != ("os", "_exit") and path != Path(__file__)
    }
    assert private == set()
