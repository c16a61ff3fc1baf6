"""No edit of a single key makes a red run green without an error or a warning at that key.

Each suite here is sound, and its run is red for one reason alone: an evaluator that fails or a gate
that closes. Whoever else might be asked is content: the judge passes whatever it is asked freely. Then
each key is misspelt, left out and given a value of another kind. Where the run is not red any
more, the checker has to say so. A third of the edits is made, another one each time; `make sweep` makes all.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest
import yaml

from suitecase.checking.check import check
from suitecase.format.reading import parse_document
from suitecase.format.rule import Finding, Severity
from suitecase.format.workspace import Folder, Workspace
from suitecase.text.compose import compose
from suitecase.text.node import Span, at
from support.running.site import Site
from support.samples import sample
from support.suites.judged import JudgedSite, checks, ranges

Path_ = tuple[str | int, ...]

#: Passes freely, and satisfies `b` alone: `a` is what fails.
REPLY = {
    **checks(("a", False), ("b", True)),
    "score": 1.0,
    "reasoning": "Fine.",
    "hits": ["hit"],
    "misses": [],
}
#: The same where `a` is scored.
SCORED = {**REPLY, **checks(("a", 3), ("b", True))}
GATED = [
    {"id": "a", "expected_outcome": "Names Paris", "weight": 0.01},
    {"id": "b", "expected_outcome": "Is short", "weight": 10},
]
MINIMUM = [
    {"id": "a", "weight": 0.01, "required_min_score": 6, "score_ranges": ranges((0, 4), (5, 10))},
    {"id": "b", "expected_outcome": "Is short", "weight": 10},
]
PASSES = {"name": "short", "type": "contains", "value": "a", "weight": 10}
CALLS = [{"tool": "search", "args": {"query": "Paris"}}]


@dataclass(frozen=True)
class Red:
    """A suite whose run is red."""

    name: str
    case: Mapping[str, Any]
    head: Mapping[str, Any] = field(default_factory=dict)
    answer: str = "Berlin it was"
    reply: Mapping[str, Any] = field(default_factory=lambda: REPLY)

    @property
    def suite(self) -> dict[str, Any]:
        case = {
            "id": "case",
            "input": "What is the capital of France?",
            "expected_outcome": "Names Paris.",
            **self.case,
        }
        return copy.deepcopy({**self.head, "evalcases": [case]})


def graded_by(kind: str, **fields: Any) -> dict[str, Any]:
    return {"evaluators": [{"name": "only", "type": kind, **fields}]}


RED = [
    Red("contains", graded_by("contains", value="Paris")),
    Red("icontains", graded_by("icontains", value="paris")),
    Red("not-contains", graded_by("contains", value="Berlin", negate=True)),
    Red("equals", graded_by("equals", value="Paris")),
    Red("regex", graded_by("regex", value="^Paris")),
    Red("is-json", graded_by("is_json")),
    Red(
        "json-schema",
        graded_by("json_schema", schema={"type": "object", "required": ["city"]}),
        answer='{"town": "Berlin"}',
    ),
    Red(
        "field-accuracy",
        {
            "expected_output": {"city": "Paris", "year": 3},
            **graded_by(
                "field_accuracy",
                aggregation="all_or_nothing",
                fields=[
                    {"path": "city", "match": "exact"},
                    {"path": "year", "match": "numeric_tolerance", "tolerance": 1},
                ],
            ),
        },
        answer='{"city": "Berlin", "year": 3}',
    ),
    Red("calls-by-count", graded_by("tool_trajectory", mode="any_order", minimums={"search": 1})),
    Red("calls-in-order", graded_by("tool_trajectory", mode="in_order", expected=CALLS)),
    Red("required-rubric-of-a-case", {"rubrics": GATED}),
    Red("minimum-of-a-case", {"rubrics": MINIMUM}, reply=SCORED),
    Red("required-rubric", graded_by("llm_judge", rubrics=GATED)),
    Red("minimum", graded_by("llm_judge", rubrics=MINIMUM), reply=SCORED),
    Red(
        "judge-with-a-prompt",
        graded_by(
            "llm_judge", rubrics=GATED, prompt="Judge {{ candidate_answer }} by {{ rubrics }}"
        ),
    ),
    Red("rubric-as-it-was-called", graded_by("rubric", rubrics=GATED)),
    Red(
        "assertions",
        {"assert": [{"type": "llm-grader", "rubrics": GATED}, {"type": "contains", "value": "a"}]},
    ),
    Red(
        "evaluators-of-the-suite",
        {},
        {"execution": {"evaluators": [{"name": "j", "type": "llm_judge", "rubrics": GATED}]}},
    ),
    Red(
        "composite",
        graded_by(
            "composite",
            evaluators=[PASSES, {"name": "c", "type": "contains", "value": "Paris"}],
            aggregator={"type": "weighted_average", "weights": {"short": 0.1, "c": 10}},
        ),
    ),
    Red(
        "gate-of-a-member",
        graded_by(
            "composite",
            evaluators=[PASSES, {"name": "j", "type": "llm_judge", "rubrics": GATED}],
            aggregator={"type": "llm_judge", "prompt": "Sum up {{ EVALUATOR_RESULTS_JSON }}"},
        ),
    ),
    Red(
        "weights",
        {
            "evaluators": [
                {**PASSES, "weight": 0.1},
                {"name": "c", "type": "contains", "value": "Paris", "weight": 5},
            ]
        },
    ),
    Red(
        "required-evaluator",
        {
            "evaluators": [
                PASSES,
                {
                    "name": "c",
                    "type": "contains",
                    "value": "Paris",
                    "weight": 0.01,
                    "required": True,
                },
            ]
        },
    ),
    Red(
        "minimum-of-an-evaluator",
        {
            "evaluators": [
                PASSES,
                {"name": "j", "type": "llm_judge", "weight": 0.01, "min_score": 0.5},
            ]
        },
        reply={**REPLY, "score": 0.4},
    ),
    Red(
        "evaluation-by-schema",
        {"evaluation_schema": {"type": "object", "required": ["city"]}},
        {"evaluation_mode": "schema"},
        answer='{"town": "Berlin"}',
    ),
    Red(
        "criteria-of-the-suite",
        {},
        {"evaluation_mode": "llm", "evaluation_criteria": "Names Paris"},
        reply={**REPLY, "score": 0.1},
    ),
    Red("criteria", graded_by("criteria", criteria="Is right"), reply={**REPLY, "score": 0.1}),
    Red(
        "evaluators-under-execution",
        {"execution": {"target": "writer", **graded_by("contains", value="Paris")}},
    ),
    Red(
        "evaluators-appended",
        {"assert": [{"type": "contains", "value": "a"}]},
        {"assert": [{"name": "j", "type": "llm-grader", "rubrics": GATED}]},
    ),
    Red(
        "ranges-by-their-lowest-score",
        {
            "rubrics": [
                {
                    "id": "a",
                    "weight": 0.01,
                    "required_min_score": 6,
                    "score_ranges": {"0": "Is wrong", "5": "Is right"},
                },
                GATED[1],
            ]
        },
        reply=SCORED,
    ),
    Red(
        "script",
        graded_by("code_judge", script=[sys.executable, "-c", "print('{\"score\": 0}')"]),
    ),
    Red("tokens", graded_by("token_usage", max_total=1)),
    Red("latency", graded_by("latency", threshold=0.000001)),
    Red(
        "target-of-the-case",
        {"execution": {"target": "writer"}, **graded_by("contains", value="Paris")},
    ),
]


def written(suite: Mapping[str, Any]) -> str:
    return yaml.dump(suite, Dumper=yaml.CSafeDumper, sort_keys=False)


@dataclass(frozen=True)
class Edited:
    """A suite with one key edited; what it is like is computed when it is asked for."""

    red: Red
    how: str
    path: Path_
    change: Mapping[str, Any]

    @property
    def is_drop(self) -> bool:
        return "drop" in self.change

    @cached_property
    def suite(self) -> dict[str, Any]:
        return _changed(self.red.suite, self.path, **self.change)

    @cached_property
    def text(self) -> str:
        return written(self.suite)

    def place(self) -> Span:
        """Where the mapping stands that the key is in."""
        root = compose(self.text).root
        assert root is not None
        node, key, _ = at(root, self.path[:-1])
        return Span(key.start if key else node.start, node.end)


def edits_of(red: Red) -> Iterator[Edited]:
    """Yield the suite with each of its keys edited, one after another."""
    suite = red.suite
    for path in _paths(suite, ()):
        name = str(path[-1])
        for new in _misspelt(name):
            yield Edited(red, f"{name} -> {new}", path, {"rename": new})
        yield Edited(red, f"without {name}", path, {"drop": True})
        value = _at(suite, path)
        others: list[Any] = [None, "", [], {}, "word", 3, True]
        for other in others:
            if _kind(other) != _kind(value) or other in ("", [], {}):
                if other == value:
                    continue
                yield Edited(red, f"{name}: {json.dumps(other)}", path, {"value": other})


@cache
def first_edits() -> Mapping[str, list[Edited]]:
    """Return the edits by suite; one of the same key in a like place is in the first of those suites alone.

    Places are alike where the keys that lead there are, the type of what the key is in, the keys in its value, and whether
    a judge is asked.
    """
    seen: set[object] = set()
    edits: dict[str, list[Edited]] = {}
    for red in RED:
        suite = red.suite
        judged = any(word in str(suite) for word in ("rubrics", "criteria", "llm"))
        mine = edits[red.name] = []
        for edit in edits_of(red):
            names = tuple(step for step in edit.path if isinstance(step, str))
            value = _at(suite, edit.path)
            within = (*value,) if isinstance(value, dict) else ()
            place = (names, edit.how, _at(suite, edit.path[:-1]).get("type"), within, judged)
            if place not in seen:
                seen.add(place)
                mine.append(edit)
    return edits


def _paths(value: Any, path: Path_) -> Iterator[Path_]:
    """Yield the paths of all keys of the format; what stands in data of the author's is not."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield (*path, name)
            if name not in {"evaluation_schema", "schema", "args", "expected_output", "weights"}:
                yield from _paths(item, (*path, name))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _paths(item, (*path, number))


