"""Where in a JSON Schema something stands, for schemas of YAML and of JSON in a text alike."""

from __future__ import annotations

from pydantic import BaseModel

from suitecase.suite.fields import field_at
from suitecase.syntax.node import Mapping, Node, Scalar, Sequence, at
from suitecase_evaluators.field_role import FieldRole
from suitecase_evaluators.schema.drafts import DEFAULT_DRAFT, draft_of
from suitecase_evaluators.schema.walk import Path


def schema_at(model: type[BaseModel], root: Node, path: Path) -> Path | None:
    """Return the path to the schema that a path leads to or into; None where it leads to none."""
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
    written = schema.get("$schema") if isinstance(schema, Mapping) else None
    return draft_of({"$schema": written.text}) if isinstance(written, Scalar) else DEFAULT_DRAFT


def texts_of(node: Node | None) -> list[str]:
    """Return the texts of a list, or a text as a list of one."""
    items = node.items if isinstance(node, Sequence) else [node]
    return [it.text for it in items if isinstance(it, Scalar)]


def node_at(root: Node, path: Path) -> Node | None:
    """Return what a path leads to; None where it does not lead so far."""
    node, _, taken = at(root, path)
    return node if taken == len(path) else None
