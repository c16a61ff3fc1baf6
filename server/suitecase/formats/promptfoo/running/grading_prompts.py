"""The grading prompts of a configuration, filled in except for what is known only when grading."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.rendering.errors import TemplateError
from suitecase.formats.promptfoo.rendering.json_text import parse_json, write_json
from suitecase.formats.promptfoo.rendering.render import render_nested, render_text
from suitecase.formats.promptfoo.running.messages import messages_of
from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase.formats.promptfoo.suite.references.file_references import file_reference, located
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.promptfoo.assertion_type import NEGATION
from suitecase_evaluators.promptfoo.grading_prompt import WrittenPrompt
from suitecase_evaluators.promptfoo.known_graders import grader_of


@dataclass(frozen=True)
class GradingPrompts:
    """Fills in the grading prompts of a row.

    Attributes:
        folder: the folder of the configuration.
        environ: the variables under `env`.
        row: the row.
        of_chat: whether the grader takes messages, rather than one string.
    """

    folder: Folder
    environ: Mapping[str, str]
    row: Row
    of_chat: bool

    def of(self, assertion: Mapping[str, Any], written: Any) -> dict[str, Any]:
        """Return the grading prompts of an assertion, by the purpose of each.

        Args:
            assertion: the assertion, with its templates filled in.
            written: its `rubricPrompt`, or that of its test; empty for the default.

        Raises:
            RefusedError: one cannot be filled in.
        """
        if not written:
            return {}
        grader = grader_of(str(assertion.get("type")).removeprefix(NEGATION))
        if grader is None:
            return {}
        prompts = grader.own_prompts(written, assertion.get("value"), self.row)
        return {prompt.name: self._prompt(prompt) for prompt in prompts}

    def _prompt(self, prompt: WrittenPrompt) -> dict[str, Any]:
        text, holes = self._text(prompt.written), prompt.holes
        known = {
            name: _read_json(value) if name in prompt.as_json and isinstance(value, str) else value
            for name, value in prompt.known.items()
        }
        if self.row.prompt is None and "input" in known:
            holes = (*holes, "input")  # a function returns the prompt during the run
        content = json.dumps([text, known], sort_keys=True, default=str).encode(errors="replace")
        digest = hashlib.sha256(content).hexdigest()[:16]
        marks = {name: f"HOLE{number}x{digest}" for number, name in enumerate(holes)}
        context = {name: _shown(value) for name, value in known.items()} | marks
        try:
            filled = _filled(text, context, self.environ, holes)
            messages = messages_of(filled, of_chat=self.of_chat)
        except (TemplateError, RefusedError) as error:
            raise RefusedError(f"the prompt of a grader: {error.message}") from None
        sent = [{"role": message.role, "content": message.text} for message in messages]
        return {"messages": sent, "holes": marks}

    def _text(self, written: Any) -> str:
        """Return the text of a prompt, read if it names a file."""
        reference = file_reference(written) if isinstance(written, str) else None
        if reference is None:
            return written if isinstance(written, str) else str(write_json(written))
        if reference.is_script and reference.ending != ".py":
            raise RefusedError(f"`suitecase run` does not run `{written}` to get a grader's prompt")
        found = located(reference, self.folder, globs=False)
        text = self.folder.read(found.files[0]) if found.files else None
        if not isinstance(text, str):
            why = "it was not found" if text is None else text.reason
            raise RefusedError(f"the prompt of a grader, `{written}`, cannot be read: {why}")
        return text


def _filled(
    text: str, context: Mapping[str, Any], environ: Mapping[str, str], holes: tuple[str, ...]
) -> str:
    """Return a prompt filled in; in JSON, each string is filled in on its own, as promptfoo does."""
    try:
        value = parse_json(text)
    except ValueError:
        _refuse_code_on(holes, text)
        return render_text(text, context, environ)
    for it in _texts(value):
        _refuse_code_on(holes, it)
    return str(write_json(render_nested(value, context, environ)))


def _refuse_code_on(holes: tuple[str, ...], text: str) -> None:
    """Refuse a template that does more with a value known only when grading than print it."""
    for name in holes:
        rest = re.sub(rf"\{{\{{-?\s*{name}\s*(?:\|\s*safe\s*)?-?\}}\}}", "", text)
        if any(use.name == name for use in read_template(rest).uses):
            raise RefusedError(
                f"`suitecase run` fills in `{{{{ {name} }}}}` only as it "
                "stands, without filters, conditions and parts"
            )


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for it in value:
                yield from _texts(it)
        case dict():
            for it in value.values():
                yield from _texts(it)


def _shown(value: Any) -> Any:
    """Return a variable as graders receive it from promptfoo: mappings are JSON strings."""
    match value:
        case dict():
            return write_json(value)
        case list():
            return [write_json(it) if isinstance(it, dict | list) else it for it in value]
    return value


def _read_json(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return text
