"""The texts an answer is compared with: one or several, of the suite or of what the case expects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

from pydantic import Discriminator, Field, Tag

from suitecase_evaluators.answers.message import Message, kind_of
from suitecase_evaluators.grade.evaluator import ComparedText, Subject
from suitecase_evaluators.grade.normalize import steps_of
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.text.json_values import show_json

NonEmpty = Annotated[str, Field(min_length=1)]
#: One text, or several.
Texts = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[list[str], Field(min_length=1), Tag("<list>")],
    Discriminator(kind_of),
]
#: The same, where an empty text would be found in every answer.
NonEmptyTexts = Annotated[
    Annotated[NonEmpty, Tag("<text>")]
    | Annotated[list[NonEmpty], Field(min_length=1), Tag("<list>")],
    Discriminator(kind_of),
]
TextsKey = Annotated[Texts | None, FieldRole.COMPARED_TEXT]
NonEmptyTextsKey = Annotated[NonEmptyTexts, FieldRole.COMPARED_TEXT]

#: What cannot be graded without a `value` where the case expects nothing.
NOTHING_EXPECTED: Final = (
    "there is nothing to compare the answer with; add `value`, or `expected_output` to the case"
)


def listed(value: str | Sequence[str]) -> Sequence[str]:
    """Return the texts of a value that may be one text."""
    return (value,) if isinstance(value, str) else value


def expected_texts(value: str | Sequence[str] | None, subject: Subject) -> Sequence[str]:
    """Return what an answer is compared with: a value, or else what the case expects, if anything."""
    if value is not None:
        return listed(value)
    return (subject.expected_messages[-1].text,) if subject.expected_messages else ()


def lacks_expected(config: Any, expected: tuple[Message, ...]) -> str | None:
    """Return why an entry that may compare answers with what a case expects cannot, if so."""
    return NOTHING_EXPECTED if config.value is None and not expected else None


def compared_texts(config: Any, expected: tuple[Message, ...]) -> Iterator[ComparedText]:
    """Yield the texts of an entry that compares answers with its `value` or what a case expects."""
    steps = steps_of(config.normalize)
    match config.value:
        case None:
            if expected:
                yield ComparedText(expected[-1].text, steps)
        case str():
            yield ComparedText(config.value, steps, ("value",))
        case values:
            for number, text in enumerate(values):
                yield ComparedText(text, steps, ("value", number))


def shown(values: Sequence[str], word: str = "or") -> str:
    """Return texts for people: `"a", "b" or "c"`."""
    *others, last = map(show_json, values)
    return f"{', '.join(others)} {word} {last}" if others else last
