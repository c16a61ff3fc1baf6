"""The judges of a suite as a lock holds them: their protocol, hash, model and calibration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from suitecase.suite.calibration_file import Calibration, read_calibration
from suitecase.suite.judge_hash import judge_hash, judge_parts
from suitecase.suite.model import SuiteHead
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.protocols import JudgeProtocol
from suitecase.suite.releases.file_digests import digest_of_file
from suitecase.suite.releases.lock_file import LockedJudge
from suitecase.suite.resolve import CRITERIA, DEFAULT_JUDGE, RUBRIC, UnsoundSuiteError, as_graded
from suitecase.suite.target_files import EMBEDDED, find_targets
from suitecase.suite.workspace import Folder, Found
from suitecase_evaluators.criteria import CriteriaConfig
from suitecase_evaluators.evaluator import EvaluatorConfig
from suitecase_evaluators.judge.config import LlmJudgeConfig
from suitecase_evaluators.registry import with_members
from suitecase_evaluators.targets.config.target import TargetConfig


def locked_judges(
    suite: ParsedSuite, head: SuiteHead, protocols: Mapping[str, str], folder: Folder
) -> dict[str, LockedJudge]:
    """Return the judges that `judges` of a suite names.

    Args:
        suite: the suite.
        head: its head.
        protocols: the digests of their protocols.
        folder: its folder.
    """
    return {
        name: _locked(name, protocol, suite, head, protocols.get(name), folder)
        for name, protocol in sorted((head.judges or {}).items())
    }


def _locked(
    name: str,
    protocol: JudgeProtocol,
    suite: ParsedSuite,
    head: SuiteHead,
    digest: str | None,
    folder: Folder,
) -> LockedJudge:
    parts = judge_parts_of(suite, head, name, folder) or {}
    reported, file = None, None
    found = folder.find(protocol.calibration) if protocol.calibration is not None else None
    if isinstance(found, Found):
        file = digest_of_file(found.path, folder.workspace)
        text = folder.read(found.path)
        calibration = read_calibration(found.path, text) if isinstance(text, str) else None
        reported = calibration.reported_model if isinstance(calibration, Calibration) else None
    return LockedJudge(
        protocol=digest,
        hash=judge_hash(parts) if parts else None,
        model=parts.get("model") or None,
        reported_model=reported,
        calibration=file,
    )


def judge_parts_of(
    suite: ParsedSuite, head: SuiteHead, name: str, folder: Folder
) -> dict[str, str] | None:
    """Return what the verdicts of the evaluators of a name depend on, by the first one of them.

    It is None if there is none, or if a file cannot be read.
    """
    found = next((it for it in _judges(suite, head) if it.name == name), None)
    if found is None:
        return None
    try:
        config, _ = as_graded(found, folder, head)
    except UnsoundSuiteError:
        return None
    return judge_parts(config, _target_of(config, head, folder))


def _target_of(config: EvaluatorConfig, head: SuiteHead, folder: Folder) -> TargetConfig | None:
    """Return the target that judges: the evaluator's own, or that of the suite's target."""
    targets = find_targets(folder.workspace, folder.path)
    if targets is None:
        return None
    own: str | None = getattr(config, "target", None)
    if own is None:
        answering = (head.execution.target if head.execution is not None else None) or EMBEDDED
        target = targets.config(answering)
        own = (target.judge_target if target is not None else None) or answering
    return targets.config(own)


def _judges(suite: ParsedSuite, head: SuiteHead) -> Iterator[EvaluatorConfig]:
    """Yield the evaluators of a suite, those of the head first."""
    yield CriteriaConfig(name=CRITERIA, type="criteria", criteria=head.evaluation_criteria or "")
    yield LlmJudgeConfig(name=DEFAULT_JUDGE, type="llm_judge")
    if head.execution is not None:
        yield from with_members(head.execution.evaluators or ())
    for case in suite.cases:
        model = case.model
        if model is None:
            continue
        if model.rubrics:
            yield LlmJudgeConfig(name=RUBRIC, type="llm_judge", rubrics=model.rubrics)
        own = model.execution.evaluators if model.execution is not None else None
        yield from with_members(own if own is not None else model.evaluators or ())
