"""The hashes of the judges of a run, each computed once."""

from __future__ import annotations

from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.judge_hash import JUDGE_SETTINGS, is_judge, judge_hash, judge_parts
from suitecase_evaluators.grade.evaluator import EvaluatorConfig

#: The number of evaluators whose hashes are kept.
_KEPT = 1024


class JudgeHashes:
    """The hashes of judges, by what they depend on.

    The targets are those of the targets file, also where an earlier run is replayed.
    """

    def __init__(self, targets: ParsedTargets | None) -> None:
        self._targets = targets
        self._hashes: dict[str, str] = {}
        #: By the identity of an evaluator, and its judge: the latest evaluators, which are not freed
        #: here, and their hashes.
        self._latest: dict[tuple[int, str], tuple[EvaluatorConfig, str | None]] = {}

    def of(self, config: EvaluatorConfig, judge: str) -> str | None:
        """Return the hash of the judge of an evaluator; None if it asks none about the answer.

        Args:
            judge: the target that judges if the evaluator names none.
        """
        # Cases that inherit the suite's evaluators share the same objects.
        known = self._latest.get((id(config), judge))
        if known is None:
            known = (config, self._of(config, judge))
            if len(self._latest) >= _KEPT:
                self._latest.pop(next(iter(self._latest)))
            self._latest[id(config), judge] = known
        return known[1]

    def _of(self, config: EvaluatorConfig, judge: str) -> str | None:
        if not is_judge(config):
            return None
        target = getattr(config, "target", None) or judge
        settings = [(it, getattr(config, it, None)) for it in JUDGE_SETTINGS]
        key = repr((target, config.type, settings))
        if key not in self._hashes:
            defined = self._targets.config(target) if self._targets is not None else None
            self._hashes[key] = judge_hash(judge_parts(config, defined))
        return self._hashes[key]
