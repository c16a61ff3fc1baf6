"""Grades a classification: the answer names one of a list of labels."""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Annotated, Final, Literal

from pydantic import Field

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import (
    ComparedText,
    Description,
    EvaluatorConfig,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.grade.expected_text import (
    NOTHING_EXPECTED,
    NonEmpty,
    TextsKey,
    expected_texts,
    lacks_expected,
    shown,
)
from suitecase_evaluators.grade.normalize import STEPS_IN_WORDS, NormalizeKey, comparable, steps_of
from suitecase_evaluators.grade.synonyms import (
    SYNONYMS_IN_WORDS,
    SynonymsKey,
    SynonymTable,
    with_synonyms,
)
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.text.json_values import show_json
from suitecase_evaluators.text.unseen_differences import unseen_difference

#: Characters of these widths are of scripts that put no blanks between words.
_WIDE: Final = ("W", "F")


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
    def _search(self) -> _WordSearch:
        return _WordSearch(filter(None, self._labels))

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
    expected = [classes.of(value) for value in values]
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


class _WordSearch:
    """Finds texts in another one, where they are separate words.

    This is the algorithm of Aho and Corasick, from the end of a text to its start. The time is proportional to the length of the text, however many texts are looked for and however
    they repeat themselves: with a regular expression, each is tried at each place.

    Args:
        sought: the texts that are looked for. None of them is empty.
    """

    def __init__(self, sought: Iterable[str]) -> None:
        # A state is what was read last, backwards, of some texts; 0 is nothing of any.
        self._next: list[dict[str, int]] = [{}]
        #: The text that a state has read all of.
        self._complete: dict[int, str] = {}
        for text in sought:
            state = 0
            for character in reversed(text):
                following = self._next[state].setdefault(character, len(self._next))
                if following == len(self._next):
                    self._next.append({})
                state = following
            self._complete[state] = text
        #: The state of the next shorter thing that was read, and of the next shorter text.
        self._fallback = [0] * len(self._next)
        self._shorter = [0] * len(self._next)
        states = deque(self._next[0].values())
        while states:
            state = states.popleft()
            fallback = self._fallback[state]
            self._shorter[state] = (
                fallback if fallback in self._complete else self._shorter[fallback]
            )
            for character, following in self._next[state].items():
                self._fallback[following] = self._after(fallback, character)
                states.append(following)

    def found(self, text: str) -> Iterator[str]:
        """Yield what is found in a text, in order; of several texts at one place the longest one."""
        end = 0
        for place, found in reversed(list(self._from_the_end(text))):
            if place >= end:
                yield found
                end = place + len(found)

    def _from_the_end(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the longest text at each place that has any, the last place first."""
        state = 0
        for place in range(len(text) - 1, -1, -1):
            state = self._after(state, text[place])
            if state == 0:
                continue
            complete = state if state in self._complete else self._shorter[state]
            while complete and _is_within_word(text, place + len(self._complete[complete])):
                complete = self._shorter[complete]
            if complete and not (place and _in_word(text[place]) and _is_letter(text[place - 1])):
                yield place, self._complete[complete]

    def _after(self, state: int, character: str) -> int:
        while state and character not in self._next[state]:
            state = self._fallback[state]
        return self._next[state].get(character, 0)


def _is_within_word(text: str, end: int) -> bool:
    return end < len(text) and _in_word(text[end - 1]) and _is_letter(text[end])


def _in_word(character: str) -> bool:
    """Whether a text that begins or ends with a character may be a part of a longer word."""
    return _is_letter(character) and unicodedata.east_asian_width(character) not in _WIDE


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"
