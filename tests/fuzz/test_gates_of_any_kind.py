"""No head makes a rule about gates fail, and each fix of theirs keeps the suite readable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from suitecase.checking.check import check
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite

FOLDER = Folder(Workspace(Path(__file__).parent), Path(__file__).parent)
NAMES = st.sampled_from(
    [
        "pass_rate",
        "score",
        "rubric",
        "rubric.a",
        "polite",
        "polite.x",
        "quality",
        "q2",
        "pass@3",
        "violation_rate",
        "latency_ms",
        "error_rate",
        "topic.macro_f1",
        "topic.recall.no",
        "nothing",
    ]
)
SLICES = st.sampled_from(["", "[a]", "[b]", "[red]", "[lang=de]", "[lang]", "[no]", "[`]"])
NUMBERS = st.sampled_from(["0", "1", "90", "90%", "0.9", "100%", "-1", "2%", "1e3", ""])
FACETS = st.sampled_from(["lang", "a", "red", "no"])


@st.composite
def _terms(draw: st.DrawFn) -> str:
    figure = draw(NAMES) + draw(SLICES)
    if draw(st.booleans()):
        figure = f"{draw(st.sampled_from(['min', 'max', 'gap']))}({figure} by {draw(FACETS)})"
    return f"{draw(NUMBERS)} * {figure}" if draw(st.booleans()) else figure


SUMS = st.lists(_terms(), min_size=1, max_size=2).map(" + ".join)
FUNCTIONS = st.sampled_from(["", "lower", "upper", "change"])
GATES = st.builds(
    lambda function, text, sign, number: (
        f"{function}({text}) {sign} {number}" if function else f"{text} {sign} {number}"
    ),
    FUNCTIONS,
    SUMS,
    st.sampled_from([">=", "<=", ">", "<", "=>"]),
    NUMBERS,
)
ODD: st.SearchStrategy[Any] = st.sampled_from([None, 7, True, [], {}, "", " ", [None], {"by": 1}])
SELECTORS = st.fixed_dictionaries(
    {},
    optional={
        "tags": st.sampled_from(["a", ["a", "b"], "no"]) | ODD,
        "id": st.sampled_from(["c*", ["x", "c1"]]) | ODD,
        "metadata": st.sampled_from([{"lang": "de"}, {"lang": ["de", 1]}]) | ODD,
        "by": st.sampled_from(["metadata.lang", "metadata.no", "lang"]) | ODD,
        "safety": st.booleans() | ODD,
        "sensitive": st.booleans() | ODD,
        "basis": st.sampled_from(["Known"]) | ODD,
    },
)
HEADS = st.fixed_dictionaries(
    {},
    optional={
        "gates": st.lists(
            GATES
            | st.builds(lambda it, level: {"gate": it, "level": level}, GATES, st.just("warning"))
            | ODD,
            max_size=5,
        )
        | ODD,
        "slices": st.dictionaries(st.sampled_from(["a", "red", "lang", "x y"]), SELECTORS | ODD)
        | ODD,
        "metrics": st.dictionaries(
            st.sampled_from(["quality", "q2", "score", "polite"]), SUMS | ODD
        )
        | ODD,
        "intervals": st.fixed_dictionaries(
            {}, optional={"groups": st.sampled_from(["metadata.lang", "none", "x"]) | ODD}
        )
        | ODD,
        "execution": st.fixed_dictionaries({"repeats": st.sampled_from([1, 2, 5]) | ODD}) | ODD,
    },
)
EVALUATORS = st.sampled_from(
    [
        [{"name": "polite", "type": "icontains", "value": "a"}],
        [{"name": "polite", "type": "icontains"}],
        [{"name": "topic", "type": "label", "labels": ["yes", "no"], "value": "no"}],
        [],
        7,
    ]
)
CASES = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from(["c1", "c2", "x"]), "input": st.just("Hi")},
        optional={
            "expected_outcome": st.just("Greets"),
            "tags": st.sampled_from([["a"], ["a", "b"], [1], "a"]),
            "metadata": st.sampled_from([{"lang": "de"}, {"lang": 1}, {"lang": [1]}, 7]),
            "rubrics": st.sampled_from([["x"], [{"id": "a", "expected_outcome": "x"}], 7]),
            "evaluators": EVALUATORS,
        },
    ),
    max_size=4,
)


@settings(deadline=None)
@given(HEADS, CASES, st.booleans())
def test_no_head_makes_a_rule_fail(head: Any, cases: Any, block: bool) -> None:
    # JSON is YAML, too; in the block form each key has its line.
    if block:
        lines = [f"{key}: {json.dumps(value)}" for key, value in head.items()]
        text = "\n".join([*lines, f"evalcases: {json.dumps(cases)}", ""])
    else:
        text = json.dumps({**head, "evalcases": cases})

    analysis = check(parse_suite(text), FOLDER)

    assert analysis.failures == []
    for finding in analysis.findings:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        if finding.code.startswith("SC8") and finding.fix is not None:
            fixed = check(parse_suite(finding.fix.apply(text)), FOLDER)
            assert fixed.failures == []
            assert not {"SC001", "SC002"} & {it.code for it in fixed.findings}
