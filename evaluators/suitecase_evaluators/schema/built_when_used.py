"""Members of a union whose models are built when a value of them is read, not all of them at once.

Pydantic builds the validators of all members of a union together with it. Most suites have evaluators
of one or two types out of thirty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

#: A model that is a member of itself is described once.
_BEING_DESCRIBED: set[type[BaseModel]] = set()


@dataclass(frozen=True, slots=True)
class BuiltWhenUsed:
    """Marks a member of a union: it is validated, written out and described by its own model.

    Attributes:
        model: the model.
    """

    model: type[BaseModel]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        # Without a serializer of its own, so that a value is written out by its own model.
        return core_schema.no_info_plain_validator_function(self.model.model_validate)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        built: Any = self.model.__pydantic_core_schema__
        shared: list[CoreSchema] = []
        if built["type"] == "definitions":
            built, shared = built["schema"], built["definitions"]
        reference = core_schema.definition_reference_schema(built["ref"])
        if self.model in _BEING_DESCRIBED:
            return handler(reference)
        _BEING_DESCRIBED.add(self.model)
        try:
            return handler(core_schema.definitions_schema(reference, [*shared, built]))
        finally:
            _BEING_DESCRIBED.remove(self.model)
