"""The prompt of a case: what the target is sent, and what judges see of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from suitecase.format.workspace import LEADS_OUT, Folder, Found, NotFound, Unreadable
from suitecase.formats.suitecase.effective_suite import EffectiveCase, EffectiveSuite
from suitecase.formats.suitecase.given_prompts import GUIDELINE_ENDINGS, GUIDELINE_FOLDERS
from suitecase_evaluators.answers.message import ContentPart, Message
from suitecase_evaluators.system.path_kinds import is_file
from suitecase_evaluators.targets.target import CallContext, Question, Turn
from suitecase_evaluators.text.json_values import NotJsonError, parse_json

#: How a file appears in a prompt: with its content, or by name only.
FileText = Literal["content", "name"]


class FileGoneError(Exception):
    """A file of a case can no longer be read; `message` is shown to users."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePrompt:
    """A case's question, and what its evaluators receive.

    In `expected_messages`, paths of files are replaced by their content.
    """

    question: Question
    question_text: str
    expected_messages: tuple[Message, ...]

    @property
    def reference_answer(self) -> str:
        """The text of the last expected message; empty if there is none."""
        return self.expected_messages[-1].text if self.expected_messages else ""


def build_prompt(
    case: EffectiveCase,
    suite: EffectiveSuite,
    folder: Folder,
    *,
    takes_files: bool,
    call_context: CallContext | None = None,
) -> CasePrompt:
    """Return the prompt of a case.

    Args:
        takes_files: the target opens files itself, so the prompt contains only their names.
        call_context: where in a run the question is asked.

    Raises:
        FileGoneError: a file of the case cannot be read.
    """
    # Most messages are a single string.
    in_parts = any(isinstance(input_message.content, list) for input_message in case.input_messages)
    files = list(_files(case.input_messages, folder)) if in_parts else []
    missing = [file for file in files if takes_files and not is_file(file)]
    if missing:
        raise FileGoneError(f"the file `{folder.shown(missing[0])}` of this case no longer exists")
    schema = _response_schema(suite)
    system = tuple(Turn("system", it) for it in (_system_prompt(suite.prompt, schema),) if it)
    file_text: FileText = "name" if takes_files else "content"
    turns = tuple(
        [
            Turn(
                input_message.role,
                _text(input_message, folder, others=file_text, guidelines=file_text),
            )
            for input_message in case.input_messages
        ]
    )
    judged_turns = turns
    if files:
        judged_turns = tuple(
            # Judges grade by the question, which does not include the target's instructions.
            Turn(
                input_message.role,
                _text(input_message, folder, others="content", guidelines="name"),
            )
            for input_message in case.input_messages
        )
    return CasePrompt(
        question=Question(
            eval_id=case.id,
            turns=(*system, *turns),
            response_schema=schema,
            guideline_files=tuple([str(file) for file in files if is_guideline(file, folder.root)]),
            input_files=tuple([str(file) for file in files if not is_guideline(file, folder.root)]),
            call_context=call_context,
            row=case.row,
        ),
        question_text=_one_text(judged_turns),
        expected_messages=tuple(
            [_with_contents(message, folder) for message in case.expected_messages]
        ),
    )


def is_guideline(path: Path, root: Path) -> bool:
    """Whether a file instructs the target, rather than being input."""
    inside = path.relative_to(root) if path.is_relative_to(root) else path
    return path.name.endswith(GUIDELINE_ENDINGS) or not GUIDELINE_FOLDERS.isdisjoint(
        inside.parts[:-1]
    )


def _system_prompt(prompt: str, schema: dict[str, Any] | None) -> str:
    """Return the suite's prompt and the schema, which not every target can enforce."""
    instruction = (
        "Answer with JSON that meets this JSON Schema, and with nothing else:\n"
        + json.dumps(schema, ensure_ascii=False)
        if schema
        else ""
    )
    return "\n\n".join(it for it in (prompt if prompt.strip() else "", instruction) if it)


def _one_text(turns: tuple[Turn, ...]) -> str:
    """Return turns as one text: a single user turn unchanged, several with their roles."""
    if len(turns) == 1 and turns[0].role == "user":
        return turns[0].text
    return "\n\n".join(f"@[{turn.role.capitalize()}]:\n{turn.text}" for turn in turns)


def _parts(message: Message) -> list[ContentPart]:
    return message.content if isinstance(message.content, list) else []


def _files(messages: tuple[Message, ...], folder: Folder) -> Iterator[Path]:
    """Yield the files of the messages in order, without duplicates."""
    references = [
        part.value for message in messages for part in _parts(message) if part.type == "file"
    ]
    yield from dict.fromkeys(_resolve_file(reference, folder) for reference in references)


def _text(message: Message, folder: Folder, *, others: FileText, guidelines: FileText) -> str:
    parts = _parts(message)
    if not parts:
        return message.text
    texts: list[str] = []
    for part in parts:
        if part.type == "text":
            texts.append(part.value)
            continue
        path = _resolve_file(part.value, folder)
        if is_guideline(path, folder.root):
            kind, file_text = "guideline", guidelines
        else:
            kind, file_text = "file", others
        if file_text == "name":
            texts.append(f'<{kind} path="{path}"/>')
        else:
            texts.append(_enclosed(kind, folder.shown(path), _content(path, part.value, folder)))
    return "\n".join(texts)


def _enclosed(kind: str, name: str, content: str) -> str:
    """Return a file's content in tags; the closing tag does not occur in the content."""
    mark, number = kind, 1
    while f"</{mark}>" in content:
        number += 1
        mark = f"{kind}-{number}"
    end = "" if content.endswith("\n") else "\n"
    return f'<{mark} path="{name}">\n{content}{end}</{mark}>'


def _with_contents(message: Message, folder: Folder) -> Message:
    if not any(part.type == "file" for part in _parts(message)):
        return message
    parts = [
        part
        if part.type == "text"
        else ContentPart(
            type="text",
            value=_content(_resolve_file(part.value, folder), part.value, folder).rstrip("\n"),
        )
        for part in _parts(message)
    ]
    return message.model_copy(update={"content": parts})


def _resolve_file(reference: str, folder: Folder) -> Path:
    resolved = folder.find(reference)
    match resolved:
        case Found():
            return resolved.path
        case NotFound():
            why = {
                "missing": "it does not exist any more",
                "outside": "it is outside the workspace",
                "link": LEADS_OUT,
                "not a file": "it is not a file",
            }[resolved.why]
            raise FileGoneError(f"the file `{reference}` of this case cannot be read: {why}")


def _content(path: Path, reference: str, folder: Folder) -> str:
    text = folder.read(path)
    if isinstance(text, Unreadable):
        raise FileGoneError(f"the file `{reference}` of this case cannot be read: {text.reason}")
    return text


def _response_schema(suite: EffectiveSuite) -> dict[str, Any] | None:
    """Return the schema that answers should conform to, if any."""
    schema = suite.head.expected_schema
    if isinstance(schema, str):
        try:
            schema = parse_json(schema, last_key_counts=True) if schema.strip() else None
        except NotJsonError:
            return None  # the checker reports it
    return schema if isinstance(schema, dict) and schema else None
