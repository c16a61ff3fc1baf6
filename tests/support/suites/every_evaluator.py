"""Suites of every evaluator, and what a run should make of them by what `show` prints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

Values = dict[str, Any]

WORDS = ("hello", "paris", "warm", "total", "")
#: Small numbers, and those that sums of weights do not take as they are.
WEIGHTS = st.sampled_from([0, 0.1, 0.7, 1, 2.5, 3, 1e-300, 1e308])
#: What judges: words compared, a canned verdict, prose, nobody.
JUDGES = st.sampled_from([None, "overlap", "overlap", "overlap", "canned", "babbler", "away"])
TARGETS = {
    "targets": [
        {
            "name": "writer",
            "provider": "mock",
            "judge_target": "overlap",
            "response": {
                "c0": "Hello from Paris, warm and total",
                "c1": '{"total": 3, "name": "Paris"}',
                "c2": "",
            },
        },
        {"name": "overlap", "provider": "mock"},
        {
            "name": "canned",
            "provider": "mock",
            "response": '{"score": 0.8, "hits": ["a"], "reasoning": "x", '
            '"checks": [{"id": "rubric-1", "satisfied": true}, {"id": "tone", "score": 6}]}',
        },
        {"name": "babbler", "provider": "mock", "response": "I would rather not say."},
        {"name": "away", "provider": "mock", "response": {"another": "x"}},
    ]
}

#: Files of prompts and what they say, by what the judge grades by.
PROMPTS = {
    "rubrics": {"listed.md": "From a file. {{ candidate_answer }} {{ rubrics }}\n"},
    "free form": {"plain.md": "From a file. {{ candidate_answer }}\n"},
}


@st.composite
def _weighted(draw: st.DrawFn, entry: Values) -> Values:
    weight = draw(st.none() | WEIGHTS)
    return entry if weight is None else {**entry, "weight": weight}


@st.composite
def _ranges(draw: st.DrawFn) -> Any:
    middle = draw(st.integers(1, 10))
    if draw(st.booleans()):
        return {"0": "cold words", str(middle): "warm words"}
    upper = {"score_range": [middle, 10], "expected_outcome": "warm words"}
    lower = {"score_range": [0, middle - 1], "expected_outcome": "cold words"}
    return draw(st.permutations([lower, upper]))


@st.composite
def _rubric(draw: st.DrawFn, name: str | None) -> Any:
    if name is None and draw(st.booleans()):
        return draw(st.sampled_from(["says hello", "is warm", "names paris"]))
    # `description` is an older spelling.
    key = draw(st.sampled_from(["expected_outcome", "description"]))
    item = draw(_weighted({key: draw(st.sampled_from(["says hello", "is warm"]))}))
    if name is not None:
        item["id"] = name
    if draw(st.booleans()):
        item["score_ranges"] = draw(_ranges())
        minimum = draw(st.none() | st.integers(0, 10))
        if minimum is not None:
            item["required_min_score"] = minimum
        elif draw(st.booleans()):
            item["required"] = draw(st.booleans())  # an older spelling of a minimum of 10
    elif draw(st.booleans()):
        item["required"] = draw(st.booleans())
    return item


@st.composite
def rubrics(draw: st.DrawFn) -> list[Any]:
    names: list[str | None] = draw(
        st.lists(st.sampled_from([None, None, "tone", "depth"]), min_size=1, max_size=3)
    )
    used = [it if it is None or names.index(it) == at else None for at, it in enumerate(names)]
    return [draw(_rubric(it)) for it in used]


@st.composite
def _judge(draw: st.DrawFn) -> Values:
    kind = draw(st.sampled_from(["llm_judge", "llm_judge", "rubric"]))
    entry: Values = {"type": kind}
    if kind == "rubric" or draw(st.booleans()):
        entry["rubrics"] = draw(rubrics())
    judge = draw(JUDGES)
    if judge is not None:
        entry["target"] = judge
    if draw(st.booleans()):
        form = "rubrics" if "rubrics" in entry else "free form"
        entry["prompt"] = draw(st.sampled_from([*PROMPTS[form].values(), *PROMPTS[form]]))
    return entry


_TEXT = st.sampled_from(["hello", "Paris", "warm", "zebra"])
_PLAIN: Sequence[st.SearchStrategy[Values]] = (
    st.builds(
        lambda kind, value, negate: {"type": kind, "value": value, "negate": negate},
        st.sampled_from(["contains", "icontains", "equals"]),
        _TEXT,
        st.booleans(),
    ),
    st.builds(
        lambda kind, value, normalize, negate: {
            "type": kind,
            "value": value,
            "normalize": normalize,
            "negate": negate,
            "synonyms": {"warm": ["zebra", "hearty"]},
        },
        st.sampled_from(["contains_any", "contains_all", "icontains_all", "ends_with", "equals"]),
        st.lists(_TEXT, min_size=1, max_size=2),
        st.sampled_from(["squad", "none", ["casefold", "spaces"]]),
        st.booleans(),
    ),
    st.builds(
        lambda labels, find: {"type": "label", "labels": labels, "value": labels[0], "find": find},
        st.lists(st.sampled_from(["hello", "paris", "warm"]), min_size=1, max_size=3, unique=True),
        st.sampled_from(["whole", "first", "last"]),
    ),
    st.builds(lambda value: {"type": "number", "value": value, "tolerance": 1}, st.integers(0, 9)),
    st.builds(lambda value: {"type": "token_f1", "value": value}, _TEXT),
    st.builds(lambda most: {"type": "word_count", "max": most}, st.integers(0, 9)),
    st.builds(lambda value: {"type": "regex", "value": f"^{value}|x"}, _TEXT),
    st.just({"type": "is_json"}),
    st.just({"type": "is-json"}),  # an older spelling
    st.just({"type": "json_schema", "schema": {"type": "object", "required": ["total"]}}),
    st.just({"type": "json_schema", "schema": '{"type": "object"}'}),
    st.builds(lambda text: {"type": "criteria", "criteria": text}, st.sampled_from(["is warm"])),
    st.builds(
        lambda weights, how: {
            "type": "field_accuracy",
            "aggregation": how,
            "fields": [
                {"path": path, "match": "exact", "weight": it}
                for path, it in zip(("total", "name"), weights, strict=True)
            ],
        },
        st.tuples(st.sampled_from([1, 1e308]), st.sampled_from([0, 2, 1e308])),
        st.sampled_from(["weighted_average", "all_or_nothing"]),
    ),
    st.just({"type": "tool_trajectory", "mode": "any_order", "minimums": {"search": 1}}),
    st.just({"type": "latency", "threshold": 60_000}),
    st.just({"type": "cost", "budget": 1}),
    st.just({"type": "token_usage", "max_total": 10}),
)


@st.composite
def _composite(draw: st.DrawFn, members: st.SearchStrategy[Values]) -> Values:
    listed = _named(draw(st.lists(members, min_size=1, max_size=3)), "m")
    kind = draw(st.sampled_from(["weighted_average"] * 4 + ["llm_judge", "code_judge"]))
    aggregator: Values = {"type": kind}
    if kind == "llm_judge":
        aggregator["prompt"] = "Settle. {{ EVALUATOR_RESULTS_JSON }}"
    elif kind == "code_judge":
        aggregator["path"] = "echo '{\"score\": 0.75}'"
    elif draw(st.booleans()):
        chosen = draw(st.lists(st.sampled_from([it["name"] for it in listed]), unique=True))
        aggregator["weights"] = {it: draw(WEIGHTS) for it in chosen}
    return {"type": "composite", "aggregator": aggregator, "evaluators": listed}


def _named(entries: Sequence[Values], prefix: str) -> list[Values]:
    return [{"name": f"{prefix}{at}", **entry} for at, entry in enumerate(entries)]


@st.composite
def _counting(draw: st.DrawFn, entry: Values) -> Values:
    """Give an evaluator a weight and a gate, or none."""
    gates: list[Values] = [
        {},
        {},
        {},
        {"required": True},
        {"min_score": 0.5},
        {"required": False, "min_score": 0.9},
        {"required": True, "min_score": 1},
    ]
    return {**draw(_weighted(entry)), **draw(st.sampled_from(gates))}


_leaf = st.one_of(_judge(), _judge(), *_PLAIN).flatmap(_counting)
_entry = _leaf | _composite(_leaf | _composite(_leaf).flatmap(_counting)).flatmap(_counting)


@st.composite
def suites(draw: st.DrawFn) -> Values:
    """Suites of one to three cases, short forms and older spellings among them."""
    head: Values = {"execution": {"target": "writer"}}
    if draw(st.booleans()):
        common = draw(st.lists(_entry, min_size=1, max_size=2))
        head["execution"]["evaluators"] = _named(common, "s")
    mode = draw(st.sampled_from([None, None, "llm", "schema"]))
    if mode is not None:
        head["evaluation_mode"] = mode
    if mode == "llm":
        head["evaluation_criteria"] = draw(st.sampled_from(["is warm", ""]))
    cases: list[Values] = []
    for number in range(draw(st.integers(1, 3))):
        # `outcome` is an older spelling.
        key = draw(st.sampled_from(["expected_outcome", "outcome"]))
        case: Values = {"id": f"c{number}", "input": "Hi", key: "says hello warmly"}
        case["expected_output"] = {"total": 3, "name": "Rome"}
        if mode == "schema" and draw(st.booleans()):
            case["evaluation_schema"] = {"type": "object"}
        if draw(st.booleans()):
            case["rubrics"] = draw(rubrics())
        if draw(st.booleans()):
            own = _named(draw(st.lists(_entry, max_size=2)), "e")
            if draw(st.booleans()):
                case["evaluators"] = own
            else:
                case["execution"] = {"evaluators": own}
        cases.append(case)
    return {**head, "evalcases": cases}


def differences(shown: Sequence[Values], results: Sequence[Values]) -> Iterator[str]:
    """Yield where the results of evaluators are not those of the evaluators that are shown."""
    names = [(it["name"], it["type"]) for it in results]
    if [(it["name"], it["type"]) for it in shown] != names:
        yield f"shown are {[it['name'] for it in shown]}, graded have {names}"
        return
    for entry, result in zip(shown, results, strict=True):
        name = entry["name"]
        if entry["weight"] != result["weight"]:
            yield f"{name}: weight {entry['weight']} is shown, {result['weight']} recorded"
        gate = _below_gate(entry, result["score"])
        if entry.get("rubrics"):
            gate |= _misses_required(entry["rubrics"], result)
            yield from (f"{name}: {it}" for it in _rubric_differences(entry["rubrics"], result))
        if entry["type"] == "composite":
            graded = result["verdict"] != "error"
            gate |= graded and any(it["gate_failed"] for it in result["details"]["members"])
            yield from (f"{name}: {it}" for it in _composite_differences(entry, result))
        if gate != result["gate_failed"]:
            yield f"{name}: its gates give {gate}, recorded is {result['gate_failed']}"


def _below_gate(entry: Values, score: float | None) -> bool:
    if entry.get("required") is False or score is None:
        return False
    gate = entry.get("min_score", 0.8 if entry.get("required") else None)
    return gate is not None and score < gate


def _misses_required(listed: Sequence[Values], result: Values) -> bool:
    given = result["details"].get("raw_scores") or {}
    return any(
        (given[it["id"]] or 0) < it.get("required_min_score", 0)
        or (it.get("required") is True and not given[it["id"]])
        for it in listed
        if it["id"] in given
    )


def _rubric_differences(listed: Sequence[Values], result: Values) -> Iterator[str]:
    given = result["details"].get("raw_scores")
    if given is None:
        if result["verdict"] != "error":
            yield "no item is recorded"
        return
    if list(given) != [it["id"] for it in listed]:
        yield f"items {[it['id'] for it in listed]} are shown, {list(given)} recorded"
        return
    parts: list[tuple[float, float | None]] = []
    for item in listed:
        raw = given[item["id"]] or 0
        parts.append((item["weight"], raw / 10 if "score_ranges" in item else float(raw)))
    if not any(weight for weight, _ in parts):
        parts = [(1, it) for _, it in parts]
    yield from _wrong("score", mean(parts), result["score"])


def _composite_differences(entry: Values, result: Values) -> Iterator[str]:
    members = result["details"]["members"]
    yield from differences(entry["evaluators"], members)
    gate = any(it["gate_failed"] for it in members)
    if gate and result["verdict"] not in ("fail", "error"):
        yield "a member's gate failed, and it does not"
    if any(it["verdict"] == "error" for it in members) and not gate:
        if result["verdict"] != "error":
            yield "a member broke, and it does not"
        return
    if entry["aggregator"]["type"] == "weighted_average" and result["verdict"] != "error":
        parts = [
            (it["weight"], member["score"])
            for it, member in zip(entry["evaluators"], members, strict=True)
        ]
        yield from _wrong("score", mean(parts) if not gate else mean(parts) or 0.0, result["score"])


def case_differences(shown: Values, record: Mapping[str, Any]) -> Iterator[str]:
    """Yield where the record of a case is not what follows from the case as it is shown."""
    results = record["evaluator_results"]
    yield from differences(shown["evaluators"], results)
    score = mean(
        [
            (it["weight"], result["score"])
            for it, result in zip(shown["evaluators"], results, strict=True)
        ]
    )
    gate = any(it["gate_failed"] for it in results)
    yield from _wrong("score of the case", score or 0.0 if gate else score, record["score"])
    if gate:
        verdict = "fail"
    elif any(it["verdict"] == "error" for it in results):
        verdict = "error"
    elif score is None:
        verdict = "not_evaluated"
    else:
        near = round(score, 9)
        verdict = "pass" if near >= 0.8 else "borderline" if near >= 0.6 else "fail"
    if verdict != record["verdict"]:
        yield f"the case should be {verdict}, and is {record['verdict']}"


def mean(parts: Sequence[tuple[float, float | None]]) -> float | None:
    """Return the weighted mean of what was graded, in exact numbers; None where nothing counts."""
    from fractions import Fraction

    counted = [(Fraction(weight), Fraction(it)) for weight, it in parts if it is not None]
    total = sum(weight for weight, _ in counted)
    return float(sum(weight * it for weight, it in counted) / total) if total else None


def _wrong(what: str, expected: float | None, recorded: float | None) -> Iterator[str]:
    if expected is None or recorded is None:
        if expected != recorded:
            yield f"the {what} should be {expected}, and is {recorded}"
    elif not math.isclose(expected, recorded, abs_tol=1e-9):
        yield f"the {what} should be {expected}, and is {recorded}"
