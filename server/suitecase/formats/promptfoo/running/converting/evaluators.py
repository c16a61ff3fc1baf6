"""Converts assertions to evaluators that give every answer the same verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from suitecase.formats.promptfoo.running.converting.patterns import python_pattern
from suitecase.formats.promptfoo.running.converting.schemas import unsure_in
from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase_evaluators.evaluator import EvaluatorConfig
from suitecase_evaluators.promptfoo.assertion import PREFIX, AssertionConfig
from suitecase_evaluators.promptfoo.comma_separated import NotSeparatedError, comma_separated
from suitecase_evaluators.promptfoo.ecmascript import as_text

#: The fields of an evaluator, besides those that all evaluators have.
Fields = dict[str, Any]

_DRAFT: Final = "http://json-schema.org/draft-07/schema#"
_NEGATED: Final = "negate"


def evaluators_of(config: EvaluatorConfig) -> Iterator[Fields]:
    """Yield the evaluators of an assertion: one, or those of the members of a set.

    A failed assertion fails its row, so evaluators are `required`. An assertion of weight 0 always
    passes.

    Raises:
        RefusedError: there are no equivalent evaluators.
    """
    if not isinstance(config, AssertionConfig):
        raise RefusedError("there is no equivalent evaluator")
    kind = str(config.type).removeprefix(PREFIX)
    if kind == "assert-set":
        yield from _of_set(config)
        return
    if kind == "transformed":
        raise RefusedError(
            "`transform` changes the answer before it is graded, which suites cannot do"
        )
    convert = _KINDS.get(kind)
    if convert is None:
        raise RefusedError(
            f"`{config.written_type}` has no evaluator with the same verdicts; {_hint(kind)}"
        )
    own = convert(config)
    if config.negate and _NEGATED not in own:
        raise RefusedError(
            f"the evaluator `{own['type']}` cannot be negated as `{config.written_type}` is"
        )
    if not own.get(_NEGATED, True):
        del own[_NEGATED]
    fields: Fields = {"name": config.name, **own}
    if config.weight != 1:
        is_whole = float(config.weight).is_integer()
        fields["weight"] = int(config.weight) if is_whole else config.weight
    if config.weight:
        fields["required"] = True
    yield fields


def _of_set(config: AssertionConfig) -> Iterator[Fields]:
    """Yield the evaluators of a set whose members all have to pass; their weights add up to its weight."""
    if config.threshold is not None:
        raise RefusedError(
            "`threshold` of an `assert-set` lets members fail, which no evaluator of a suite does"
        )
    if not config.weight:
        raise RefusedError("an `assert-set` with a weight of 0 grades nothing")
    members: list[AssertionConfig] = list(getattr(config, "members", ()))
    total = sum(it.weight for it in members)
    if not total:
        raise RefusedError("the members of this `assert-set` have no weight")
    for member in members:
        share = config.weight * member.weight / total
        name = f"{config.name}: {member.name}"
        yield from evaluators_of(member.model_copy(update={"name": name, "weight": share}))


def _hint(kind: str) -> str:
    if kind in ("javascript", "python", "ruby"):
        return "a `code_judge` calls a program of yours"
    return "leave the test to `suitecase run` on the configuration"


def _text(config: AssertionConfig) -> str:
    value = config.value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return as_text(value)
    if isinstance(value, str) and value:
        return value
    raise RefusedError(
        f"`{config.written_type}` needs a string as its `value`; promptfoo reports an error"
    )


def _texts(config: AssertionConfig) -> list[str]:
    value: Any = config.value
    if isinstance(value, str) and value:
        try:
            value = comma_separated(value)
        except NotSeparatedError as error:
            raise RefusedError(f"`value` of `{config.written_type}`: {error}") from error
    texts = [as_text(it) for it in value] if isinstance(value, list) else []
    if not texts or not all(texts):
        raise RefusedError(
            f"`{config.written_type}` needs strings as its `value`, none of which is empty"
        )
    return texts


def _without_case(texts: list[str]) -> None:
    for text in texts:
        if text.lower() != text.casefold():
            raise RefusedError(
                f"`{text}` has letters whose case suites ignore in another way than promptfoo"
            )


def _search(kind: str, *, several: bool = False) -> Callable[[AssertionConfig], Fields]:
    def convert(config: AssertionConfig) -> Fields:
        texts = _texts(config) if several else [_text(config)]
        if kind.startswith("icontains"):
            _without_case(texts)
        value: Any = texts if several else texts[0]
        return {"type": kind, "value": value, _NEGATED: config.negate}

    return convert


def _starts_with(config: AssertionConfig) -> Fields:
    value = _text(config)
    return {"type": "starts_with", "value": value, "normalize": "none", _NEGATED: config.negate}


def _equals(config: AssertionConfig) -> Fields:
    if not config.has_value or isinstance(config.value, dict | list | None):
        raise RefusedError("`equals` compares JSON here, which the evaluator `equals` does not")
    value = as_text(config.value)
    if not value:
        raise RefusedError("`equals` with an empty string has no equivalent evaluator")
    return {"type": "equals", "value": value, "normalize": "none", _NEGATED: config.negate}


def _regex(config: AssertionConfig) -> Fields:
    value = config.value
    pattern = python_pattern(value) if isinstance(value, str) and value else None
    if pattern is None:
        raise RefusedError(
            f"it is not certain that `{value}` finds the same in Python, by which suites search; write it with "
            "groups, classes and repetitions alone"
        )
    return {"type": "regex", "value": pattern, _NEGATED: config.negate}


def _is_json(config: AssertionConfig) -> Fields:
    if not getattr(config, "has_schema", False):
        return {"type": "is_json", _NEGATED: config.negate}
    schema = config.value
    reason = unsure_in(schema) if isinstance(schema, dict) else "it is not a mapping"
    if reason is not None:
        raise RefusedError(f"promptfoo may read its JSON Schema differently: {reason}")
    return {"type": "json_schema", "schema": {"$schema": _DRAFT, **schema}}


def _word_count(config: AssertionConfig) -> Fields:
    value = config.value
    limits: Mapping[str, Any] = value if isinstance(value, dict) else {"min": value, "max": value}
    numbers = {
        key: int(limits[key])
        for key in ("min", "max")
        if isinstance(limits.get(key), int | float) and float(limits[key]).is_integer()
    }
    given = [it for it in ("min", "max") if limits.get(it) is not None]
    if not given or given != list(numbers) or any(it < 0 for it in numbers.values()):
        raise RefusedError("`word-count` needs whole numbers")
    return {"type": "word_count", **numbers, _NEGATED: config.negate}


def _limit(kind: str, key: str) -> Callable[[AssertionConfig], Fields]:
    def convert(config: AssertionConfig) -> Fields:
        if config.threshold is None or config.threshold < 0:
            raise RefusedError(f"`{config.written_type}` needs a `threshold` that is not negative")
        return {"type": kind, key: config.threshold}

    return convert


def _rubric(config: AssertionConfig) -> Fields:
    if config.threshold is not None:
        raise RefusedError(
            "`threshold` of `llm-rubric` is a share that its grader gives; an item of a suite is met or not"
        )
    if getattr(config, "prompts", None):
        raise RefusedError(
            "`rubricPrompt` is a prompt of promptfoo; suites have prompts of their own"
        )
    if not isinstance(config.value, str) or not config.value.strip():
        raise RefusedError("`llm-rubric` needs a string as its `value`")
    if config.negate:
        raise RefusedError(
            "`not-llm-rubric` has no equivalent item; write what the answer must not do"
        )
    item = {"id": "rubric", "expected_outcome": config.value}
    return {"type": "llm_judge", "rubrics": [item]}


_KINDS: Final[Mapping[str, Callable[[AssertionConfig], Fields]]] = {
    "equals": _equals,
    "contains": _search("contains"),
    "icontains": _search("icontains"),
    "contains-any": _search("contains_any", several=True),
    "icontains-any": _search("icontains_any", several=True),
    "contains-all": _search("contains_all", several=True),
    "icontains-all": _search("icontains_all", several=True),
    "starts-with": _starts_with,
    "regex": _regex,
    "is-json": _is_json,
    "word-count": _word_count,
    "latency": _limit("latency", "threshold"),
    "cost": _limit("cost", "budget"),
    "llm-rubric": _rubric,
}
