"""The hash of a judge: what its verdicts depend on, apart from the answers and what they are judged by.

A calibration was measured with one judge and a lock freezes one: both are compared with the judge of
today. Everything is read from files of the workspace, so that checking and running compute the same.
Texts of cases and rubrics are not part of it, nor are secrets and the environment: placeholders
count as they are written.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args

from suitecase_evaluators.grade.criteria import CriteriaConfig
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.judge.config import LlmJudgeConfig
from suitecase_evaluators.grade.judge.contract import contract_of, default_prompt_of
from suitecase_evaluators.grade.preference import PreferenceConfig
from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.targets.config.target import WITHOUT_EFFECT, TargetConfig
from suitecase_evaluators.targets.redactor import Redactor

#: The names of the parts, in the order in which they are reported.
JUDGE_PARTS: Final = (
    "prompt",
    "model",
    "temperature",
    "votes",
    "quotes",
    "references",
    "target",
    "contract",
)


#: The keys of a judge's evaluator that go into its hash, apart from its target.
JUDGE_SETTINGS: Final = ("prompt", "model", "temperature", "votes", "quotes", "references")

#: The evaluators that ask a judge about the answer; `judges` of a suite has settings for these.
_JUDGES = (LlmJudgeConfig, CriteriaConfig, PreferenceConfig)


#: The types of evaluators that are judges.
JUDGE_TYPES: Final = frozenset(
    get_args(judge.model_fields["type"].annotation)[0] for judge in _JUDGES
)


def is_judge(config: EvaluatorConfig) -> bool:
    """Whether an evaluator asks a judge about the answer, so that it has a hash."""
    return isinstance(config, _JUDGES)


def judge_parts(config: EvaluatorConfig, target: TargetConfig | None) -> dict[str, str]:
    """Return what the verdicts of a judge depend on, by part.

    `model`, `temperature`, `votes` and `quotes` are the values themselves, for messages; the other
    parts are digests.

    Args:
        config: the evaluator that asks the judge, as `graded_evaluators.as_graded` returns it: with texts in
            place of paths.
        target: the target that judges, as the targets file defines it; None for the embedded one
            and for one that is not known.
    """
    prompt = getattr(config, "prompt", None)
    if prompt is None:
        prompt = default_prompt_of(config.type)
    elif isinstance(prompt, Model):
        prompt = prompt.model_dump(mode="json", exclude_none=True)
    model = getattr(config, "model", None) or (target.asked_model if target is not None else None)
    return {
        "prompt": _digest(prompt),
        "model": model or "",
        "temperature": f"{getattr(config, 'temperature', None) or 0:g}",
        "votes": str(getattr(config, "votes", None) or 1),
        "quotes": getattr(config, "quotes", None) or "none",
        "references": _digest(getattr(config, "references", None) or []),
        "target": _digest(None if target is None else _settings(target)),
        "contract": _digest(contract_of(config.type)),
    }


def judge_hash(parts: Mapping[str, str]) -> str:
    """Return the hash of a judge with these parts: `sha256:` and 64 hexadecimal digits."""
    return _digest({name: parts[name] for name in JUDGE_PARTS})


def _settings(target: TargetConfig) -> Any:
    """Return the settings that affect replies, as written, without secrets.

    Judges are asked with a model, a temperature and a limit of their own.
    """
    left_out = WITHOUT_EFFECT | {"model", "temperature"}
    values = {
        name: value
        for name, value in target.model_dump(mode="json", exclude_none=True).items()
        if name not in left_out
    }
    redactor = Redactor()
    written = {name: text for name, text in _texts(values) if "${{" not in text}
    redactor.remember_environment(written)
    return redactor(json.dumps(values, sort_keys=True))


def _texts(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts of settings with their names, which tell secrets."""
    for name, value in values.items():
        if isinstance(value, str):
            yield name, value
        elif isinstance(value, Mapping):
            yield from _texts(value)


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
