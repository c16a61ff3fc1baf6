"""Keys of other formats that have no equivalent here, by their place, and what to do about each.

Settings of a run are options on the command line. Every other key affects what targets get or
what passes, so its author has to decide.
"""

from __future__ import annotations

from collections.abc import Mapping as Table

#: Of a suite.
SUITE: Table[str, str] = {
    "workspace": "Suitecase does not set up a folder for a target: have the target's command set "
    "it up (`command_template` of a `cli` target), and remove `workspace`",
    "input": "it was put before the input of each case; add it to the `input` of each case, or "
    "use the suite's `prompt` for instructions to the target",
    "input_files": "they were sent with each case; add them to the `input` of each case, as parts "
    "of `type: file`",
    "preprocessors": "they converted files before judging; have the target answer in text",
    "threshold": "it was the score that the suite had to reach; here a case passes at 0.8. "
    "Require more with the minimum scores of evaluators and rubrics (`min_score`, `required_min_score`)",
    "imports": "they included other files in the suite; copy their content here",
    "graders": "they defined evaluators for cases to use; list the evaluators in the cases",
    "evaluate_options": "they configured the run; `suitecase run --help` lists the options",
}

#: Of `execution`, in a suite and in a case.
EXECUTION: Table[str, str] = {
    "targets": "they were run one after the other; name one as `target`, and run the suite once "
    "for each with `suitecase run --target NAME`",
    "threshold": SUITE["threshold"],
    "fail_on_error": "it ended the run at the first error; here a case that cannot be graded is an "
    "error, and the run exits with 3",
    "trials": "they repeated each case; use `repeats` in the suite's `execution`, with which a case "
    "passes if every repeat passes",
    "repeat": "it repeated each case; use `repeats` in the suite's `execution`, with which a case "
    "passes if every repeat passes",
    "budget_usd": "it limited the cost of the run; use `suitecase run --budget-usd X`",
    "total_budget_usd": "it limited the cost of the run; use `suitecase run --budget-usd X`",
    "timeout_seconds": "it limited the time of a case; use `suitecase run --timeout SECONDS`",
    "workspace": SUITE["workspace"],
}

#: Of `execution`: settings of a run that do not affect grades.
ONLY_OF_RUNS: Table[str, str] = {
    "workers": "`--concurrency` of a run, or `workers` of a target, sets the number of parallel "
    "calls",
    "max_concurrency": "`--concurrency` of a run, or `workers` of a target, sets the number of "
    "parallel calls",
    "cache": "`--cache` of a run determines whether answers are cached",
    "verbose": "a run reports its progress",
}

#: Of a case.
CASE: Table[str, str] = {
    "vars": "they replaced `{{ name }}` in the case; write their values there instead",
    "input_files": "they were sent with the case; add them to its `input`, as parts of `type: "
    "file`",
    "turns": "they were a conversation that was graded turn by turn; write a case for each turn, "
    "with the turns before it in its `input`",
    "mode": "it marked the case as a conversation with `turns`; write a case for each turn",
    "aggregation": "it combined the scores of `turns`; here each turn is a case",
    "on_turn_failure": "it belonged to `turns`; here each turn is a case",
    "window_size": "it belonged to `turns`; here each turn is a case",
    "depends_on": "it made the case wait for others; here cases are independent of each other",
    "on_dependency_failure": "it belonged to `depends_on`; here cases are independent of each other",
    "workspace": SUITE["workspace"],
    "preprocessors": SUITE["preprocessors"],
    "threshold": "it was the score that the case had to reach; here a case passes at 0.8. Require "
    "more with the minimum scores of evaluators and rubrics (`min_score`, `required_min_score`)",
}

#: Of an evaluator of any type.
EVALUATOR: Table[str, str] = {
    "transform": "it changed the answer before grading; use a `code_judge` for both",
    "preprocessors": SUITE["preprocessors"],
}

#: Types of evaluators of other formats, spelled with hyphens.
TYPES: Table[str, str] = {
    "execution-metrics": "use `latency`, `cost` and `token_usage` where they suffice, and a "
    "`code_judge` for the rest: it receives the trace",
    "skill-trigger": "use a `tool_trajectory`, or a `code_judge`: it receives the trace",
    "skill-used": "use a `tool_trajectory`, or a `code_judge`: it receives the trace",
    "inline-assert": "use a `code_judge` with the function as its script",
    "agent-judge": "use an `llm_judge`, which makes one call and reads no files",
    "script": "use a `code_judge`",
    "llm-rubric": "use an `llm_judge` with `rubrics`",
    "agent-rubric": "use an `llm_judge` with `rubrics`, which makes one call and reads no files",
    "assert-set": "use a `composite`",
    "javascript": "use a `code_judge` whose script runs it",
    "python": "use a `code_judge` whose script runs it",
}


def type_of_other_format(name: str) -> str | None:
    """Return what to use instead of an evaluator type of another format."""
    hyphenated = name.replace("_", "-")
    inverted = hyphenated.removeprefix("not-")
    if inverted != hyphenated:
        from suitecase_evaluators.grade.registry import by_type  # which every run would wait for

        found = by_type(inverted.replace("-", "_"))
        if found is not None and "negate" in found.config.model_fields:
            return f"use `{found.type}` with `negate: true`"
    return TYPES.get(inverted)
