"""The prompt of a judge: inline or in a file, and where its text stands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from suitecase.suite.elements import ParsedEvaluator
from suitecase.suite.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.suite.workspace import Folder, Found, NotFound, Unreadable
from suitecase.syntax.embedded import embedded
from suitecase.syntax.node import Mapping, Scalar, Span
from suitecase_evaluators.judge.template import looks_like_path


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt with its text, or why there is none.

    `reference` is what the suite says; `path` the file it stands in, None where the prompt stands
    in the suite; `aggregates` says that a composite's results go into it.
    """

    node: Scalar
    reference: str
    text: str | NotFound | Unreadable
    path: Path | None
    aggregates: bool

    def span(self, start: int, end: int, folder: Folder) -> Span:
        """Return where a stretch of the prompt stands: in its file, if it is in one."""
        if self.path is not None:
            return Span(start, end)
        return embedded(self.node, folder.source).span(start, end)


def prompt_of(evaluator: ParsedEvaluator, folder: Folder) -> PromptText | None:
    """Return the prompt of a judge, or of a composite that a judge aggregates; None without one."""
    aggregator = evaluator.node.get("aggregator")
    if isinstance(aggregator, Mapping):
        kind = aggregator.get("type")
        if not (isinstance(kind, Scalar) and kind.text == "llm_judge"):
            return None
        return _prompt(aggregator.get("prompt"), folder, aggregates=True)
    if evaluator.type != "llm_judge":
        return None
    return _prompt(evaluator.node.get("prompt"), folder, aggregates=False)


def prompt_files(suite: ParsedSuite, folder: Folder) -> frozenset[Path]:
    """Return the files that the judges of a suite have their prompts in."""
    parts: tuple[ParsedHead | ParsedCase, ...] = (suite.head, *suite.cases)
    elements = (it for part in parts if not part.content.broken for it in part.elements())
    prompts = (prompt_of(it, folder) for it in elements if isinstance(it, ParsedEvaluator))
    return frozenset(it.path for it in prompts if it is not None and it.path is not None)


def _prompt(node: object, folder: Folder, *, aggregates: bool) -> PromptText | None:
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or not node.text.strip():
        return None
    text, path = prompt_text(node.text, folder)
    return PromptText(node, node.text.strip(), text, path, aggregates)


def prompt_text(written: str, folder: Folder) -> tuple[str | NotFound | Unreadable, Path | None]:
    """Return the text a prompt stands for, and the file it is in.

    A prompt that names a file that is there is that file's text; one that looks like a path and
    leads nowhere is missing; anything else is the text itself.
    """
    one_word = "\n" not in written.strip() and len(written) < 1024
    found = folder.find(written.strip()) if one_word else None
    if isinstance(found, Found):
        return folder.read(found.path), found.path
    if found is not None and looks_like_path(written):
        return found, None
    return written, None
