"""What people write in place of a key of promptfoo, and what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: Keys that are notes for readers: nobody expects the tool to act on them.
FOR_READERS: Final = frozenset((
    "$comment", "annotation", "author", "authors", "category", "comment", "comments", "created",
    "date", "description", "difficulty", "doc", "docs", "explanation", "group", "id", "issue",
    "label", "labels", "license", "name", "note", "notes", "owner", "priority", "project",
    "purpose", "rationale", "reason", "reference", "risk", "section", "severity", "source", "suite",
    "summary", "tag", "tags", "team", "ticket", "title", "topic", "url", "version",
))  # fmt: skip

_EXPECTED: Final = "what the answer has to be is written as an assertion, under `assert`"
_INPUT: Final = "what fills the prompt stands under `vars`"

#: Beside the prompts and providers.
AT_TOP: Final[Mapping[str, str]] = {
    "assertions": "assertions for all tests stand under `defaultTest.assert`",
    "asserts": "assertions for all tests stand under `defaultTest.assert`",
    "cases": "the tests stand under `tests`",
    "evals": "the tests stand under `tests`",
    "testCases": "the tests stand under `tests`",
    "test_cases": "the tests stand under `tests`",
    "grader": "the grader stands under `defaultTest.options.provider`",
    "judge": "the grader stands under `defaultTest.options.provider`",
    "model": "models stand under `providers`",
    "models": "models stand under `providers`",
    "passRateThreshold": "the pass rate that a run needs is set by the environment variable "
    "`PROMPTFOO_PASS_RATE_THRESHOLD`",
    "passThreshold": "the pass rate that a run needs is set by the environment variable "
    "`PROMPTFOO_PASS_RATE_THRESHOLD`",
    "pythonExecutable": "it is a setting of Python providers, under their `config`",
    "timeout": "the time limit of a test is `evaluateOptions.timeoutMs`",
    "variables": "variables of all tests stand under `defaultTest.vars`",
}

#: In a test and in `defaultTest`.
IN_TEST: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "answer", "expect", "expected", "expectedOutput", "expected_answer",
            "expected_output", "ideal", "output", "should",
        ),
        _EXPECTED,
    ),
    **dict.fromkeys(("input", "inputs", "prompt", "query", "question"), _INPUT),
    "criteria": "a criterion is written as an assertion of type `llm-rubric`, under `assert`",
    "rubric": "a criterion is written as an assertion of type `llm-rubric`, under `assert`",
    "grader": "the grader stands under `options.provider`",
    "model": "the model that answers is `provider`",
    "repeats": "how often a test is asked is `options.repeat`",
    "times": "how often a test is asked is `options.repeat`",
    "timeout": "the time limit of a test is `evaluateOptions.timeoutMs`",
}  # fmt: skip

_CASE: Final = "the types `icontains`, `icontains-any` and `icontains-all` ignore case"
_NEGATION: Final = "`not-` in front of the type inverts the result"
_NUMBER: Final = "the score to reach, or the most that is allowed, is `threshold`"
_VALUE: Final = "what the answer is compared with or graded by is `value`"

#: In an assertion.
IN_ASSERTION: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "caseInsensitive", "caseSensitive", "case_insensitive", "case_sensitive",
            "ignoreCase", "ignore_case",
        ),
        _CASE,
    ),
    **dict.fromkeys(("inverse", "invert", "negate", "negated", "not"), _NEGATION),
    **dict.fromkeys(
        ("max", "maximum", "min", "minScore", "min_score", "passThreshold", "score"), _NUMBER
    ),
    **dict.fromkeys(
        (
            "code", "content", "contains", "criteria", "criterion", "equals", "expected",
            "expression", "file", "function", "path", "pattern", "prompt", "query", "regex",
            "rubric", "schema", "script", "string", "substring", "text",
        ),
        _VALUE,
    ),
    "assert": "only an assertion of the type `assert-set` has assertions of its own",
    "flags": "JavaScript's flags cannot be set; write letters of both cases, as `[Pp]aris`",
    "grader": "the model that grades is `provider`",
    "judge": "the model that grades is `provider`",
    "model": "the model that grades is `provider`",
    "options": "your own settings stand under `config`",
    "times": "how often a test is asked is `options.repeat` of the test",
}  # fmt: skip

#: In an entry of `prompts`.
IN_PROMPT: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("file", "filename", "path"),
        "the file of a prompt is named by `id: file://...` or `raw: file://...`",
    ),
    **dict.fromkeys(("content", "prompt", "text", "value"), "the text of a prompt is `raw`"),
    "provider": "which provider gets a prompt is set by `prompts` of the provider",
    "providers": "which provider gets a prompt is set by `prompts` of the provider",
}

#: What a name in a mapping of some kind most likely stands for.
MEANT: Final[Mapping[str, Mapping[str, str]]] = {
    "assertion": {
        **dict.fromkeys(
            (
                "code", "criteria", "criterion", "expected", "expression", "pattern", "regex",
                "rubric", "schema", "string", "substring", "text",
            ),
            "value",
        ),
        **dict.fromkeys(("minScore", "min_score", "passThreshold"), "threshold"),
        **dict.fromkeys(("grader", "judge", "model"), "provider"),
    },
    "test": {
        **dict.fromkeys(("assertions", "checks", "evaluators", "expectations"), "assert"),
        "variables": "vars",
    },
    "configuration": {
        "filters": "nunjucksFilters",
        **dict.fromkeys(("cases", "evals", "testCases", "test_cases"), "tests"),
        **dict.fromkeys(("model", "models"), "providers"),
        **dict.fromkeys(("output", "outputFile", "output_path"), "outputPath"),
    },
    "prompt": dict.fromkeys(("content", "prompt", "text"), "raw"),
    "rubric": {
        **dict.fromkeys(("description", "expected_outcome", "rubric", "text"), "outcome"),
        **dict.fromkeys(("required_min_score", "threshold"), "min_score"),
    },
    "item of `score_ranges`": {
        **dict.fromkeys(("description", "expected_outcome", "text"), "outcome"),
        "range": "score_range",
    },
}  # fmt: skip