def _misspelt(name: str) -> list[str]:
    middle = len(name) // 2
    swapped = name[: middle - 1] + name[middle] + name[middle - 1] + name[middle + 1 :]
    words = name.split("_")
    camel = words[0] + "".join(it.capitalize() for it in words[1:])
    number = name.removesuffix("s") if name.endswith("s") else f"{name}s"
    new = (swapped, name.capitalize(), camel, name.replace("_", "-"))
    return [it for it in dict.fromkeys((*new, number)) if it and it != name]


def _kind(value: object) -> str:
    return "number" if type(value) in (int, float) else type(value).__name__


def _at(suite: Any, path: Path_) -> Any:
    for step in path:
        suite = suite[step]
    return suite


def _changed(
    suite: dict[str, Any],
    path: Path_,
    *,
    rename: str | None = None,
    drop: bool = False,
    value: Any = None,
) -> dict[str, Any]:
    suite = copy.deepcopy(suite)
    parent, name = _at(suite, path[:-1]), path[-1]
    if drop:
        del parent[name]
    elif rename is not None:
        entries = [(rename if key == name else key, it) for key, it in parent.items()]
        parent.clear()
        parent.update(entries)
    else:
        parent[name] = value
    return suite


def found_in(text: str, folder: Path) -> list[Finding]:
    workspace = Workspace(folder)
    file = parse_document(folder / "a.eval.yaml", text, workspace)
    analysis = check(file, Folder(workspace, folder))
    assert analysis.failures == []
    return analysis.everything


