"""Reference material of a judge: texts of files that it is shown with each answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from suitecase_evaluators.grade.evaluator import Reading
from suitecase_evaluators.grade.judge.config import JudgeConfig

C = TypeVar("C", bound=JudgeConfig)


def with_references_read(config: C, reading: Reading) -> C:
    """Return an entry with the texts of its reference files in place of their paths.

    Each text has its path as a heading, by which prompts and judges can refer to it.
    """
    paths: Sequence[str] | None = getattr(config, "references", None)
    if paths is None:
        return config
    texts = [f"{path.strip()}:\n{reading.reference(path)}" for path in paths]
    return config.model_copy(update={"references": texts})


def references_text(references: Sequence[str] | None) -> str:
    """Return what a judge is shown of the texts that `with_references_read` has read."""
    return "\n\n".join(reference.rstrip("\n") for reference in references or ())
