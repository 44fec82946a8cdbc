"""Interactions, multi-traces, signatures and configurations as JSON.

For programs, and for names that HIBOU's files cannot express. Every document is a mapping whose
`kind` says what it is:

    {"kind": "interaction",
     "nodes": [{"op": "action", "action": "a!m"}, {"op": "action", "action": "b?m"},
               {"op": "strict", "operands": [0, 1]}, {"op": "o"},
               {"op": "coreg", "region": ["a"], "operands": [2, 3]}]}
    {"kind": "multi-trace", "components": [{"lifelines": ["a"], "actions": ["a!m"]}]}
    {"kind": "signature", "lifelines": ["a", "b"], "messages": ["m"]}
    {"kind": "configuration", "analyze": {"mode": "slice"}}

The nodes of an interaction are in one list, operands before what they are operands of, and the last
one is the interaction: lists in lists would limit how deep it may be nested. Operators are those of
`.hif` files; all but loops may have several operands, which fold to the right. A node may be an
operand several times.

The sections of a configuration have the fields of `choreomon.hibou.configuration`; what is
left out has the default there, so a section without a strategy is not BFS as in `.hcf` files. A
logger has one more field, `logger`, which is `graphic` or `tracegen`.

Actions are split at their first `!` or `?`, so a lifeline's name has neither.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from choreomon.core.action import EMISSION, RECEPTION, Action
from choreomon.core.errors import Path
from choreomon.core.names import QUOTED_PATTERN, name_defect, quoted, unwritten
from choreomon.files.json_documents import Defects, decoded
from choreomon.files.json_shapes import JsonDocument
from choreomon.hibou.interaction import OPERATORS, WITH_REGION, folded
from choreomon.hibou.signature import Signature, unknown
from choreomon.interaction.lifelines import mask, names
from choreomon.interaction.operands import operands
from choreomon.interaction.term import (
    EMPTY,
    LOOPS,
    Interaction,
    Operator,
    act,
    operator_name,
)
from choreomon.multitrace.coded import TraceBuilder
from choreomon.multitrace.multitrace import Component, MultiTrace


class _Node(msgspec.Struct, forbid_unknown_fields=True):
    op: str
    action: str | None = None
    region: list[str] | None = None
    operands: list[int] | None = None


class _Interaction(JsonDocument, forbid_unknown_fields=True):
    kind: Literal["interaction"]
    nodes: list[_Node]

    def keys(self) -> int:
        """Count the keys of mappings that were read."""
        fields = ("op", "action", "region", "operands")
        given = (getattr(node, field) is not None for node in self.nodes for field in fields)
        return 2 + sum(given)


class _Component(msgspec.Struct, forbid_unknown_fields=True):
    lifelines: list[str]
    actions: list[str]


class _MultiTrace(JsonDocument, forbid_unknown_fields=True):
    kind: Literal["multi-trace"]
    components: list[_Component]

    def keys(self) -> int:
        """Count the keys of mappings that were read."""
        return 2 + 2 * len(self.components)


class _Signature(JsonDocument, forbid_unknown_fields=True):
    kind: Literal["signature"]
    lifelines: list[str]
    messages: list[str]

    def keys(self) -> int:
        """Count the keys of mappings that were read."""
        return 3


def read_action(text: str) -> Action | None:
    """`l!m` or `l?m`, split at the first sign that is not in quotes: a lifeline with a sign in its
    name stands in those that labels have (`choreomon.core.names`), `"a!b"!m`."""
    if (found := _QUOTED.fullmatch(text)) is not None:
        lifeline = unwritten(found["lifeline"])
        if lifeline is not None and _NEEDS_QUOTES.search(lifeline):
            return Action(lifeline, "!" if found["sign"] == EMISSION else "?", found["message"])
    for place, sign in enumerate(text):
        if sign in (EMISSION, RECEPTION):
            lifeline, message = text[:place], text[place + 1 :]
            kind: Literal["!", "?"] = "!" if sign == EMISSION else "?"
            return Action(lifeline, kind, message) if lifeline and message else None
    return None


def written_action(action: Action) -> str:
    """The text that `read_action` reads. Raises ValueError where there is none."""
    for lifeline in (action.lifeline, quoted(action.lifeline)):
        text = f"{lifeline}{action.kind}{action.message}"
        if read_action(text) == action:
            return text
    raise ValueError(
        f"the action {action} cannot be written: {action.lifeline!r} has a sign and is no name: it "
        f"{name_defect(action.lifeline) or 'has a message without a name'}"
    )


_QUOTED: Final = re.compile(
    rf"(?P<lifeline>{QUOTED_PATTERN})(?P<sign>[!?])(?P<message>.+)", re.DOTALL
)
_NEEDS_QUOTES: Final = re.compile('[!?"]')


NO_ACTION: Final = "is no action; write `lifeline!message` or `lifeline?message`"


# ---------------------------------------------------------------- interactions


def write_interaction_json(term: Interaction) -> str:
    """The interaction as a document. Shared subterms are written once.

    Raises ValueError for lifelines with `!` or `?` in their names, and for OPEN, which is none of
    the language.
    """
    numbers: dict[Interaction, int] = {}
    nodes: list[dict[str, object]] = []
    pending: list[tuple[Interaction, list[Interaction] | None]] = [(term, None)]
    while pending:
        top, parts = pending.pop()
        if top in numbers:
            continue
        if parts is None and top.left is not None:
            parts = operands(top)
            pending.append((top, parts))
            pending.extend((part, None) for part in reversed(parts))
            continue
        numbers[top] = len(nodes)
        nodes.append(_node(top, [numbers[part] for part in parts or ()]))
    return json.dumps({"kind": "interaction", "nodes": nodes}) + "\n"


def _node(term: Interaction, parts: list[int]) -> dict[str, object]:
    if term.action is not None:
        return {"op": "action", "action": written_action(term.action)}
    if term is EMPTY:
        return {"op": "o"}
    if term.operator is Operator.OPEN:
        raise ValueError("an open iteration of a search cannot be written")
    op = operator_name(term).partition("(")[0]
    if op in WITH_REGION:
        return {"op": op, "region": list(names(term.region)), "operands": parts}
    return {"op": op, "operands": parts}


def read_interaction_json(
    text: str | bytes, signature: Signature | None = None, file: str = "interaction"
) -> Interaction:
    """The interaction of a document; with a `signature`, what it does not declare is refused.

    Raises DocumentError.
    """
    document = decoded(text, file, "interaction", _Interaction)
    defects = Defects(text, file)
    terms: list[Interaction] = []
    for number, node in enumerate(document.nodes):
        path: Path = ("nodes", number)
        wrong = _shape_defect(node, number)
        if wrong:
            defects.add((*path, wrong[0]), wrong[1])
            terms.append(EMPTY)
        elif node.op == "action":
            terms.append(_action_node(node.action or "", signature, path, defects))
        elif node.op == "o":
            terms.append(EMPTY)
        else:
            for name in node.region or ():
                if signature is not None and name not in signature.lifelines:
                    message = unknown("lifeline", name, signature.lifelines)
                    defects.add((*path, "region"), message)
            operator, region = OPERATORS[node.op]
            if node.region is not None:
                region = mask(node.region)
            terms.append(folded(operator, region, [terms[one] for one in node.operands or ()]))
    if not terms:
        defects.add(("nodes",), "is empty: the last node is the interaction")
    defects.raise_any()
    return terms[-1]


def _shape_defect(node: _Node, number: int) -> tuple[str, str] | None:
    """Name what is wrong with the fields of a node, and with which."""
    if node.op == "action":
        wanted: tuple[str, ...] = ("action",)
    elif node.op == "o":
        wanted = ()
    elif node.op in OPERATORS:
        wanted = ("region", "operands") if node.op in WITH_REGION else ("operands",)
    else:
        return "op", f"is no operator; expected o, action, {', '.join(OPERATORS)}"
    for field in ("action", "region", "operands"):
        if (getattr(node, field) is not None) is not (field in wanted):
            has = "is missing" if field in wanted else f"is no field of `{node.op}`"
            return field, has
    if node.region is not None and not all(node.region):
        return "region", "should be the names of lifelines, and one of them is empty"
    if node.operands is not None:
        if not node.operands or (OPERATORS[node.op][0] in LOOPS and len(node.operands) > 1):
            return "operands", "a loop has one, everything else at least one"
        if not all(0 <= one < number for one in node.operands):
            return "operands", "should be numbers of nodes that come before this one"
    return None


def _action_node(
    text: str, signature: Signature | None, path: Path, defects: Defects
) -> Interaction:
    action = read_action(text)
    wrong = NO_ACTION if action is None else signature.strange(action) if signature else ""
    if wrong or action is None:
        defects.add((*path, "action"), wrong)
        return EMPTY
    return act(action)


# ---------------------------------------------------------------- multi-traces, signatures


def write_multi_trace_json(multitrace: MultiTrace) -> str:
    """The multi-trace as a document.

    Raises ValueError for lifelines with `!` or `?` in their names.
    """
    components = [
        {
            "lifelines": list(part.lifelines),
            "actions": [written_action(one) for one in part.actions],
        }
        for part in multitrace.components
    ]
    return json.dumps({"kind": "multi-trace", "components": components}) + "\n"


def read_multi_trace_json(
    text: str | bytes,
    lifelines: Iterable[str] = (),
    signature: Signature | None = None,
    file: str = "trace",
) -> MultiTrace:
    """The multi-trace of a document. For the other arguments see
    `choreomon.hibou.multitrace.MultiTraceReader`. The whole document is held in memory.

    Raises DocumentError.
    """
    document = decoded(text, file, "multi-trace", _MultiTrace)
    defects = Defects(text, file)
    owners: dict[str, int] = {}
    parts: list[Component] = []
    for number, found in enumerate(document.components):
        path: Path = ("components", number)
        if not found.lifelines or not all(found.lifelines):
            defects.add((*path, "lifelines"), "should be the names of lifelines, at least one")
        for name in dict.fromkeys(found.lifelines):
            if name in owners:
                message = f"{name} is in components {owners[name] + 1} and {number + 1}"
                defects.add((*path, "lifelines"), f"{message}; a lifeline has one clock")
            elif signature is not None and name not in signature.lifelines:
                message = unknown("lifeline", name, signature.lifelines)
                defects.add((*path, "lifelines"), message)
            owners[name] = number
        own = tuple(sorted(set(found.lifelines)))
        builder = TraceBuilder()
        codes: dict[str, int] = {}
        for place, word in enumerate(found.actions):
            if word not in codes:
                action = read_action(word)
                if action is None:
                    wrong = NO_ACTION
                elif action.lifeline not in own:
                    wrong = f"{action} is not in the component [{','.join(own)}]"
                else:
                    wrong = signature.strange(action) if signature else ""
                if wrong or action is None:
                    defects.add((*path, "actions", place), wrong)
                    continue
                codes[word] = builder.code(action)
            builder.extend((codes[word],))
        parts.append(Component(own, builder.trace()))
    defects.raise_any()
    declared = () if signature is None else signature.lifelines
    missing = sorted({*lifelines, *declared} - owners.keys())
    return MultiTrace((*parts, *(Component((name,), ()) for name in missing)))


def write_signature_json(signature: Signature) -> str:
    """The signature as a document."""
    return json.dumps({"kind": "signature", **signature._asdict()}) + "\n"


def read_signature_json(text: str | bytes, file: str = "signature") -> Signature:
    """The signature of a document. Raises DocumentError."""
    document = decoded(text, file, "signature", _Signature)
    defects = Defects(text, file)
    for field, declared in (("lifelines", document.lifelines), ("messages", document.messages)):
        seen: set[str] = set()
        for number, name in enumerate(declared):
            if not name or name in seen:
                message = f"{name!r} is declared twice" if name else "should not be empty"
                defects.add((field, number), message)
            seen.add(name)
    if not (document.lifelines or document.messages):
        defects.add((), "declares no lifeline and no message")
    defects.raise_any()
    return Signature(tuple(document.lifelines), tuple(document.messages))
