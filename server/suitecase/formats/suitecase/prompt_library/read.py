"""A prompt of a library, with its test cases, to a suite."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from suitecase.formats.portable import (
    Note,
    Notes,
    Portable,
    RefusedError,
    UnchosenPromptError,
)
from suitecase.formats.suitecase.current.read import half_surrogate
from suitecase.formats.suitecase.prompt_library.detect import (
    MEETS_CRITERIA,
    MEETS_SCHEMA,
    prompts_of,
    reads_as_messages,
    snake,
)
from suitecase.text.document import Content
from suitecase.text.lines import Lines
from suitecase.text.near_names import nearest
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence, describe, plain
from suitecase.text.plural import counted
from suitecase_evaluators.text.json_values import NotJsonError, parse_json

_PROMPT_KEYS = (
    "name",
    "content",
    "expected_schema",
    "evaluation_mode",
    "evaluation_criteria",
    "test_cases",
    "version",
    "description",
)
_CASE_KEYS = (
    "id",
    "name",
    "input",
    "expected_output",
    "expected_output_type",
    "evaluation_schema",
)


def from_prompt_library(content: Content, name: str, prompt_name: str | None = None) -> Portable:
    """Return one prompt of a library with its test cases as a suite.

    Args:
        content: the JSON, which `is_library`.
        name: what results call the suite where the prompt has no name.
        wanted: the name of the prompt, where there are several.

    Raises:
        RefusedError: something of it cannot be said in a suite.
        UnchosenPromptError: it is not known which prompt is meant.
    """
    reader = _Reader(content)
    suite = reader.suite(prompts_of(content.node), name, prompt_name)
    problems = [*reader.problems, *_unread(content)]
    if problems:
        raise RefusedError(sorted(problems, key=lambda it: (it.line, it.column)))
    return suite


def _unread(content: Content) -> Iterator[Note]:
    notes = Notes(Lines(content.text))
    for problem in content.problems:
        yield notes.at(problem.span, problem.message)
    left: list[Node] = [content.node] if content.node is not None else []
    while left:
        node = left.pop()
        if isinstance(node, Mapping):
            left += [entry.value for _, entry in node]
        elif isinstance(node, Sequence):
            left += node.items
        elif (half := half_surrogate(node.text)) is not None:
            message = f"this text holds half of a surrogate pair, U+{half:04X}"
            yield notes.at(node.span, f"{message}, which UTF-8 cannot encode")


class _Reader:
    """Reads a library, and keeps what is wrong with it."""

    def __init__(self, content: Content) -> None:
        self._lines = Lines(content.text)
        self._notes = Notes(self._lines)
        self.problems: list[Note] = []

    def suite(self, prompts: list[Node], name: str, prompt_name: str | None) -> Portable:
        suite = Portable(name, {}, [], [])
        prompt = self._chosen(prompts, prompt_name)
        if prompt is None:
            return suite
        fields = self._fields(prompt, _PROMPT_KEYS)
        head = suite.head
        if text := self._text(fields, "name"):
            head["dataset"] = text
        head |= {
            key: plain(fields[key].value) for key in ("description", "version") if key in fields
        }
        if text := self._text(fields, "content"):
            head["prompt"] = text
        if (schema := self._schema(fields, "expected_schema", suite)) is not None:
            head["expected_schema"] = schema
        cases = fields.get("test_cases")
        items = cases.value.items if cases and isinstance(cases.value, Sequence) else []
        if not items:
            self._problem(cases.value if cases else prompt, "this prompt has no test cases")
        mode = self._mode(fields, items, suite)
        head["evaluation_mode"] = mode
        if criteria := self._text(fields, "evaluation_criteria"):
            head["evaluation_criteria"] = criteria
        self._others(head, prompt, _PROMPT_KEYS, suite)
        taken: set[str] = set()
        for number, item in enumerate(items, 1):
            suite.cases.append(self._case(item, number, mode, taken, suite))
            place = self._lines.place(item.span)
            suite.places.append((place.line, place.column))
        if items:
            suite.notes.append(
                Note(
                    "test cases of a library do not state what is expected, so the "
                    f"`expected_outcome` of {counted(len(items), 'case')} states what the case is "
                    "evaluated by"
                )
            )
        return suite

    def _chosen(self, prompts: list[Node], prompt_name: str | None) -> Mapping | None:
        found = [prompt for prompt in prompts if isinstance(prompt, Mapping)]
        names = [str(plain(it.get("name") or Scalar(0, 0, "", '"'))) for it in found]
        listed = ", ".join(f"`{name}`" for name in names)
        if prompt_name is not None:
            chosen = [it for it, name in zip(found, names, strict=True) if name == prompt_name]
            if len(chosen) == 1:
                return chosen[0]
            suggestion = nearest(prompt_name, names)
            hint = (
                f"; did you mean `{suggestion}`?" if suggestion else f"; expected one of {listed}"
            )
            if chosen:
                raise UnchosenPromptError(f"{len(chosen)} prompts have the name `{prompt_name}`")
            raise UnchosenPromptError(f"unknown prompt `{prompt_name}`{hint}")
        if len(found) > 1:
            raise UnchosenPromptError(
                f"a suite has one prompt, and this library has {len(found)}: {listed}; choose one "
                "with --prompt"
            )
        if not found:
            self.problems.append(Note("this library has no prompt"))
        return found[0] if found else None

    def _fields(self, node: Mapping, known: tuple[str, ...]) -> dict[str, Entry]:
        """Return the entries that say something, by their names in snake case."""
        fields: dict[str, Entry] = {}
        for key, entry in node:
            name = snake(key)
            if name not in known:
                continue
            if name in fields:
                self._problem(entry.key, f"`{key}` occurs twice, in two spellings")
            if not (isinstance(entry.value, Scalar) and entry.value.value is None):
                fields[name] = entry
        return fields

    def _others(
        self, values: dict[str, Any], node: Mapping, known: tuple[str, ...], suite: Portable
    ) -> None:
        """Keep what a suite has no key for."""
        others = {key: plain(it.value) for key, it in node if snake(key) not in known}
        if others:
            values["metadata"] = others
            names = ", ".join(f"`{other}`" for other in others)
            suite.notes.append(self._notes.at(node.span, f"kept under `metadata`: {names}"))

    def _text(self, fields: dict[str, Entry], key: str) -> str:
        entry = fields.get(key)
        if entry is None:
            return ""
        value = plain(entry.value)
        if not isinstance(value, str):
            self._problem(entry.value, f"`{key}` must be text, not {describe(entry.value)}")
            return ""
        return value

    def _mode(self, fields: dict[str, Entry], items: list[Node], suite: Portable) -> str:
        entry = fields.get("evaluation_mode")
        if entry is None:
            with_schema = any(
                isinstance(item, Mapping) and "evaluation_schema" in map(snake, item.entries)
                for item in items
            )
            mode = "schema" if with_schema else "llm"
            suite.notes.append(
                Note(f"there is no `evaluation_mode` here, so the suite has `{mode}`")
            )
            return mode
        mode = self._text(fields, "evaluation_mode")
        if mode not in ("llm", "schema") and isinstance(plain(entry.value), str):
            self._problem(entry.value, f"`evaluation_mode` must be `llm` or `schema`, not `{mode}`")
        return mode

    def _case(
        self, node: Node, number: int, mode: str, taken: set[str], suite: Portable
    ) -> dict[str, Any]:
        if not isinstance(node, Mapping):
            self._problem(node, f"a test case must be a mapping, not {describe(node)}")
            return {}
        fields = self._fields(node, _CASE_KEYS)
        case: dict[str, Any] = {"id": self._id(fields, number, taken)}
        if name := self._text(fields, "name"):
            case["description"] = name
        case["input"] = self._text(fields, "input")
        if not case["input"].strip():
            self._problem(node, "this test case has no `input`")
        case["expected_outcome"] = MEETS_SCHEMA if mode == "schema" else MEETS_CRITERIA
        expected = self._expected(fields, suite)
        if expected not in (None, ""):
            case["expected_output"] = expected
        if (schema := self._schema(fields, "evaluation_schema", suite)) is not None:
            case["evaluation_schema"] = schema
        self._others(case, node, _CASE_KEYS, suite)
        return case

    def _id(self, fields: dict[str, Entry], number: int, taken: set[str]) -> str:
        entry = fields.get("id")
        name = str(plain(entry.value)).strip() if entry else ""
        name = name or f"case-{number}"
        if name in taken and entry is not None:
            self._problem(entry.value, f"the id `{name}` is already used by another test case")
        while name in taken:
            name = f"{name}-{number}"
        taken.add(name)
        return name

    def _expected(self, fields: dict[str, Entry], suite: Portable) -> Any:
        """Return what is expected; JSON in a text as what it stands for, where its type says so."""
        entry = fields.get("expected_output")
        if entry is None:
            return None
        value = plain(entry.value)
        kind = self._text(fields, "expected_output_type") or "string"
        if isinstance(value, str) and kind in ("object", "array"):
            try:
                parsed = parse_json(value)
            except NotJsonError as error:
                message = f"this is not valid JSON ({error.reason.lower()}), so it stays text"
                suite.notes.append(self._notes.at(entry.value.span, message))
                return value
            if isinstance(parsed, dict if kind == "object" else list) and not reads_as_messages(
                parsed
            ):
                return parsed
            return value
        if isinstance(value, str) or (
            isinstance(value, dict | list) and not reads_as_messages(value)
        ):
            return value
        return json.dumps(value, ensure_ascii=False)

    def _schema(self, fields: dict[str, Entry], key: str, suite: Portable) -> Any:
        """Return a JSON Schema as a mapping; as its text where that is none; None for an empty one."""
        entry = fields.get(key)
        if entry is None:
            return None
        value = plain(entry.value)
        if isinstance(value, dict):
            return value
        if not isinstance(value, str):
            self._problem(entry.value, f"`{key}` is a JSON Schema, not {describe(entry.value)}")
            return None
        if not value.strip():
            return None
        try:
            parsed = parse_json(value)
        except NotJsonError as error:
            message = f"`{key}` is not valid JSON ({error.reason.lower()}), so it stays text"
            suite.notes.append(self._notes.at(entry.value.span, message))
            return value
        return parsed if isinstance(parsed, dict) else value

    def _problem(self, node: Node, message: str) -> None:
        self.problems.append(self._notes.at(node.span, message))