def is_said(edit: Edited, found: list[Finding]) -> bool:
    """Whether an error or a warning stands in the mapping of the key, or points there.

    What a key that is gone leaves behind is found where that stands.
    """
    grave = [it for it in found if it.severity is not Severity.INFO]
    if edit.is_drop:
        return bool(grave)
    place = edit.place()
    spans = [span for it in grave for span in (it.span, *(r.span for r in it.related))]
    return any(place.start <= it.start <= place.end for it in spans)


def says_no_more(edit: Edited, found: list[Finding]) -> bool:
    """Whether the edit does no more than it says, so that nothing is to be found.

    Where a key is left out, a suite is left that is sound and says all it is graded by: without
    `required_min_score` there is no gate, and nothing says that there was to be one. That holds of
    the keys named here alone, and of rubrics only as long as neither the prompt nor the type of
    their judge still speaks of them.

    Without criteria, or without a schema, a case is not evaluated by its mode: so the specification
    has it. It is recorded as that, counted apart, and noted.
    """
    name = edit.path[-1]
    parent: dict[str, Any] = _at(edit.suite, edit.path[:-1])
    if name in ("evaluation_schema", "evaluation_criteria") and not parent.get(name):
        noted = {"case-without-schema", "mode-without-criteria"}
        return any(it.rule.name in noted for it in found)
    if not edit.is_drop:
        return False
    if name == "rubrics":
        return "rubrics" not in parent.get("prompt", "") and parent.get("type") != "rubric"
    if name in ("evaluators", "assert", "execution"):
        return parent.get("type") != "composite"
    return name in ("required_min_score", "min_score", "required", "negate", "weights")


@pytest.mark.parametrize("red", RED, ids=lambda it: it.name)
async def test_no_edit_of_a_key_makes_a_red_run_green_in_silence(red: Red, site: Site) -> None:
    judged = JudgedSite(site)

    async def is_red(suite: Mapping[str, Any]) -> bool:
        ran = await judged.run(suite, red.answer, red.reply)
        if not ran.records:  # what is not a suite any more is refused
            return True
        (record,) = ran.records.values()
        return record["verdict"] not in ("pass", "not_evaluated")

    assert await is_red(red.suite)
    before = found_in(written(red.suite), site.root)
    assert [it.message for it in before if it.severity is Severity.ERROR] == []
    messages_before = {it.message for it in before}
    silent = []
    for edit in sample(first_edits()[red.name]):
        found = [it for it in found_in(edit.text, site.root) if it.message not in messages_before]
        if is_said(edit, found) or says_no_more(edit, found):
            continue
        if not await is_red(edit.suite):
            silent.append((edit.how, edit.path))
    assert silent == []
