"""Makes a case of each row of an AgentV suite, with the messages of its test."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import ValidationError

from suitecase.format.workspace import Folder, Found
from suitecase.formats.agentv.running.assertions import (
    CRITERIA,
    GRADER,
    PROMPT,
    agentv_assertion_config,
    is_criteria,
)
from suitecase.formats.agentv.running.unsupported import why_not_run
from suitecase.formats.promptfoo.rendering.errors import TemplateError
from suitecase.formats.promptfoo.rendering.prompts import chat_messages, render_prompt
from suitecase.formats.promptfoo.rendering.render import render_nested, render_text
from suitecase.formats.promptfoo.rendering.variables import render_environment
from suitecase.formats.promptfoo.running.assertion_files import value_from_file
from suitecase.formats.promptfoo.running.cases import EXPECTED, CaseMaker
from suitecase.formats.promptfoo.running.refused import RefusedError, raise_all, refusing
from suitecase.formats.promptfoo.running.unresolved import unresolved_in_test
from suitecase.formats.promptfoo.suite.effective.rows import Row as ExpandedRow
from suitecase.formats.promptfoo.suite.effective.tests import EffectiveTest
from suitecase.formats.suitecase.effective_suite import EffectiveEvaluator, Reason
from suitecase.text.node import Node, Span
from suitecase.text.taken_names import TakenNames
from suitecase_evaluators.answers.message import ContentPart, Message
from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.answers.score import PASS_AT
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.schema.validation_words import named_problem
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.text.written_number import as_written

#: A prompt that is a single variable, whose messages are sent as they are.
_ONE_VARIABLE: Final = re.compile(r"\s*\{\{-?\s*(?:vars\.)?([A-Za-z_]\w*)\s*-?\}\}\s*")
#: The keys of an assertion with a grading prompt, which is filled in when grading.
_PROMPTS: Final = ("rubric_prompt", "prompt")
_GRADED: Final = frozenset({"llm-rubric", "rubrics"})


@dataclass(frozen=True)
class AgentvCaseMaker(CaseMaker):
    """Makes the cases of a suite.

    Attributes:
        threshold: the default mean score at which tests pass; None if the suite has none.
        assertions: those of the suite, which grade every test.
        input_files: the files that are sent with every prompt.
    """

    threshold: float | None = None
    assertions: tuple[Any, ...] = ()
    input_files: tuple[Any, ...] = ()

    def unresolved_in(self, test: Node | None) -> Iterator[tuple[str, Span]]:
        # `$ref` has no meaning there but in JSON Schemas.
        yield from unresolved_in_test(test, self.reading)

    def _variables(self, written: Mapping[str, Any]) -> dict[str, Any]:
        """Return the variables with templates in lists and mappings filled in; prompts fill in strings."""
        found = super()._variables(written)
        context = self._context(found)
        return {
            name: it if isinstance(it, str) else render_nested(it, context, self.environ)
            for name, it in found.items()
        }

    def _context(self, variables: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"vars": dict(variables), **variables}

    def _row(self, test: EffectiveTest, expanded: ExpandedRow, called: str) -> Row:
        why = why_not_run(test.settings)
        if why is not None:
            raise RefusedError(why)
        if expanded.prompt.text is None:
            raise RefusedError("`suitecase run` does not run the code that writes this prompt")
        row = super()._row(test, expanded, called)
        return replace(row, threshold=self._passes_at(test))

    def _transforms(self, test: EffectiveTest, expanded: ExpandedRow) -> tuple[str, ...]:
        if super()._transforms(test, expanded):
            raise RefusedError("`suitecase run` does not run `transform` of AgentV")
        return ()

    def _passes_at(self, test: EffectiveTest) -> float:
        """Return the mean score at which a test passes."""
        run, execution = test.settings.get("run"), test.settings.get("execution")
        written = [it.get("threshold") for it in (run, execution) if isinstance(it, dict)]
        for value in (*written, test.settings.get("threshold"), self.threshold):
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
        return PASS_AT

    def _messages(
        self, test: EffectiveTest, expanded: ExpandedRow, row: Row, target: TargetConfig
    ) -> tuple[Message, ...]:
        one = _ONE_VARIABLE.fullmatch(expanded.prompt.text or "")
        given = row.variables.get(one[1]) if one is not None else None
        if isinstance(given, list) and given and isinstance(given[0], dict):
            listed: list[Any] | None = given
        else:
            listed = _chat(row.prompt or "")
        asked = (
            (Message(role="user", content=row.prompt or ""),)
            if listed is None
            else messages_in(listed, self.folder)
        )
        own = test.settings.get("input_files")
        files = [*self.input_files, *(own if isinstance(own, list) else [])]
        return with_files(asked, files, self.folder)

    def _expected(self, row: Row) -> tuple[Message, ...]:
        value = row.variables.get("expected_output")
        if isinstance(value, str):
            value = refusing(lambda: self._text("{{ expected_output }}", row))
        return expected_messages(value, self.folder)

    def _outcome(self, test: EffectiveTest, row: Row) -> str:
        written = test.settings.get("criteria")
        if not isinstance(written, str) or not written.strip():
            return EXPECTED
        return str(
            refusing(lambda: render_text(written, self._context(row.variables), self.environ))
        )

    def _text(self, template: str, row: Row) -> str:
        return render_prompt(template, self._context(row.variables), self.environ)

    def _evaluators(
        self, test: EffectiveTest, row: Row, line: int
    ) -> tuple[EffectiveEvaluator, ...]:
        taken = TakenNames()
        found: list[EffectiveEvaluator] = []
        refused: list[RefusedError] = []
        for written, number, is_shared in self._listed(test):
            try:
                config = self._evaluator(test, written, row, taken)
            except RefusedError as error:
                error.assertion = number
                refused.append(error)
                continue
            reason: Reason = "suite" if is_shared else "case"
            found.append(EffectiveEvaluator(config, reason, line))
        raise_all(refused)
        return tuple(found)

    def _listed(self, test: EffectiveTest) -> Iterator[tuple[Any, int | None, bool]]:
        """Yield the assertions of a test with their numbers, and whether they are those of the suite.

        The strings of a list are one rubric, whose weight is their number. `criteria` are one where nothing
        else grades the test and it has no `assert` itself.
        """
        own, default = test.default_assertions, test.assertions[: test.default_assertions]
        for it, number in _grouped(default):
            yield it, number, True
        for it, number in _grouped(test.assertions[own:]):
            yield it, number + own, False
        execution = test.settings.get("execution")
        skips = isinstance(execution, dict) and execution.get("skip_defaults") is True
        shared = () if skips else self.assertions
        for it, _ in _grouped(shared):
            yield it, None, True
        criteria = test.settings.get("criteria")
        is_alone = not (test.has_assert or test.assertions or shared)
        if is_alone and isinstance(criteria, str) and criteria.strip():
            for it, _ in _grouped([criteria]):
                yield it, None, False

    def _evaluator(
        self, test: EffectiveTest, written: Any, row: Row, taken: TakenNames
    ) -> EvaluatorConfig:
        if not isinstance(written, dict) or "type" not in written:
            raise RefusedError("`suitecase run` does not take assertions from other files")
        named = refusing(lambda: render_environment(written, self.environ))
        filled = refusing(lambda: self._assertion(test, named, row))
        name = next(
            (str(it) for key in ("metric", "name", "type") if (it := filled.get(key))), "assertion"
        )
        config = agentv_assertion_config(filled, name, row.threshold or PASS_AT)
        return config.model_copy(update={"name": taken.take(config.name)})

    def _assertion(self, test: EffectiveTest, written: Any, row: Row) -> dict[str, Any]:
        """Return an assertion with its templates filled in, and its grader.

        Raises:
            RefusedError: it is not an assertion, or names what cannot be used.
        """
        context = self._context(row.variables)
        if not isinstance(written, dict):
            raise RefusedError("a member of an `assert-set` is not an assertion")
        filled = dict(written)
        for key in ("value", "criteria", "metric"):
            if key in written:
                filled[key] = render_nested(written[key], context, self.environ)
        if isinstance(written.get("value"), str):
            read = value_from_file(written, self.folder, of_any_type=True)
            filled["value"] = filled["value"] if read is None else read.value
        if isinstance(written.get("assert"), list):
            filled["assert"] = [
                self._assertion(test, it, row) for it, _ in _grouped(written["assert"])
            ]
        if str(written.get("type")).removeprefix("not-") in _GRADED:
            filled.update(self._grading(test, written, row))
        return filled

    def _grading(self, test: EffectiveTest, assertion: dict[str, Any], row: Row) -> dict[str, Any]:
        provider = assertion.get("provider") or test.options.get("provider")
        found: dict[str, Any] = {GRADER: self.targets.grader(provider).name} if provider else {}
        prompt = next((assertion[it] for it in _PROMPTS if assertion.get(it)), None)
        prompt = prompt or test.options.get("rubric_prompt")
        if prompt:
            read = value_from_file({"value": prompt}, self.folder, of_any_type=True)
            text = prompt if read is None else read.value
            is_told = read is None and isinstance(prompt, str) and is_criteria(prompt)
            found |= {PROMPT: None, CRITERIA: text} if is_told else {PROMPT: text}
        return found


def _grouped(listed: Any) -> Iterator[tuple[Any, int]]:
    """Yield assertions with their numbers; strings are one rubric, at the place of the first.

    Each that is blank is one of its own, which is refused: nothing could be graded by it.
    """
    texts = [entry.strip() for entry in listed if isinstance(entry, str) and entry.strip()]
    is_yielded = False
    for number, entry in enumerate(listed):
        if not isinstance(entry, str):
            yield entry, number
        elif not entry.strip():
            yield {"type": "llm-rubric", "value": entry}, number
        elif not is_yielded:
            is_yielded = True
            yield {"type": "llm-rubric", "value": texts, "weight": len(texts)}, number


def _chat(prompt: str) -> list[Any] | None:
    """Return the messages of a prompt that is a list of them; None for any other."""
    try:
        found = chat_messages(prompt)
    except TemplateError:
        return None
    return found if found and all(isinstance(it, dict) and "role" in it for it in found) else None


#: A tuple, since what is looked for may be a list or a mapping.
_KINDS: Final = ("text", "file")


def messages_in(value: Sequence[Any], folder: Folder) -> tuple[Message, ...]:
    """Return a list of messages.

    Args:
        value: the messages as plain values.
        folder: the folder of the suite, which paths are relative to.

    Raises:
        RefusedError: one is not a message, or names a file that does not exist.
    """
    return tuple(_message(inner, folder) for inner in value)


def with_files(
    messages: tuple[Message, ...], files: Sequence[Any], folder: Folder
) -> tuple[Message, ...]:
    """Return messages with files at the beginning of the last user message.

    Raises:
        RefusedError: a file does not exist.
    """
    users = [number for number, message in enumerate(messages) if message.role == "user"]
    if not files or not users:
        return messages
    at = users[-1]
    parts = [_part({"type": "file", "value": file}, folder) for file in files]
    content = messages[at].content
    parts_of_text = (
        content
        if isinstance(content, list)
        else [ContentPart(type="text", value=messages[at].text)]
    )
    asked = messages[at].model_copy(update={"content": [*parts, *parts_of_text]})
    return (*messages[:at], asked, *messages[at + 1 :])


def expected_messages(value: Any, folder: Folder) -> tuple[Message, ...]:
    """Return the expected answer: a string, messages, or a structured value.

    Raises:
        RefusedError: one is not a message.
    """
    match value:
        case None | "":
            return ()
        case str():
            return (Message(role="assistant", content=value),)
        case dict() if "role" in value:
            return messages_in([value], folder)
        case dict():
            return (Message(role="assistant", content=value),)
        case list() if value and all(
            isinstance(inner, dict) and "role" in inner for inner in value
        ):
            return messages_in(value, folder)
    return (Message(role="assistant", content=as_written(value)),)


def _message(written: Any, folder: Folder) -> Message:
    if not isinstance(written, Mapping):
        raise RefusedError("a message is a mapping with `role` and `content`")
    fields = {key: written.get(key) for key in ("role", "content", "name", "tool_calls")}
    if isinstance(fields["content"], list):
        fields["content"] = [_part(part, folder) for part in fields["content"]]
    if isinstance(fields["tool_calls"], list):
        known = ("tool", "input", "output", "duration_ms")
        fields["tool_calls"] = [
            {key: call.get(key) for key in known} if isinstance(call, Mapping) else call
            for call in fields["tool_calls"]
        ]
    try:
        return Message.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in first["loc"] if not str(step).startswith("<"))
        raise RefusedError(named_problem(f"`{place}` of a message", dict(first))) from None


def _part(written: Any, folder: Folder) -> ContentPart:
    kind = written.get("type") if isinstance(written, Mapping) else None
    if kind not in _KINDS:
        raise RefusedError(f"`suitecase run` sends text and files, no part of the type `{kind}`")
    value = written.get("value", written.get("text"))
    if not isinstance(value, str):
        raise RefusedError(
            f"a part of a message of the type `{kind}` needs a string as its `value`"
        )
    if kind == "file" and not isinstance(folder.find(value), Found):
        raise RefusedError(f"the file `{value}` was not found")
    return ContentPart(type=kind, value=value)
