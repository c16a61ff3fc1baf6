"""Positions in JSON Schemas, written as YAML or as JSON in a string."""

from __future__ import annotations

from pydantic import BaseModel

from suitecase.schema.fields import field_at
from suitecase.text.node import Mapping, Node, Scalar, Sequence, at
from suitecase_evaluators.schema.drafts import DEFAULT_DRAFT, draft_of
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.walk import Path


def schema_at(model: type[BaseModel], root: Node, path: Path) -> Path | None:
    """Return the path to the schema that contains a path; None outside schemas."""
    starts = (path[:end] for end, step in enumerate(path, 1) if isinstance(step, str))
    for start in starts:
        field = field_at(model, root, start)
        if field is None:
            return None
        if field.role is FieldRole.SCHEMA:
            return start
    return None


def draft_at(schema: Node | None) -> float:
    """Return the draft of a schema."""
    schema_uri = schema.get("$schema") if isinstance(schema, Mapping) else None
    return (
        draft_of({"$schema": schema_uri.text}) if isinstance(schema_uri, Scalar) else DEFAULT_DRAFT
    )


def texts_of(node: Node | None) -> list[str]:
    """Return the strings of a list, or a string as a list of one."""
    items = node.items if isinstance(node, Sequence) else [node]
    return [item.text for item in items if isinstance(item, Scalar)]


def node_at(root: Node, path: Path) -> Node | None:
    """Return the node at a path; None if there is none."""
    node, _, taken = at(root, path)
    return node if taken == len(path) else None
