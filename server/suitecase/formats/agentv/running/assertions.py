"""Converts AgentV assertions, with their templates filled in, to evaluators."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from suitecase.formats.agentv.running.rubrics import OF_A_TEXT, RANGES, rubric_items
from suitecase.formats.agentv.running.trajectories import trajectory_fields
from suitecase.formats.agentv.suite.assertion_types import AGENTV_TYPES, SHARED_TYPES
from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase.formats.promptfoo.running.yaml_values import parse_yaml
from suitecase_evaluators.agentv.assertion import PREFIX, AgentvAssertionConfig
from suitecase_evaluators.agentv.limits import LimitsConfig
from suitecase_evaluators.grade.code_judge import CodeJudgeConfig
from suitecase_evaluators.grade.criteria import CriteriaConfig
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.field_accuracy import FieldAccuracyConfig
from suitecase_evaluators.grade.judge.config import LlmJudgeConfig
from suitecase_evaluators.grade.judge.template import VARIABLES, find_variables
from suitecase_evaluators.grade.metrics import CostConfig, LatencyConfig, TokenUsageConfig
from suitecase_evaluators.grade.tool_trajectory import ToolTrajectoryConfig
from suitecase_evaluators.promptfoo.assertion_type import NEGATION
from suitecase_evaluators.promptfoo.ecmascript import as_text
from suitecase_evaluators.promptfoo.grader import Refused
from suitecase_evaluators.promptfoo.graders.assert_set import AssertSetConfig
from suitecase_evaluators.promptfoo.graders.regex import RegexConfig
from suitecase_evaluators.promptfoo.reading import assertion_config
from suitecase_evaluators.schema.validation_words import named_problem

C = TypeVar("C", bound=EvaluatorConfig)

#: The key that is added to an assertion with the name of its grader.
GRADER: Final = "grader"
#: The key that is added with the grading prompt, read from its file.
PROMPT: Final = "prompt"
#: The key that is added in its place with one that says what to grade by, and shows nothing.
CRITERIA: Final = "criteria of the prompt"
#: The types that compare text without blanks at both ends, as our evaluators do.
_TRIMMED: Final = frozenset({"equals", "starts-with", "ends-with"})
_TRAJECTORY: Final = "trajectory:"
_METRICS: Final[Mapping[str, type[EvaluatorConfig]]] = MappingProxyType(
    {"latency": LatencyConfig, "cost": CostConfig, "token-usage": TokenUsageConfig}
)
#: The keys of all assertions, which scripts do not receive as settings.
_COMMON: Final = frozenset(
    {"type", "metric", "name", "id", "weight", "required", "min_score", "negate", "threshold"}
)
_OF_SCRIPTS: Final = frozenset({"command", "cwd", "target", "config", GRADER})
_JS_FLAGS: Final = frozenset("ims")
_WITHOUT_EFFECT: Final = frozenset("g")
#: The variables of AgentV's grading prompts with the items of a rubric.
_RUBRIC: Final = re.compile(r"\{\{\s*(?:rubric|rubrics_json)\s*\}\}")
#: The one that is the text of a rubric that has no items.
_RUBRIC_TEXT: Final = re.compile(r"\{\{\s*rubric\s*\}\}")
#: The variables of AgentV's grading prompts.
_OF_PROMPTS: Final = re.compile(
    r"\{\{\s*(?:input|output|expected_output|criteria|metadata|metadata_json|rubrics?|rubrics_json"
    r"|file_changes|tool_calls)\s*\}\}"
)


def agentv_assertion_config(
    assertion: Mapping[str, Any], name: str, passes_at: float
) -> AgentvAssertionConfig:
    """Return the evaluator of an assertion.

    Args:
        assertion: the assertion as plain values, with its templates filled in.
        name: the name of its result.
        passes_at: the score at which the test passes, and a `required` assertion by default.

    Raises:
        RefusedError: it cannot be graded.
    """
    written = assertion.get("type")
    if not isinstance(written, str):
        raise RefusedError("an assertion needs a `type`")
    base = written.removeprefix(NEGATION)
    kind = AGENTV_TYPES.get(base)
    if kind is not None and kind.not_run is not None:
        raise RefusedError(f"`suitecase run` does not grade `{written}`: {kind.not_run}")
    for key in ("transform", "preprocessors"):
        if assertion.get(key):
            raise RefusedError(f"`{key}` of an assertion is not supported by `suitecase run`")
    least = assertion.get("min_score")
    required = assertion.get("required")
    threshold = assertion.get("threshold") if base in ("llm-rubric", "rubrics") else None
    return _valid(
        AgentvAssertionConfig,
        written,
        {
            "name": name,
            "type": f"{PREFIX}{base}",
            "weight": assertion.get("weight", 1),
            "negate": (base != written) is not (assertion.get("negate") is True),
            "threshold": least if threshold is None else threshold,
            # AgentV looks only at `min_score` if there is no `required`.
            "required": True if required else None,
            "min_score": (passes_at if least is None else least) if required else None,
            "graded_by": _graded_by(base, assertion, name, passes_at),
            "is_whole": base.startswith(_TRAJECTORY),
            "criteria": _criteria(base, assertion),
        },
    )


def _graded_by(
    base: str, assertion: Mapping[str, Any], name: str, passes_at: float
) -> EvaluatorConfig:
    value = assertion.get("value")
    if base == "is-json":
        # AgentV does not read the schema in `value`, which `check` reports.
        return _of_promptfoo({"type": base}, name)
    if base in _TRIMMED:
        return _of_promptfoo_trimmed(base, value, name)
    if base == "regex":
        return _regex(assertion, name)
    if base == "assert-set":
        return _set(assertion, name, passes_at)
    if base in ("llm-rubric", "rubrics"):
        return _rubric(base, assertion, name)
    if base.startswith(_TRAJECTORY):
        fields = trajectory_fields(base.removeprefix(_TRAJECTORY), value)
        return _valid(
            ToolTrajectoryConfig, base, {"name": name, "type": "tool_trajectory", **fields}
        )
    if base in _METRICS:
        return _metric(base, assertion, name)
    match base:
        case "script":
            return _script(assertion, name)
        case "field-accuracy":
            return _with_keys(FieldAccuracyConfig, "field_accuracy", base, assertion, name)
        case "execution-metrics":
            for key in ("max_llm_calls", "target_exploration_ratio"):
                if assertion.get(key) is not None:
                    raise RefusedError(
                        f"targets do not report what `{key}` of `execution-metrics` limits"
                    )
            return _with_keys(LimitsConfig, "agentv:limits", base, assertion, name)
    if base in SHARED_TYPES:
        written = {"type": base} | ({"value": value} if "value" in assertion else {})
        return _of_promptfoo(written, name)
    raise RefusedError(f"`suitecase run` does not know AgentV's assertion type `{base}`")


def _of_promptfoo(written: Mapping[str, Any], name: str) -> EvaluatorConfig:
    found = assertion_config(written, name=name, read_yaml=parse_yaml)
    if isinstance(found, Refused):
        raise RefusedError(found.message)
    return found


def _of_promptfoo_trimmed(base: str, value: Any, name: str) -> EvaluatorConfig:
    """Return our text evaluator, which ignores blanks at both ends."""
    from suitecase_evaluators.grade.registry import by_type

    found = by_type(base.replace("-", "_"))
    text = "" if value is None else as_text(value)
    if found is None or not text.strip():
        raise RefusedError(f"`{base}` needs a string as its `value`")
    return _valid(found.config, base, {"name": name, "type": found.type, "value": text.strip()})


def _regex(assertion: Mapping[str, Any], name: str) -> EvaluatorConfig:
    value, flags = assertion.get("value"), set(str(assertion.get("flags") or "")) - _WITHOUT_EFFECT
    if not isinstance(value, str) or not value:
        raise RefusedError("`regex` needs a string as its `value`")
    if not flags:
        return _of_promptfoo({"type": "regex", "value": value}, name)
    if not flags <= _JS_FLAGS:
        raise RefusedError(f"`flags: {assertion['flags']}` of `regex` is not supported")
    return RegexConfig(
        name=name, type="promptfoo:regex", value=f"(?{''.join(sorted(flags))}:{value})"
    )


def _set(assertion: Mapping[str, Any], name: str, passes_at: float) -> EvaluatorConfig:
    listed = assertion.get("assert")
    if not isinstance(listed, list) or not listed:
        raise RefusedError("`assert-set` needs a list of assertions under `assert`")
    members: list[AgentvAssertionConfig] = []
    for number, member in enumerate(listed, 1):
        called = str(member.get("metric") or member.get("type"))
        taken = any(it.name == called for it in members)
        inner = agentv_assertion_config(
            member, f"{called} {number}" if taken else called, passes_at
        )
        members.append(inner)
    threshold = assertion.get("threshold")
    fields = {"threshold": 1.0 if threshold is None else threshold, "members": members}
    return _valid(
        AssertSetConfig, "assert-set", {"name": name, "type": "promptfoo:assert-set", **fields}
    )


def _rubric(base: str, assertion: Mapping[str, Any], name: str) -> EvaluatorConfig:
    value, told = _rubric_value(base, assertion), assertion.get(CRITERIA)
    has_items = value is not None and (base == "rubrics" or not isinstance(value, str))
    written = assertion.get(PROMPT)
    prompt = None if written is None else _prompt(written, has_items=has_items)
    common = {
        "name": name,
        "target": assertion.get(GRADER),
        "model": assertion.get("model"),
        "temperature": assertion.get("temperature"),
    }
    if has_items:
        fields = {"type": "llm_judge", "rubrics": rubric_items(value), "prompt": prompt}
        return _valid(LlmJudgeConfig, base, {**common, **fields})
    if prompt is not None:
        # The judge gives a score by what the prompt says, which `value` is a part of.
        return _valid(LlmJudgeConfig, base, {**common, "type": "llm_judge", "prompt": prompt})
    if value is not None and told is not None:
        raise RefusedError(
            "a grading prompt without a variable such as `{{ output }}` takes the place of `value`; write "
            "one of the two, or `{{ output }}` and `{{ rubric }}` in the prompt"
        )
    criteria = told if value is None else value
    if criteria is None or not criteria.strip():
        raise RefusedError("there is no rubric to grade by")
    return _valid(CriteriaConfig, base, {**common, "type": "criteria", "criteria": criteria})


def _rubric_value(base: str, assertion: Mapping[str, Any]) -> Any:
    """Return what a rubric is graded by: a text with ranges beside it is one item."""
    value = assertion.get("criteria") if base == "rubrics" else assertion.get("value")
    beside = {key: assertion[key] for key in OF_A_TEXT if assertion.get(key) is not None}
    if not isinstance(value, str) or RANGES not in beside:
        return value
    return [{"outcome": value, **beside}]


def _criteria(base: str, assertion: Mapping[str, Any]) -> str | None:
    """Return what stands for the criteria of the test: a prompt without variables, or `value` in one."""
    told = assertion.get(CRITERIA)
    if told is not None:
        _refuse_unknown_variables(told)
        return str(told)
    value = _rubric_value(base, assertion) if base == "llm-rubric" else None
    is_own_text = isinstance(value, str) and assertion.get(PROMPT) is not None
    return value if is_own_text else None


def is_criteria(prompt: str) -> bool:
    """Whether AgentV takes a grading prompt for criteria in its own prompt: it has none of its variables."""
    return _OF_PROMPTS.search(prompt) is None


def _prompt(written: Any, *, has_items: bool) -> str:
    """Return a grading prompt with our names of variables."""
    if not isinstance(written, str):
        raise RefusedError("`suitecase run` takes a grading prompt as a string or a file")
    text = written if has_items else _RUBRIC_TEXT.sub("{{ criteria }}", written)
    text = _RUBRIC.sub("{{ rubrics }}", text)
    _refuse_unknown_variables(text)
    return text


def _refuse_unknown_variables(text: str) -> None:
    unknown = next(
        (variable for variable in find_variables(text) if variable.name not in VARIABLES), None
    )
    if unknown is not None:
        raise RefusedError(
            f"`suitecase run` does not fill in `{{{{ {unknown.name} }}}}` in grading prompts"
        )


def _metric(base: str, assertion: Mapping[str, Any], name: str) -> EvaluatorConfig:
    if base == "cost" and assertion.get("budget") is None:
        assertion = {**assertion, "budget": assertion.get("threshold")}
    keys = {"latency": ("threshold",), "cost": ("budget",)}.get(
        base, ("max_total", "max_input", "max_output")
    )
    fields = {key: assertion[key] for key in keys if assertion.get(key) is not None}
    return _valid(_METRICS[base], base, {"name": name, "type": base.replace("-", "_"), **fields})


def _script(assertion: Mapping[str, Any], name: str) -> EvaluatorConfig:
    left = {key: it for key, it in assertion.items() if key not in _COMMON | _OF_SCRIPTS}
    own = assertion.get("config")
    settings = {**left, **(own if isinstance(own, dict) else {})}
    fields = {
        "script": assertion.get("command"),
        "cwd": assertion.get("cwd"),
        "target": assertion.get("target"),
        "config": settings or None,
    }
    return _valid(CodeJudgeConfig, "script", {"name": name, "type": "code_judge", **fields})


def _with_keys(
    config: type[EvaluatorConfig], kind: str, base: str, assertion: Mapping[str, Any], name: str
) -> EvaluatorConfig:
    fields = {key: it for key, it in assertion.items() if key not in _COMMON | {GRADER}}
    return _valid(config, base, {"name": name, "type": kind, **fields})


def _valid(config: type[C], written: str, fields: Mapping[str, Any]) -> C:
    try:
        return config.model_validate(dict(fields))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(it) for it in first["loc"] if not str(it).startswith("<"))
        raise RefusedError(named_problem(f"`{place}` of `{written}`", dict(first))) from None
