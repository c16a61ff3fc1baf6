"""The prompt of a judge in a file of its own, and back in the suite."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from suitecase.ide.refactoring.part import NewFile, Part, Proposal
from suitecase.rewriting.lines import column, indented, newline
from suitecase.rule import Edit
from suitecase.suite.elements import ParsedEvaluator
from suitecase.suite.prompts import PromptText, prompt_text, prompts_of
from suitecase.suite.workspace import Folder
from suitecase.syntax.emitting import yaml_text
from suitecase.syntax.node import Entry, Span

#: The folder of a suite's folder in which prompts are written.
FOLDER = "prompts"
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9]+")


def prompt_files(part: Part, folder: Folder, *, creates_files: bool) -> Iterator[Proposal]:
    """Propose to write the prompt that is touched to a file, or that of a file into the suite."""
    for evaluator in part.written.elements():
        if not isinstance(evaluator, ParsedEvaluator):
            continue
        for prompt in prompts_of(evaluator, folder):
            entry = prompt.entry
            if entry.merged or not part.touches_entry(entry):
                continue
            if prompt.path is None and isinstance(prompt.text, str):
                if creates_files:
                    name = evaluator.name.text if evaluator.name is not None else ""
                    yield _extracted(entry, prompt.text, name, folder, is_json=part.is_json)
            elif isinstance(prompt.text, str):
                yield from _inlined(part.text, prompt, folder)


def _extracted(entry: Entry, text: str, name: str, folder: Folder, *, is_json: bool) -> Proposal:
    base = _NOT_IN_NAMES.sub("-", name).strip("-").lower() or "prompt"
    number, reference = 1, f"{FOLDER}/{base}.md"
    while (folder.path / reference).exists():
        number += 1
        reference = f"{FOLDER}/{base}-{number}.md"
    return Proposal(
        f"Move the prompt to `{reference}`",
        "refactor.extract",
        (Edit(entry.value.span, f'"{reference}"' if is_json else reference),),
        stands_for=(reference, text),
        created=NewFile(folder.path / reference, text),
    )


def _inlined(text: str, prompt: PromptText, folder: Folder) -> Iterator[Proposal]:
    said, entry = prompt.text, prompt.entry
    # A block of text has the line breaks of the suite, and a word may be the name of a file.
    if not isinstance(said, str) or "\r" in said or prompt_text(said, folder) != (said, None):
        return
    try:
        said.encode()
    except UnicodeEncodeError:
        return
    if prompt.holder.flow:
        edit = Edit(entry.value.span, json.dumps(said, ensure_ascii=False))
    else:
        written = yaml_text({"key": said}).partition(":")[2].rstrip("\n")
        lines = indented(written, column(text, entry.key.start)).lstrip(" ")
        edit = Edit(Span(entry.value.start, entry.value.end), lines.replace("\n", newline(text)))
    yield Proposal(
        f"Write the text of `{prompt.reference}` here",
        "refactor.inline",
        (edit,),
        stands_for=(prompt.node.text, said),
    )
