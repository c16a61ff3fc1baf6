"""Which models a run asked, for answers and for verdicts, and which ones replied."""

from __future__ import annotations

from dataclasses import dataclass, field

from suitecase.report.summary import named_results
from suitecase_evaluators.answers.records.answered_by import AnsweredBy
from suitecase_evaluators.answers.records.record import ResultRecord

_NOT_MODELS: dict[AnsweredBy, str] = {
    "program": "a program",
    "echo": "repeats the question, not a model",
    "canned": "canned replies, not a model",
    "embedded": "compares words, not a model",
}


@dataclass(slots=True)
class AskedModel:
    """A target that answered or judged, with the models that it asked for and that replied."""

    name: str
    requested: dict[str, None] = field(default_factory=dict)
    reported: dict[str, None] = field(default_factory=dict)
    kinds: dict[AnsweredBy, None] = field(default_factory=dict)

    def add(self, requested: str | None, reported: str | None, kind: AnsweredBy | None) -> None:
        """Add what a record says; several models are separated by commas."""
        self.requested.update(dict.fromkeys((requested or "").split(", ") if requested else ()))
        self.reported.update(dict.fromkeys((reported or "").split(", ") if reported else ()))
        if kind is not None:
            self.kinds[kind] = None

    @property
    def text(self) -> str:
        """The models: `gpt-4.1, which replied as gpt-4.1-2025-04-14`; empty if nothing is known."""
        requested, reported = ", ".join(self.requested), ", ".join(self.reported)
        if requested and reported and requested != reported:
            return f"{requested}, which replied as {reported}"
        if requested or reported:
            return requested or reported
        return ", ".join(_NOT_MODELS[kind] for kind in self.kinds if kind in _NOT_MODELS)


class AskedModels:
    """Collects the targets and the judges of answers, in order of appearance."""

    def __init__(self) -> None:
        self._targets: dict[str, AskedModel] = {}
        self._judges: dict[str, AskedModel] = {}

    def add(self, answer: ResultRecord) -> None:
        """Add what an answer says."""
        if name := answer.target:
            self._of(self._targets, name).add(
                answer.requested_model, answer.reported_model, answer.answered_by
            )
        for _, result in named_results(answer.evaluator_results):
            if (judge := result.judge) is not None:
                self._of(self._judges, judge).add(
                    result.requested_model, result.reported_model, result.judged_by
                )

    @staticmethod
    def _of(models: dict[str, AskedModel], name: str) -> AskedModel:
        if name not in models:
            models[name] = AskedModel(name)
        return models[name]

    @property
    def targets(self) -> list[AskedModel]:
        return list(self._targets.values())

    @property
    def judges(self) -> list[AskedModel]:
        return list(self._judges.values())
