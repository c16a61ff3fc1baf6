"""Grades a classification: the answer names one of a list of labels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from suitecase_evaluators.evaluator import (
    ComparedText,
    Description,
    EvaluatorConfig,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.expected_text import (
    NOTHING_EXPECTED,
    NonEmpty,
    TextsKey,
    expected_texts,
    lacks_expected,
    shown,
)
from suitecase_evaluators.field_role import FieldRole
from suitecase_evaluators.json_values import show_json
from suitecase_evaluators.message import Message
from suitecase_evaluators.normalize import STEPS_IN_WORDS, NormalizeKey, comparable, steps_of
from suitecase_evaluators.score import Score
from suitecase_evaluators.synonyms import (
    SYNONYMS_IN_WORDS,
    SynonymsKey,
    SynonymTable,
    with_synonyms,
)
from suitecase_evaluators.unseen_differences import unseen_difference
from suitecase_evaluators.word_search import WordSearch


class LabelConfig(EvaluatorConfig):
    """Scores 1 if the answer names the expected one of several labels, else 0.

    An answer that names no label is wrong, and not an error. The result has the expected and the
    predicted label, of which a gate can use accuracy (`NAME`), `NAME.macro_f1` and
    `NAME.recall.LABEL`.
    """

    type: Literal["label"]
    labels: Annotated[list[NonEmpty], FieldRole.LABELS] = Field(
        min_length=1, description="The labels.", examples=[["refund", "exchange", "delivery"]]
    )
    value: TextsKey = Field(
        default=None,
        description="The expected label, or a list of labels of which each is right. Default: the case's "
        "expected output, which is the text of its last expected message.",
        examples=["exchange"],
    )
    find: Literal["whole", "first", "last"] = Field(
        default="whole",
        description="`whole`: the answer is a label and nothing else. `first`, `last`: the first or the "
        "last label that occurs in the answer as a separate word. Default `whole`.",
    )
    normalize: NormalizeKey = Field(
        default=None,
        description=f"{STEPS_IN_WORDS} White space at both ends is ignored, except with `none`. By "
        "default, nothing else is.",
        examples=[["casefold", "punctuation", "spaces"]],
    )
    synonyms: SynonymsKey = Field(
        default=None,
        description=f"{SYNONYMS_IN_WORDS} Each stands for the label.",
        examples=[{"exchange": ["swap", "Umtausch"]}],
    )


class Classes:
    """The labels of an entry, found in texts.

    Args:
        config: the entry. Synonyms in a file have to be read before.
    """

    def __init__(self, config: LabelConfig) -> None:
        self._config = config
        self._synonyms = SynonymTable(config.synonyms, self._prepare)
        #: The labels by each of their forms.
        self._labels: dict[str, str] = {}
        for label in config.labels:
            for form in self._synonyms.forms_of(self._prepare(label)):
                self._labels.setdefault(form, label)

    def of(self, text: str) -> str | None:
        """Return the label that a whole text is, if any."""
        return self._labels.get(self._prepare(text))

    def in_answer(self, text: str) -> str | None:
        """Return the label that an answer names, if any."""
        if self._config.find == "whole":
            return self.of(text)
        # Of two labels at one place the longer one is named.
        found = list(self._search.found(self._prepare(text)))
        if not found:
            return None
        return self._labels[found[0 if self._config.find == "first" else -1]]

    @cached_property
    def _search(self) -> WordSearch:
        return WordSearch(filter(None, self._labels))

    def _prepare(self, text: str) -> str:
        return comparable(text, self._config.normalize)


def _labels(config: LabelConfig) -> tuple[str, ...]:
    return tuple(config.labels)


def _compared_texts(config: LabelConfig, expected: tuple[Message, ...]) -> Iterator[ComparedText]:
    steps = steps_of(config.normalize)
    for number, text in enumerate(config.labels):
        yield ComparedText(text, steps, ("labels", number))


def _label_of(config: LabelConfig, text: str) -> str | None:
    return Classes(config).of(text)


@evaluator(
    LabelConfig,
    description=Description(
        lacks_expected=lacks_expected,
        as_graded=with_synonyms,
        labels=_labels,
        compared_texts=_compared_texts,
        label_of=_label_of,
    ),
)
async def label(config: LabelConfig, subject: Subject, services: Services) -> Score:
    """Compare the label that the answer names with the expected one."""
    values = expected_texts(config.value, subject)
    if not values:
        return Score.failed_to_grade(NOTHING_EXPECTED)
    classes = Classes(config)
    expected = [classes.of(it) for it in values]
    for text, found in zip(values, expected, strict=True):
        if found is None:
            return Score.failed_to_grade(
                f"the expected label {show_json(text)} is not one of {shown(config.labels)}"
            )
    accepted = [it for it in expected if it is not None]
    predicted = classes.in_answer(subject.candidate_answer)
    is_right = predicted in accepted
    named = "names no label" if predicted is None else f"names the label {show_json(predicted)}"
    message = f"the answer {named}"
    if not is_right:
        message += f", expected {shown(accepted)}"
        message += unseen_difference(
            subject.candidate_answer, accepted, lambda seen, _: classes.in_answer(seen) in accepted
        )
    return Score.graded(
        float(is_right),
        hits=(message,) if is_right else (),
        misses=() if is_right else (message,),
        reasoning=message,
        # Of several right labels, a wrong answer is counted against the first.
        details={"expected": predicted if is_right else accepted[0], "predicted": predicted},
    )
