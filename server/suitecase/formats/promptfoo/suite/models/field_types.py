"""The types of values in configurations of promptfoo.

A value may be a template that is filled when the configuration is loaded, or a reference to a file
that has the value: neither is of the type that is wanted, and neither is refused.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import (
    BaseModel,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    Tag,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from suitecase.schema.key_roles import Defines, File, Kind, RefersTo, Under
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: Who is sent what stands in assertions.
GRADERS = "graders"

#: How the names of files end that have code, data, texts and prompts.
SCRIPTS = (".js", ".mjs", ".cjs", ".ts")
CODE = (*SCRIPTS, ".py")
DATA = (".json", ".yaml", ".yml")
TEXTS = (".txt", ".md", ".json", ".yaml", ".yml", ".j2")
#: How the names of files with tests end.
TESTS = (".csv", ".yaml", ".yml", ".json", ".jsonl", *CODE, ".rb")
PROMPT_FILES = (".txt", ".md", ".j2", ".json", ".yaml", ".yml", ".csv", *CODE, ".rb")


def stands_for_another(value: object) -> bool:
    """Whether a value is a reference or a template, in whose place another comes."""
    if isinstance(value, str):
        return value.startswith((FILE_SCHEME, "package:")) or "{{" in value or "{%" in value
    return isinstance(value, dict) and "$ref" in value


def _unless_reference(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    return value if stands_for_another(value) else handler(value)


#: Marks a type in whose place a reference or a template may stand.
OR_REFERENCE: Final = WrapValidator(_unless_reference)


class PromptfooModel(Model):
    """A mapping that promptfoo reads: no unknown keys, no silent conversion.

    `$ref` stands for a mapping that is elsewhere in the file; it is not looked up.
    """

    @model_validator(mode="wrap")
    @classmethod
    def _may_be_reference(cls, value: Any, handler: ModelWrapValidatorHandler[BaseModel]) -> Any:
        return cls.model_construct() if stands_for_another(value) else handler(value)


Number = Annotated[float, OR_REFERENCE]


def _unless_digits(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    is_number = isinstance(value, str) and value.strip().isdigit()
    return value if is_number else _unless_reference(value, handler)


#: Marks a number that may be written as text.
OR_DIGITS: Final = WrapValidator(_unless_digits)

#: A number that may not be negative.
Count = Annotated[float, Field(ge=0), OR_DIGITS]
#: A number of things, of which there is at least one.
Times = Annotated[int, Field(ge=1), OR_DIGITS]
Switch = Annotated[bool, OR_REFERENCE]
#: A mapping with any keys.
AnyKeys = Annotated[dict[str, Any], OR_REFERENCE]


def _label_kind(value: object) -> str:
    return "<other>" if isinstance(value, bool | int | float) else "<text>"


#: A text that is only shown: a number is as good.
Label = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[float | bool, Tag("<other>")],
    Discriminator(_label_kind),
]


def kind_of(value: object) -> str:
    """Return the kind of a value that may be text, a list or a mapping."""
    if isinstance(value, list | tuple):
        return "<list>"
    return "<mapping>" if isinstance(value, dict) else "<text>"


#: A text, or a list of texts.
Texts = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[list[str], Tag("<list>")], Discriminator(kind_of)
]
#: A text, or a mapping with any keys.
TextOrMapping = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[dict[str, Any], Tag("<mapping>")],
    Discriminator(kind_of),
]
#: A provider where it is not listed: one that grades, or that answers a single test.
SingleProvider = Annotated[
    Annotated[str, FieldRole.TARGET, Tag("<text>")]
    | Annotated[dict[str, Any], Under({"id": (FieldRole.TARGET,)}), Tag("<mapping>")],
    Discriminator(kind_of),
]
#: Labels or ids of prompts, or of providers: those that are sent or asked.
ChosenPrompts = Annotated[Texts, RefersTo(Kind.PROMPT_LABEL)]
ChosenProviders = Annotated[Texts, RefersTo(Kind.PROVIDER)]
#: The id of a provider that is listed, which is its name, too.
ProviderId = Annotated[str, FieldRole.TARGET, Defines(Kind.PROVIDER, is_id=True)]
#: A text for readers, into which nothing is filled.
Description = Annotated[Label, FieldRole.AS_WRITTEN]
#: The environment of providers, into which no variables of tests are filled.
Environment = Annotated[AnyKeys, FieldRole.AS_WRITTEN]
#: The path of a file with tests.
TestsFile = Annotated[str, File(TESTS, scheme="allowed")]
