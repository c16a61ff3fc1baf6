"""A suite as the export of a prompt library."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from suitecase.formats.portable import Note, RefusedError, on_lines
from suitecase.formats.suitecase.effective_suite import (
    EffectiveCase,
    EffectiveEvaluator,
    EffectiveSuite,
)
from suitecase.formats.suitecase.model import FIGURE_KEYS, PROTOCOL_KEYS
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.formats.suitecase.prompt_library.detect import MEETS_CRITERIA, MEETS_SCHEMA
from suitecase.text.plural import counted
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.grade.criteria import CriteriaConfig
from suitecase_evaluators.grade.json_schema import JsonSchemaConfig

#: Keys of a case that a library has no place for.
_CASE_ONLY = ("conversation_id", "sidecar", "metadata", "tags", "note", "description")
_HEAD_ONLY = (
    *("description", "version", "metadata", "schema_"),
    *FIGURE_KEYS,
    *PROTOCOL_KEYS,
)


def prompt_library(
    suite: EffectiveSuite, parsed: ParsedSuite
) -> tuple[list[dict[str, Any]], list[Note]]:
    """Return a suite as the prompts of a library, of which there is one, and what was lost.

    Args:
        suite: the suite as it is graded.
        written: the same as it is written.

    Raises:
        RefusedError: a case asks for what a test case cannot: it has one text for its input.
    """
    writer = _Writer(suite, parsed)
    problems = [it for case in suite.cases for it in _unsayable(case)]
    if problems:
        raise RefusedError(problems)
    return [writer.prompt()], writer.notes


def _unsayable(case: EffectiveCase) -> Iterator[Note]:
    line = case.lines.get("input_messages") or case.lines.get("input") or case.line
    messages = case.input_messages
    why = ""
    if len(messages) != 1:
        why = f"this case has {len(messages)} messages"
    elif messages[0].role != "user":
        why = f"this message is the {messages[0].role}'s"
    elif _files(messages[0]):
        why = "this message names a file"
    elif messages[0].tool_calls or messages[0].name:
        why = "this message has a name or tool calls"
    if why:
        message = (
            f"case `{case.id}`: a test case of a library has one text for its input, and {why}"
        )
        yield Note(message, line)


def _files(message: Message) -> bool:
    content = message.content
    return isinstance(content, list) and any(it.type == "file" for it in content)


class _Writer:
    def __init__(self, suite: EffectiveSuite, parsed: ParsedSuite) -> None:
        self._suite = suite
        self._written = parsed
        #: What `evaluation_criteria` says of what evaluators grade by.
        self._criteria: str | None = None
        self.notes: list[Note] = []
        #: The lines of what is lost, by what it is.
        self._lost: defaultdict[str, list[int]] = defaultdict(list)

    def prompt(self) -> dict[str, Any]:
        suite, head = self._suite, self._suite.head
        mode, criteria = self._mode()
        prompt: dict[str, Any] = {"name": suite.dataset, "content": suite.prompt}
        if not suite.prompt:
            self.notes.append(Note("the suite has no `prompt`, so the prompt's content is empty"))
        if head.prompt is not None and not isinstance(head.prompt, str):
            self.notes.append(Note(f"the text of `{head.prompt.file}` is copied to the library"))
        if head.expected_schema:
            prompt["expected_schema"] = _as_text(head.expected_schema)
        prompt |= {"evaluation_mode": mode, "evaluation_criteria": criteria}
        for key in _HEAD_ONLY:
            if getattr(head, key) is not None:
                self.notes.append(Note(f"lost: the suite's `{key.replace('schema_', '$schema')}`"))
        for key in ("repeats", "seed"):
            if getattr(head.execution, key, None) is not None:
                self.notes.append(Note(f"lost: the suite's `execution.{key}`"))
        if head.evaluation_criteria and not criteria:
            self.notes.append(Note("lost: `evaluation_criteria`, which are not used"))
        prompt["test_cases"] = [self._case(case, mode) for case in suite.cases]
        self._free_keys()
        if any(case.target for case in suite.cases):
            targets = dict.fromkeys(case.target for case in suite.cases if case.target)
            names = ", ".join(f"`{target}`" for target in targets)
            self.notes.append(Note(f"lost: the targets {names}"))
        self.notes += [
            Note(f"lost: {what} on {on_lines(lines)}") for what, lines in self._lost.items()
        ]
        self.notes.append(Note(f"lost: the ids of {counted(len(suite.cases), 'case')}"))
        return prompt

    def _mode(self) -> tuple[str, str]:
        """Return the mode, and the criteria for all cases."""
        head, cases = self._suite.head, self._suite.cases
        if head.evaluation_mode is not None:
            return head.evaluation_mode, head.evaluation_criteria or ""
        found = [[evaluator.config for evaluator in case.evaluators] for case in cases]
        criteria = {
            next((config.criteria for config in configs if isinstance(config, CriteriaConfig)), "")
            for configs in found
        }
        if len(criteria) == 1 and (text := criteria.pop()):
            self._criteria = text
            self.notes.append(Note("the `criteria` evaluator becomes `evaluation_mode: llm`"))
            return "llm", text
        if any(isinstance(config, JsonSchemaConfig) for configs in found for config in configs):
            self.notes.append(Note("the `json_schema` evaluators become `evaluation_mode: schema`"))
            return "schema", ""
        message = (
            "the library evaluates nothing, since it cannot express any evaluator of this suite"
        )
        self.notes.append(Note(message))
        return "llm", ""

    def _case(self, case: EffectiveCase, mode: str) -> dict[str, Any]:
        test_case: dict[str, Any] = {"input": case.input_messages[0].text}
        test_case |= self._expected(case)
        schema = case.case.evaluation_schema
        for evaluator in case.evaluators:
            of_evaluator = _schema(evaluator) if mode == "schema" and not schema else None
            if of_evaluator:
                schema = of_evaluator
            elif not self._is_said(evaluator):
                self._evaluator(evaluator, case)
        if schema:
            test_case["evaluation_schema"] = _as_text(schema)
        for key in _CASE_ONLY:
            if getattr(case.case, key) is not None:
                self._lost[f"`{key}`"].append(case.lines.get(key, case.line))
        if case.case.expected_outcome not in (MEETS_CRITERIA, MEETS_SCHEMA):
            line = case.lines.get("expected_outcome", case.line)
            self._lost["`expected_outcome`"].append(line)
        return test_case

    def _is_said(self, evaluator: EffectiveEvaluator) -> bool:
        if evaluator.reason == "evaluation_mode":
            return True
        config = evaluator.config
        return isinstance(config, CriteriaConfig) and config.criteria == self._criteria

    def _free_keys(self) -> None:
        """Note the keys that are the author's own."""
        suite = self._written
        for key, entry in suite.head.node or ():
            if key.startswith("x-"):
                self._lost[f"`{key}`"].append(suite.head_line(entry.key.span))
        for number, case in enumerate(suite.cases):
            for key, entry in case.node or ():
                if key.startswith("x-"):
                    self._lost[f"`{key}`"].append(suite.line(number, entry.key.span))

    def _evaluator(self, evaluator: EffectiveEvaluator, case: EffectiveCase) -> None:
        config = evaluator.config
        match evaluator.reason:
            case "default":
                self._lost["the judge that grades by `expected_outcome`"].append(case.line)
            case "rubrics":
                self._lost["`rubrics`"].append(evaluator.line or case.line)
            case _:
                what = f"the evaluator `{config.name}` ({config.type})"
                self._lost[what].append(evaluator.line or case.line)

    def _expected(self, case: EffectiveCase) -> dict[str, Any]:
        messages = case.expected_messages
        if not messages:
            return {}
        content = messages[0].content
        plain_answer = len(messages) == 1 and messages[0].role == "assistant"
        plain_answer = plain_answer and not messages[0].tool_calls and content is not None
        if not plain_answer or isinstance(content, list):
            key = "expected_messages" if case.case.expected_messages else "expected_output"
            self._lost[f"`{key}`, which is more than one text,"].append(
                case.lines.get(key, case.line)
            )
            return {}
        kind = "object" if isinstance(content, dict) else "string"
        if case.case.expected_messages is None and isinstance(case.case.expected_output, list):
            # A list of messages has none of this text.
            listed = json.dumps(case.case.expected_output, ensure_ascii=False)
            kind = "array" if messages[0].text == listed else kind
        return {"expected_output": messages[0].text, "expected_output_type": kind}


def _schema(evaluator: EffectiveEvaluator) -> str | dict[str, Any] | None:
    """Return the schema that an evaluator holds answers against as a library does."""
    config = evaluator.config
    return (
        config.schema_
        if isinstance(config, JsonSchemaConfig) and config.parse == "strict"
        else None
    )


def _as_text(schema: str | dict[str, Any]) -> str:
    return schema if isinstance(schema, str) else json.dumps(schema, ensure_ascii=False)
