"""The mutants of one module: its source text with one small change each.

Changed are comparisons, operators, conditions, numbers, truth values, loops, handlers of
exceptions, keyword arguments, and statements that stand for what they do. Not changed is what
decides nothing: annotations, docstrings and other texts, decorators, assertions, `strict=`, what is
only for type checkers, `__repr__` and `__str__`, and what is logged.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

COMPARISONS: Final[dict[type[ast.cmpop], tuple[str, str]]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
}
OPERATORS: Final[dict[type[ast.operator], tuple[str, str]]] = {
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "+"),
    ast.FloorDiv: ("//", "*"),
    ast.Div: ("/", "*"),
    ast.Mod: ("%", "//"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: (r"\|", "&"),
    ast.BitXor: (r"\^", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
CALLS: Final = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}
LOGS: Final = frozenset({"log", "logger", "_log", "_logger"})
UNTOLD: Final = frozenset({"__repr__", "__str__"})
OF_TYPES: Final = frozenset({"cast", "TypeVar", "NewType", "assert_never", "assert_type"})

Span = tuple[int, int]
"""From and to, in bytes of the source."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """`within` is the function or class, `line` what stood there, without line breaks, and
    `becomes` what stands there now; `number` counts those of which all this is the same. Its
    statement begins at `first`, and the block that this is in at `block`: 0 where it is executed as
    the module is imported."""

    path: str
    within: str
    line: str
    becomes: str
    number: int
    first: int
    block: int
    span: Span
    text: str

    @property
    def key(self) -> str:
        """What it is called wherever lines are inserted or removed above it."""
        return "\n".join((self.path, self.within, self.line, self.becomes, str(self.number)))

    def applied(self, source: str) -> str:
        start, end = self.span
        whole = source.encode()
        return (whole[:start] + self.text.encode() + whole[end:]).decode()


def mutants(path: str, source: str) -> list[Mutant]:
    """All of a module, in the order of its text. Some of them may be no Python."""
    module = _Module(source)
    found: list[Mutant] = []
    seen: Counter[tuple[str, str, str]] = Counter()
    changes = sorted({*module.changes(ast.parse(source))}, key=lambda each: (each.span, each.text))
    for change in changes:
        line, becomes = module.lines(change.span, change.text)
        same = (change.within, line, becomes)
        if line != becomes:
            found.append(
                Mutant(
                    path, *same, seen[same], change.first, change.block, change.span, change.text
                )
            )
            seen[same] += 1
    return found


def is_python(source: str) -> bool:
    try:
        compile(source, "<mutant>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Change:
    span: Span
    text: str
    within: str
    first: int
    block: int


class _Module:
    """One source text. Positions in syntax trees are lines and bytes."""

    def __init__(self, source: str) -> None:
        self.source = source.encode()
        self.starts = [0]
        for line in self.source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> Span:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr | ast.keyword) -> str:
        start, end = self.span(node)
        return self.source[start:end].decode()

    def lines(self, span: Span, text: str) -> tuple[str, str]:
        """What stands in the lines of a span, before and after, in one line."""
        start, end = span
        begin = self.source.rfind(b"\n", 0, start) + 1
        stop = (self.source.find(b"\n", end) + len(self.source) + 1) % (len(self.source) + 1)
        after = self.source[begin:start] + text.encode() + self.source[end:stop]
        return _in_one(self.source[begin:stop]), _in_one(after)

    def changes(self, tree: ast.Module) -> Iterator[_Change]:
        yield from self._statements(tree.body, "", 0)

    def _statements(
        self, body: Sequence[ast.stmt], within: str, block: int | None = None
    ) -> Iterator[_Change]:
        for statement in body:
            start = body[0].lineno if block is None else block
            yield from self._statement(statement, within, start)

    def _statement(self, node: ast.stmt, within: str, block: int) -> Iterator[_Change]:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                name = f"{within}.{node.name}".lstrip(".")
                if node.name in UNTOLD or _is_protocol(node):
                    return
                if not isinstance(node, ast.ClassDef):
                    for default in (*node.args.defaults, *node.args.kw_defaults):
                        if default is not None:
                            yield from self._of(node, within, block, self._expressions(default))
                inner = block if isinstance(node, ast.ClassDef) else None
                yield from self._statements(node.body, name, inner)
                return
            case ast.Assert() | ast.Import() | ast.ImportFrom():
                return
            case ast.If(test=ast.Name("TYPE_CHECKING")):
                return
            case ast.AnnAssign(annotation=ast.Name("TypeAlias")):
                return
            case ast.Assign(value=ast.BinOp(op=ast.BitOr())) if not within:
                return  # a union of types
            case ast.Expr(value=ast.Constant()):
                return
            case ast.Expr(value=ast.Call(func=called)) if _is_log(called):
                return
        yield from self._of(node, within, block, self._whole(node, within))
        for part in _own_expressions(node):
            yield from self._of(node, within, block, self._expressions(part))
        for field in ("body", "orelse", "finalbody"):
            yield from self._statements(getattr(node, field, ()), within)
        for handler in getattr(node, "handlers", ()):
            body: list[ast.stmt] = handler.body
            if not (len(body) == 1 and isinstance(body[0], ast.Raise) and body[0].exc is None):
                start, end = self.span(body[0])[0], self.span(body[-1])[1]
                yield _Change((start, end), "raise", within, body[0].lineno, body[0].lineno)
            yield from self._statements(body, within)
        for case in getattr(node, "cases", ()):
            if case.guard is not None:
                yield from self._of(case.guard, within, block, self._condition(case.guard))
            yield from self._statements(case.body, within)

    def _of(
        self,
        node: ast.stmt | ast.expr,
        within: str,
        block: int,
        changes: Iterator[tuple[Span, str]],
    ) -> Iterator[_Change]:
        for span, text in changes:
            yield _Change(span, text, within, node.lineno, block)

    def _whole(self, node: ast.stmt, within: str) -> Iterator[tuple[Span, str]]:
        """Left out, or the other way round."""
        match node:
            case ast.Continue():
                yield self.span(node), "break"
            case ast.Break():
                yield self.span(node), "continue"
            case ast.Expr() | ast.AugAssign() | ast.Delete() | ast.Raise():
                yield self.span(node), "pass"
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                if not within.endswith("__init__"):  # where all would end at once
                    yield self.span(node), "pass"
        match node:
            case ast.If() | ast.While():
                yield from self._constant(node.test, while_too=isinstance(node, ast.If))
            case ast.For():
                yield self.span(node.iter), "()"
            case ast.AugAssign():
                yield from self._operator(node.target, node.value, node.op, "=")

    def _constant(self, test: ast.expr, *, while_too: bool = True) -> Iterator[tuple[Span, str]]:
        if not isinstance(test, ast.Constant):
            yield self.span(test), "False"
            if while_too:
                yield self.span(test), "True"

    def _condition(self, test: ast.expr) -> Iterator[tuple[Span, str]]:
        yield from self._constant(test)
        yield from self._expressions(test)

    def _between(
        self, left: ast.expr, right: ast.expr, sign: str, other: str
    ) -> Iterator[tuple[Span, str]]:
        start, end = self.span(left)[1], self.span(right)[0]
        found = re.search(sign, self.source[start:end].decode())
        if found is not None and self.source[start:end].isascii():
            yield (start + found.start(), start + found.end()), other

    def _operator(
        self, left: ast.expr, right: ast.expr, operator: ast.operator, after: str = ""
    ) -> Iterator[tuple[Span, str]]:
        if type(operator) in OPERATORS:
            sign, other = OPERATORS[type(operator)]
            yield from self._between(left, right, sign + after, other + after)

    def _expressions(self, node: ast.expr) -> Iterator[tuple[Span, str]]:
        """Of an expression, and of all in it."""
        match node:
            case ast.JoinedStr():
                return
            case ast.Call(func=ast.Name(name)) if name in OF_TYPES:
                node = ast.Tuple(elts=node.args[1:], ctx=ast.Load())
            case ast.Call(func=ast.Name("isinstance"), args=[value, _]):
                yield from self._expressions(value)
                return
            case ast.Call():
                yield from self._call(node)
            case ast.Compare(left, operators, comparators):
                for before, operator, after in zip(
                    (left, *comparators[:-1]), operators, comparators, strict=True
                ):
                    yield from self._between(before, after, *COMPARISONS[type(operator)])
            case ast.BoolOp(values=values):
                for place in range(len(values)):
                    kept = [f"({self.text(v)})" for at, v in enumerate(values) if at != place]
                    sign = " and " if isinstance(node.op, ast.And) else " or "
                    yield self.span(node), kept[0] if len(kept) == 1 else f"({sign.join(kept)})"
            case ast.UnaryOp(ast.Not(), operand):
                yield self.span(node), f"({self.text(operand)})"
            case ast.BinOp(left, operator, right):
                if isinstance(operator, ast.Add | ast.Sub):  # of texts and sets, too
                    yield self.span(node), f"({self.text(left)})"
                    yield self.span(node), f"({self.text(right)})"
                else:
                    yield from self._operator(left, right, operator)
            case ast.IfExp(test=test):
                yield from self._constant(test)
            case ast.Constant(value=bool()):
                yield self.span(node), str(not node.value)
            case ast.Constant(value=int() | float()):
                yield self.span(node), str(node.value + 1)
                if node.value > 0:
                    yield self.span(node), f"({node.value - 1})"
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.comprehension):
                yield self.span(part.iter), "()"
                for test in part.ifs:
                    yield from self._constant(test)
                    yield from self._expressions(test)
                yield from self._expressions(part.iter)
            elif isinstance(part, ast.keyword):
                if part.arg != "strict":
                    yield from self._expressions(part.value)
            elif isinstance(part, ast.arguments):
                for default in (*part.defaults, *part.kw_defaults):
                    if default is not None:
                        yield from self._expressions(default)
            elif isinstance(part, ast.expr):
                yield from self._expressions(part)

    def _call(self, node: ast.Call) -> Iterator[tuple[Span, str]]:
        if isinstance(node.func, ast.Name) and node.func.id in CALLS:
            yield self.span(node.func), CALLS[node.func.id]
        parts = sorted([*node.args, *node.keywords], key=self.span)
        for place, part in enumerate(parts):
            if isinstance(part, ast.keyword) and part.arg not in (None, "strict"):
                start, end = self.span(part)
                if place:
                    start = self.span(parts[place - 1])[1]
                elif len(parts) > 1:
                    end = self.span(parts[1])[0]
                yield (start, end), ""


def _in_one(lines: bytes) -> str:
    return " ".join(lines.decode().split())


def _own_expressions(node: ast.stmt) -> Iterator[ast.expr]:
    for field, value in ast.iter_fields(node):
        if field == "annotation":
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.withitem):
                yield part.context_expr
            elif isinstance(part, ast.expr):
                yield part


def _is_log(called: ast.expr) -> bool:
    match called:
        case ast.Attribute(value=ast.Name(name) | ast.Attribute(attr=name)):
            return name in LOGS
    return False


def _is_protocol(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef) and any(
        isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases
    )
