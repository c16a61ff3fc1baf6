"""Evaluators as they grade: with the settings of the suite's judges, and file contents instead of paths."""

from __future__ import annotations

from pathlib import Path

from suitecase.format.synonym_files import SynonymsFile, synonyms_file
from suitecase.format.workspace import Folder, Found
from suitecase.formats.suitecase.effective_suite import UnsoundSuiteError
from suitecase.formats.suitecase.judge_hash import is_judge
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.formats.suitecase.prompts import prompt_text
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Reading
from suitecase_evaluators.grade.registry import description_of
from suitecase_evaluators.grade.synonyms import SynonymMap


def as_graded(
    config: EvaluatorConfig, folder: Folder, head: SuiteHead | None = None
) -> tuple[EvaluatorConfig, tuple[Path, ...]]:
    """Return an evaluator as it grades, with file contents instead of paths, and the files that were read.

    Args:
        config: the evaluator as it is written.
        folder: the suite's folder.
        head: has the settings of judges, which go before an evaluator's own.

    Raises:
        UnsoundSuiteError: a file cannot be read.
    """
    read = _Files(folder, head)
    return read.member(config), tuple(read.paths)


class _Files:
    """Reads the files that an evaluator grades by, and collects their paths.

    It does not hold the `Reading` that refers to it: the cycle would leave garbage for each evaluator
    of each case.
    """

    def __init__(self, folder: Folder, head: SuiteHead | None) -> None:
        self.paths: list[Path] = []
        self._folder = folder
        self._head = head

    def member(self, config: EvaluatorConfig) -> EvaluatorConfig:
        settled = config if self._head is None else under_protocol(config, self._head)
        reading = Reading(self._prompt, self.member, self._synonyms, self._reference)
        graded: EvaluatorConfig = description_of(config).as_graded(settled, reading)
        return graded

    def _prompt(self, prompt: str) -> str:
        text, path = prompt_text(prompt, self._folder)
        if not isinstance(text, str):
            raise UnsoundSuiteError(f"the prompt {prompt} cannot be read")
        if path is not None:
            self.paths.append(path)
        return text

    def _synonyms(self, reference: str) -> SynonymMap:
        found = synonyms_file(reference, self._folder)
        if not isinstance(found, SynonymsFile) or found.problems:
            raise UnsoundSuiteError(f"the synonyms in {reference} cannot be read")
        self.paths.append(found.path)
        return found.synonyms

    def _reference(self, reference: str) -> str:
        found = self._folder.find(reference.strip())
        text = self._folder.read(found.path) if isinstance(found, Found) else None
        if not isinstance(found, Found) or not isinstance(text, str):
            raise UnsoundSuiteError(f"the reference file {reference} cannot be read")
        self.paths.append(found.path)
        return text


def under_protocol(config: EvaluatorConfig, head: SuiteHead) -> EvaluatorConfig:
    """Return a judge with the settings that the suite's `judges` has for its name.

    Keys of these names mean something else in evaluators of other types.
    """
    protocol = (head.judges or {}).get(config.name)
    if protocol is None or not is_judge(config):
        return config
    settings = {
        name: value
        for name in type(config).model_fields.keys() & type(protocol).model_fields.keys()
        if (value := getattr(protocol, name)) is not None
    }
    return config.model_copy(update=settings)
