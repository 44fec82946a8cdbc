"""The published JSON Schemas: of documents, of agents' configurations and deployments, and of
mappings."""

from __future__ import annotations

from typing import Any, Final

from choreomon.agent_files.agent_document import AgentDocument
from choreomon.agent_files.deployment_file import DeploymentDocument
from choreomon.documents.shape import ScenarioDocument
from choreomon.files.shape_schema import json_schema
from choreomon.logs.mappings.mapping_shape import MappingDocument

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def document_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of scenario and property documents, with defaults and
    descriptions.

    It says what the shape says. Whether names refer to something, whether bounds are in
    order and whether an automaton can be monitored only the reader decides.
    """
    schema = json_schema(ScenarioDocument)
    definitions = schema.pop("$defs")
    definitions["PropertyDocument"]["oneOf"] = [
        _given("automaton", "object"),
        _given("sequences", "array"),
    ]
    return {
        "$schema": _DIALECT,
        **schema,
        "title": "choreomon scenario or property",
        "anyOf": [
            _given("application", "object"),
            _given("property", "object"),
            _given("rules", "array"),
        ],
        "$defs": definitions,
    }


def agent_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of agents' configurations, with defaults and descriptions.

    It says what the shape says. Whether addresses are some, and what fields must have to do with
    each other and with the tables, only the reader decides.
    """
    schema = json_schema(AgentDocument)
    return {"$schema": _DIALECT, **schema, "title": "choreomon agent"}


def deployment_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of deployments, with defaults and descriptions.

    It says what the shape says, of `agent` and `agents` only that they are mappings: what they hold
    together is a configuration of an agent.
    """
    schema = json_schema(DeploymentDocument)
    return {"$schema": _DIALECT, **schema, "title": "choreomon deployment"}


def mapping_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of mapping documents, with defaults and descriptions.

    It says what the shape says. Whether paths are some, whether expressions have the groups that
    they need, and what a format can have, only the reader decides.
    """
    schema = json_schema(MappingDocument)
    return {"$schema": _DIALECT, **schema, "title": "choreomon mapping of logs"}


def _given(key: str, kind: str) -> dict[str, Any]:
    return {"required": [key], "properties": {key: {"type": kind}}}
