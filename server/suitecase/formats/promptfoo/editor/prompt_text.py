"""Hover and completion in files with prompts that a configuration names."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Mapping as MappingOf
from pathlib import Path

from suitecase.editor.completion import Completion
from suitecase.editor.hover import Hover
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.editor.completion.templates import in_template
from suitecase.formats.promptfoo.editor.hover.variables import use_text
from suitecase.formats.promptfoo.editor.whole import Whole
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile
from suitecase.formats.promptfoo.suite.prompts.paths import is_javascript
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.text.node import Span

#: Files that are not filled as templates.
_NOT_FILLED = (".py", ".rb", ".go", ".csv", ".sh")


def hover_in_file(
    file: PromptfooFile,
    folder: Folder,
    paths: Collection[Path],
    text: str,
    offset: int,
    environ: MappingOf[str, str],
) -> Hover | None:
    """Return what a variable at an offset of a file with a prompt stands for.

    Args:
        file: the configuration that names the file.
        folder: the folder of the configuration.
        paths: the paths of the file.
        text: its text.
        offset: the cursor.
        environ: the environment of runs; its values are never shown.
    """
    if _is_not_filled(paths):
        return None
    whole = Whole(file, folder)
    for use in read_template(text).uses:
        if use.start <= offset <= use.end:
            of_grader = not _is_prompt(whole, paths)
            said = use_text(use, whole, None, environ, of_grader=of_grader)
            return Hover(Span(use.start, use.end), said)
    return None


def complete_in_file(
    file: PromptfooFile, folder: Folder, paths: Collection[Path], text: str, offset: int
) -> Completion:
    """Return the completions at an offset of a file with a prompt."""
    nothing = Completion((), offset, Span(offset, offset))
    if _is_not_filled(paths):
        return nothing
    whole = Whole(file, folder)
    of_grader = not _is_prompt(whole, paths)
    items = in_template(whole, text, offset, of_grader=of_grader, is_yaml=False)
    return Completion(tuple(items), offset, nothing.span) if items else nothing


def _is_prompt(whole: Whole, paths: Collection[Path]) -> bool:
    return any(prompt.path in paths for prompt in whole.prompts)


def _is_not_filled(paths: Collection[Path]) -> bool:
    return any(path.suffix in _NOT_FILLED or is_javascript(path.name) for path in paths)
