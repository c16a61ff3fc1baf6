"""The texts of judge prompts: their variables, where these stand, and filling them in."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Mapping
from functools import lru_cache, partial
from typing import NamedTuple

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.trace_summary import messages_known
from suitecase_evaluators.grade.evaluator import Subject
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.model import json_values
from suitecase_evaluators.text.written_number import encoded

#: Every variable a judge prompt may name, with its meaning in one line.
VARIABLES: Mapping[str, str] = {
    "question": "The case's input as text.",
    "expected_outcome": "What the case says a good answer does.",
    "reference_answer": "The text of the last expected message; empty where there is none.",
    "candidate_answer": "The answer that is judged. One without text, such as a call of a tool, is shown "
    "as its messages, as JSON.",
    "rubrics": "The rubric items with their ids, weights, gates and score ranges.",
    "criteria": "What the answer is judged by: the text of `criteria`, in an `llm_judge` the "
    "case's `expected_outcome`.",
    "references": "The texts of the judge's `references`, each with its path as a heading.",
    "input_messages": "The messages that went into the target, as JSON.",
    "expected_messages": "The messages the case expects, as JSON.",
    "output_messages": "The messages that came out of the target, as JSON.",
}

#: Additional variables in the prompt of a composite's `llm_judge` aggregator.
AGGREGATOR_VARIABLES: Mapping[str, str] = {
    "EVALUATOR_RESULTS_JSON": "The results of the composite's members, as JSON.",
}

#: The variables for the two answers in the prompt of a judge that compares them.
COMPARISON_VARIABLES: Mapping[str, str] = {
    "first_answer": "One of the two answers that are compared. The judge is asked twice: each answer is "
    "the first one once.",
    "second_answer": "The other one of the two answers that are compared.",
}
#: The variables that would reveal to a judge which of the two answers is graded.
_TELL_ANSWERS_APART = frozenset({"candidate_answer", "output_messages", "rubrics"})
#: The variables of judges with keys that the other ones do not have.
_OF_SOME_JUDGES = frozenset({"references"})

#: Names that variables had in other formats, and what they are called today.
OTHER_NAMES: Mapping[str, str] = {
    "outcome": "expected_outcome",
    "answer": "candidate_answer",
    "input": "question",
    "output": "candidate_answer",
    "expected_output": "reference_answer",
    "question_text": "question",
    "input_text": "question",
    "output_text": "candidate_answer",
    "reference_answer_text": "reference_answer",
    "expected_output_text": "reference_answer",
}

_ENDS_LIKE_FILE = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
#: Any name is found, so that a misspelt one can be reported. A name starts with a letter, which
#: leaves out doubled braces of JSON. The limits on its length and on blanks keep the search linear.
#: `${name}` is an older form; there only names that are known are found, since it means something
#: to shells too.
_KNOWN = "|".join((*VARIABLES, *OTHER_NAMES))
_VARIABLE = re.compile(
    r"\{\{\s{0,20}([^\W\d][^{}\"':\n]{0,80}?)\s{0,20}\}\}" rf"|(?<!\$)\$\{{({_KNOWN})\}}"
)

#: A known name with two braces on one side, and fewer on the other.
_UNCLOSED = re.compile(
    rf"\{{\{{\s{{0,20}}({_KNOWN})\b(?:[ \t]{{0,20}}\}})?(?!\w|[ \t]{{0,20}}\}})"
    rf"|(?<![{{$])\{{[ \t]{{0,20}}({_KNOWN})\s{{0,20}}\}}\}}(?!\}})"
)

#: Why a prompt cannot be filled in if `shows_what_is_known` is false.
UNKNOWN_MESSAGES = (
    "the judge's prompt contains `output_messages`, but only the number of tool calls was recorded "
    "for this answer; use a target that reports its messages"
)
#: The variables that contain the answer.
_ANSWERS = frozenset({"candidate_answer", "output_messages", "expected_messages"})


def variables_of(role: FieldRole | None) -> Mapping[str, str]:
    """Return the variables of a prompt, with their meanings, by the role of its value."""
    match role:
        case FieldRole.AGGREGATION_PROMPT:
            common = {name: it for name, it in VARIABLES.items() if name not in _OF_SOME_JUDGES}
            return {**common, **AGGREGATOR_VARIABLES}
        case FieldRole.COMPARISON_PROMPT:
            left_out = _TELL_ANSWERS_APART | _OF_SOME_JUDGES
            common = {name: it for name, it in VARIABLES.items() if name not in left_out}
            return {**COMPARISON_VARIABLES, **common}
        case _:
            return VARIABLES


def looks_like_path(text: str) -> bool:
    """Whether a prompt names a file rather than being the prompt.

    A prompt is more than a word; a path has no line break and no space, and a folder or an ending.
    """
    text = text.strip()
    if not text or any(it.isspace() for it in text) or "{{" in text:
        return False
    return "/" in text or bool(_ENDS_LIKE_FILE.search(text))


class Variable(NamedTuple):
    """A `{{ name }}` in a text; `start` and `end` are code points and include the braces.

    `name` is today's; `is_older` says that it is written in another way.
    """

    name: str
    start: int
    end: int
    is_older: bool = False


@lru_cache(maxsize=64)
def find_variables(text: str) -> tuple[Variable, ...]:
    """Return every `{{ name }}` in order, known or not; many judges have the same prompt."""
    return tuple(
        Variable(
            _name(match), match.start(), match.end(), match[1] is None or match[1] in OTHER_NAMES
        )
        for match in _VARIABLE.finditer(text)
    )


def find_unclosed(text: str) -> list[Variable]:
    """Return known names that have two braces on one side only, in order."""
    closed = find_variables(text)
    found: list[Variable] = []
    for match in _UNCLOSED.finditer(text):
        number = bisect_left(closed, match.end(), key=lambda variable: variable.start) - 1
        if number < 0 or closed[number].end <= match.start():
            name = match[1] or match[2]
            found.append(Variable(OTHER_NAMES.get(name, name), match.start(), match.end()))
    return found


def _name(found: re.Match[str]) -> str:
    name = found[1] or found[2]
    return OTHER_NAMES.get(name, name)


@lru_cache(maxsize=64)  # the prompts of a suite, each of which is filled in for each case
def names_in(text: str) -> frozenset[str]:
    """Return the names of all variables of a text, known or not."""
    return frozenset(variable.name for variable in find_variables(text))


def sees_answer(text: str) -> bool:
    """Whether a prompt shows the judge what to judge: the candidate or the expected messages.

    A prompt of which this does not hold judges nothing.
    """
    return not _ANSWERS.isdisjoint(names_in(text))


def render(text: str, values: Mapping[str, str]) -> str:
    """Fill in variables in one pass.

    Values are never searched for variables, so an answer that holds `{{ question }}` keeps it.
    Names without a value stay as they are.
    """
    parts: list[str] = []
    done = 0
    for name, start, end, _ in find_variables(text):
        parts += (text[done:start], values.get(name, text[start:end]))
        done = end
    return "".join((*parts, text[done:]))


def filled_prompt(prompt: str, subject: Subject | None) -> str:
    """Return a prompt with its variables filled in for an answer; unchanged for None.

    A judge without rubrics of its own is shown none.
    """
    if subject is None:
        return prompt
    return render(prompt, values_of(subject, used=names_in(prompt)))


def messages_as_json(messages: Iterable[Message]) -> str:
    """Return messages as a JSON list, for prompts."""
    dumped = [json_values(message, exclude_none=True) for message in messages]
    return encoded(dumped, partial(json.dumps, ensure_ascii=False, indent=2))


def shown_answer(subject: Subject) -> str:
    """Return the answer as judges are shown it.

    An answer without text is shown by its messages, as JSON, where they say anything: calls of
    tools, or structured content. One that says nothing at all is the empty text.
    """
    if subject.candidate_answer.strip():
        return subject.candidate_answer
    says_anything = any(
        output_message.tool_calls or output_message.text.strip()
        for output_message in subject.output_messages
    )
    return messages_as_json(subject.output_messages) if says_anything else ""


def shows_what_is_known(prompt: str | None, subject: Subject) -> bool:
    """Whether a prompt shows no messages that were not recorded, and would look like no calls.

    The default prompt, None, shows them in place of an answer without text.
    """
    named = prompt is not None and "output_messages" in names_in(prompt)
    needed = named or not subject.candidate_answer.strip()
    return not needed or messages_known(subject.trace, subject.output_messages)


def values_of(
    subject: Subject,
    *,
    rubrics: str = "",
    criteria: str | None = None,
    references: str = "",
    used: Container[str] | None = None,
) -> dict[str, str]:
    """Return the value of every variable of `VARIABLES` for an answer.

    Args:
        rubrics: the rendered rubric list.
        criteria: what the answer is judged by; None takes the expected outcome.
        references: the reference material.
        used: only the values of these names are made; None makes them all.
    """
    values: dict[str, Callable[[], str]] = {
        "question": lambda: subject.question,
        "expected_outcome": lambda: subject.expected_outcome,
        "reference_answer": lambda: subject.reference_answer,
        "candidate_answer": lambda: shown_answer(subject),
        "rubrics": lambda: rubrics,
        "criteria": lambda: subject.expected_outcome if criteria is None else criteria,
        "references": lambda: references,
        "input_messages": lambda: messages_as_json(subject.input_messages),
        "expected_messages": lambda: messages_as_json(subject.expected_messages),
        "output_messages": lambda: messages_as_json(subject.output_messages),
    }
    return {name: make() for name, make in values.items() if used is None or name in used}
