"""The drafts of JSON Schema: their names, their validators and their metaschemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from suitecase_evaluators.schema.errors import SchemaError

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from referencing import Registry

#: The drafts that are read, by their year; 4, 6 and 7 were numbered.
DRAFTS: Mapping[str, float] = {
    "http://json-schema.org/draft-04/schema": 4,
    "http://json-schema.org/draft-06/schema": 6,
    "http://json-schema.org/draft-07/schema": 7,
    "https://json-schema.org/draft/2019-09/schema": 2019,
    "https://json-schema.org/draft/2020-12/schema": 2020,
}
#: The draft of a schema that names none.
DEFAULT_DRAFT = 2020


def draft_of(schema: Any) -> float:
    """Return the draft of a schema by its `$schema`; of an unknown one the default."""
    address = schema.get("$schema") if isinstance(schema, dict) else None
    return DRAFTS.get(str(address).rstrip("#"), DEFAULT_DRAFT)


def is_draft(address: Any) -> bool:
    """Whether an address is that of a draft that is read."""
    return str(address).rstrip("#") in DRAFTS


def stock_validator(schema: Any) -> type[Validator]:
    """Return the library's class for the draft of a schema.

    Raises:
        SchemaError: `$schema` names no draft that is read.
    """
    from jsonschema import validators

    draft = schema.get("$schema") if isinstance(schema, dict) else None
    if draft is not None and not is_draft(draft):
        raise SchemaError(
            f"{draft!r} is not a known draft of JSON Schema; remove `$schema` for draft 2020-12, "
            "or write https://json-schema.org/draft/2020-12/schema, "
            "https://json-schema.org/draft/2019-09/schema or "
            "http://json-schema.org/draft-07/schema#",
            ("$schema",),
            tuple(f"{it}#" if draft_of({"$schema": it}) <= 7 else it for it in DRAFTS),
        )
    return {
        4: validators.Draft4Validator,
        6: validators.Draft6Validator,
        7: validators.Draft7Validator,
        2019: validators.Draft201909Validator,
        2020: validators.Draft202012Validator,
    }[int(draft_of(schema))]


def local_registry() -> Registry[Any]:
    """Return a registry that knows the metaschemas, and by its default refuses everything else."""
    # Mypy knows nothing of this package, which holds no more than this one name.
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    registry: Registry[Any] = REGISTRY
    return registry
