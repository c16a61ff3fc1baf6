"""Suites that mix the spellings of all formats in any way are migrated, with nothing lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from suitecase.authoring.migration import meanings, migrate
from suitecase.checking.check import check
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite

FOLDER = Path(__file__).parent


class _WithoutAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


rubrics = st.fixed_dictionaries(
    {"id": st.sampled_from("abc")},
    optional={"required": st.booleans(), "weight": st.integers(0, 3)},
).flatmap(
    lambda item: st.sampled_from(
        [
            {**item, "outcome": "Is good"},
            {**item, "description": "Is good"},
            {**item, "expected_outcome": "Is good", "operator": "correctness"},
            {**item, "score_ranges": {"0": "bad", "5": "good"}, "min_score": 0.8},
            {**item, "score_ranges": [{"score_range": [0, 10], "outcome": "any"}]},
        ]
    )
)


def _numbered(items: list[Any]) -> list[Any]:
    """Give each rubric an id of its own: what is wrong before cannot be told from what is broken."""
    return [{**it, "id": f"r{n}"} if isinstance(it, dict) else it for n, it in enumerate(items)]


rubric_lists = st.lists(st.one_of(rubrics, st.just("Is warm")), min_size=1, max_size=3).map(
    _numbered
)


def _leaves(names: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    word = st.sampled_from(["a", "Is it?\nYes.", "x: y", "- z"])
    return st.one_of(
        st.builds(lambda name, it: {"name": name, "type": "contains", "value": it}, names, word),
        st.builds(lambda it: {"type": "equals", "value": it, "negate": True}, word),
        st.just({"type": "is-json", "required": False}),
        st.builds(lambda it: {"type": "rubrics", "criteria": it}, rubric_lists),
        st.builds(lambda n, it: {"name": n, "type": "rubric", "rubrics": it}, names, rubric_lists),
        st.just({"type": "llm-grader", "prompt": "Good?\n{{ output }}\n${question}\n"}),
        st.just({"type": "code-grader", "command": ["python", "-c", "1"]}),
        st.just("Is short"),
        st.just("Is warm"),
        st.builds(
            lambda how: {
                "type": "tool-trajectory",
                "mode": "in_order",
                "expected": [{"tool": "t", "args": {"a": 1}, **how}, {"tool": "u"}],
            },
            st.sampled_from([{"args_match": "superset"}, {"args_match": "ignore"}, {}]),
        ),
    )


names = st.sampled_from(["one", "two", "contains", "rubrics"])
leaves = _leaves(names)


def _unique(items: list[Any]) -> list[Any]:
    seen: set[str] = set()
    kept = []
    for it in items:
        name = it.get("name") if isinstance(it, dict) else None
        if name is None or name not in seen:
            kept.append(it)
            seen.add(name or "")
    return kept


composites = st.builds(
    lambda members, key: {
        "name": "all",
        "type": "composite",
        key: _unique(members),
        "aggregator": {"type": "weighted_average"},
    },
    st.lists(leaves, min_size=1, max_size=3),
    st.sampled_from(["assert", "assertions"]),
)
lists = st.lists(st.one_of(leaves, leaves, composites), min_size=1, max_size=4).map(_unique)
named = lists.map(lambda items: [it for it in items if isinstance(it, dict) and "name" in it])

turns = st.sampled_from([["user"], ["user", "assistant"], ["system", "user", "assistant", "user"]])


def _messages(roles: list[str]) -> list[dict[str, str]]:
    return [{"role": role, "content": f"I am\n{role}"} for role in roles]


inputs = st.one_of(
    st.just({"input": "Hi"}), turns.map(lambda it: {"messages": _messages([*it, "assistant"])})
)
graded = st.one_of(
    st.just({}),
    lists.map(lambda it: {"assert": it}),
    lists.map(lambda it: {"assertions": it}),
    named.map(lambda it: {"evaluators": it} if it else {}),
    named.map(lambda it: {"execution": {"skip_defaults": True, "evaluators": it}} if it else {}),
    rubric_lists.map(lambda it: {"rubrics": it}),
    st.just({"assert": ["Is short", "Is warm"], "execution": {"skip_defaults": True}}),
)
cases = st.builds(
    lambda key, asked, how: {key: "Says: hello", **asked, **how},
    st.sampled_from(["outcome", "criteria", "expected_outcome"]),
    inputs,
    graded,
)
heads = st.fixed_dictionaries(
    {},
    optional={
        "target": st.just("mock"),
        "name": st.just("greetings"),
        "tags": st.just(["a"]),
        "grader": st.just("llm_judge"),
        "execution": st.sampled_from([{"target": "mock"}, {"evaluators": [{"name": "s", "type": "contains", "value": "q"}]}]),
        "assertions": lists,
    },
)  # fmt: skip


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(
    head=heads,
    listed=st.lists(cases, min_size=1, max_size=3),
    key=st.sampled_from(["testcases", "evalcases", "eval_cases", "cases", "tests"]),
    flow=st.sampled_from([False, False, None]),
    data=st.data(),
)
def test_a_mixture_is_migrated(
    head: dict[str, Any], listed: list[Any], key: str, flow: bool | None, data: st.DataObject
) -> None:
    if "assertions" in head and "evaluators" in head.get("execution", {}):
        del head["assertions"]
    numbered = [{"id": f"case-{number}", **it} for number, it in enumerate(listed)]
    entries = data.draw(st.permutations([*head.items(), (key, numbered)]))
    text = yaml.dump(
        dict(entries), Dumper=_WithoutAliases, sort_keys=False, default_flow_style=flow, width=60
    )
    path = FOLDER / "suite.eval.yaml"
    workspace = Workspace(FOLDER)
    made = migrate(text, path, workspace)
    assert made is not None
    assert made.bug == "", text
    assert list(meanings(parse_suite(made.after))) == list(meanings(parse_suite(text)))
    again = migrate(made.after, path, workspace)
    assert again is not None
    assert again.after == made.after
    found = check(parse_suite(made.after), Folder(workspace, FOLDER))
    assert found.failures == []
    left = {it.code for it in found.findings if it.code.startswith("SC6")}
    assert left <= {"SC616"}, f"{text}\n-----\n{made.after}"
