"""A union of models in which a word of the value selects one, which is imported when it is selected.

Pydantic's own unions need all their models: they are imported and built together with the union.
Most suites have evaluators of one or two types out of thirty, and targets of one or two providers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema, core_schema


def imported(place: str) -> Any:
    """Return what a place in this package names, whose module is imported.

    Args:
        place: a module, and what it has, if not all of it is meant, as in `text_match:regex`.
    """
    module, _, attribute = place.partition(":")
    found = import_module(f"suitecase_evaluators.{module}")
    return getattr(found, attribute) if attribute else found


class SelectedModel(ABC):
    """Marks a type as such a union; it stands in the annotation of the base of its models.

    A value without the key gives the error `union_tag_not_found`, one with an unknown word
    `union_tag_invalid`.
    """

    #: The key that has the word.
    key: ClassVar[str]

    @abstractmethod
    def model(self, word: str) -> type[BaseModel] | None:
        """Return the model that a word selects; None if no model is known for it."""

    @abstractmethod
    def models(self) -> Sequence[type[BaseModel]]:
        """Return all models, in the order in which they are offered and documented."""

    @abstractmethod
    def tag(self, value: Any) -> str | None:
        """Return the tag of the model that a value selects; None if it has no word."""

    @abstractmethod
    def readers(self) -> Mapping[str, Callable[[Any], Any]]:
        """Return what reads a value, by tag."""

    @abstractmethod
    def described(self) -> Any:
        """Return the union as pydantic knows it, for JSON Schemas."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        # Without serializers of their own, so that a value is written out by its own model.
        read = core_schema.no_info_plain_validator_function
        choices: dict[Any, CoreSchema] = {tag: read(it) for tag, it in self.readers().items()}
        return core_schema.tagged_union_schema(choices, self.tag)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return handler(TypeAdapter(self.described()).core_schema)
