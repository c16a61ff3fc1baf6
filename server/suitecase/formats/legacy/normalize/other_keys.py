"""Keys of other formats that have no equivalent here, by where they stand, and what to do about each.

What says only how a run goes is said on the command line. Everything else bears on what is asked
or on what passes, so that its author has to decide.
"""

from __future__ import annotations

from collections.abc import Mapping as Table

#: Of a suite.
SUITE: Table[str, str] = {
    "workspace": "Suitecase does not set up a folder for a target: have the target's command set "
    "it up (`command_template` of a `cli` target), and remove `workspace`",
    "input": "it was put before the input of each case; write it in the `input` of each "
    "case, or "
    "as the suite's `prompt` where it instructs the target",
    "input_files": "they were sent with each case; name them in the `input` of each case, as "
    "parts of "
    "`type: file`",
    "preprocessors": "they changed files before they were judged; have the target answer in text",
    "threshold": "it was the score that the suite had to reach; a case passes at 0.8 here. "
    "Require more with the gates of evaluators and rubrics (`min_score`, `required_min_score`)",
    "imports": "they included other files in the suite; write their content here",
    "graders": "they named evaluators for cases to use; list them where they grade",
    "evaluate_options": "it said how the suite is run; `suitecase run --help` lists the options",
}

#: Of `execution`, in a suite and in a case.
EXECUTION: Table[str, str] = {
    "targets": "it asked several targets; name one as `target`, and run the suite once for each "
    "with "
    "`suitecase run --target NAME`",
    "threshold": SUITE["threshold"],
    "fail_on_error": "it ended the run at the first error; here a case that cannot be graded is an "
    "error of its own, and the run ends with 3",
    "trials": "they asked each case several times; here `suitecase run --repeat N` does, and a "
    "case "
    "passes where it passes each time",
    "repeat": "it asked each case several times; here `suitecase run --repeat N` does, and a case "
    "passes where it passes each time",
    "budget_usd": "it limited the cost of the run; here `suitecase run --budget-usd X` does",
    "total_budget_usd": "it limited the cost of the run; here `suitecase run --budget-usd X` does",
    "timeout_seconds": "it limited how long a case takes; here `suitecase run --timeout SECONDS` "
    "does",
    "workspace": SUITE["workspace"],
}

#: Of `execution`: how a run goes, which the command line says, and no grade follows from.
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
    "vars": "they were filled in where the case says `{{ name }}`; write their values out there",
    "input_files": "they were sent with the case; name them in its `input`, as parts of `type: "
    "file`",
    "turns": "they were a conversation that was graded turn by turn; write a case for each turn, "
    "with the "
    "turns before it in its `input`",
    "mode": "it said that the case is a conversation with `turns`; write a case for each turn",
    "aggregation": "it said how the scores of `turns` make one; each turn is a case here",
    "on_turn_failure": "it was about `turns`; each turn is a case here",
    "window_size": "it was about `turns`; each turn is a case here",
    "depends_on": "it let the case wait for others; cases are asked and graded each for itself "
    "here",
    "on_dependency_failure": "it was about `depends_on`; cases are graded each for itself here",
    "workspace": SUITE["workspace"],
    "preprocessors": SUITE["preprocessors"],
    "threshold": "it was the score that the case had to reach; a case passes at 0.8 here. Require "
    "more with the gates of evaluators and rubrics (`min_score`, `required_min_score`)",
}

#: Of an evaluator of any type.
EVALUATOR: Table[str, str] = {
    "transform": "it changed the answer before it was graded; have a `code_judge` do both",
    "preprocessors": SUITE["preprocessors"],
}

#: Types of evaluators, as they were spelled with hyphens.
TYPES: Table[str, str] = {
    "contains-any": "write a `regex` of the texts with `|` between them",
    "icontains-any": "write a `regex` of the texts with `|` between them, and `(?i)` in front",
    "contains-all": "write a `contains` for each of the texts",
    "icontains-all": "write an `icontains` for each of the texts",
    "starts-with": "write a `regex` with `^` in front of the text",
    "ends-with": "write a `regex` with `$` behind the text",
    "execution-metrics": "write `latency`, `cost` and `token_usage` for what they can say, and a "
    "`code_judge` for the rest: it receives the trace",
    "skill-trigger": "write a `tool_trajectory`, or a `code_judge`: it receives the trace",
    "skill-used": "write a `tool_trajectory`, or a `code_judge`: it receives the trace",
    "inline-assert": "write the function as the script of a `code_judge`",
    "agent-judge": "write an `llm_judge`; it asks once, and looks at no files",
    "script": "write a `code_judge`",
    "llm-rubric": "write an `llm_judge` with `rubrics`",
    "agent-rubric": "write an `llm_judge` with `rubrics`; it asks once, and looks at no files",
    "assert-set": "write a `composite`",
    "javascript": "write a `code_judge` whose script runs it",
    "python": "write a `code_judge` whose script runs it",
}


def type_of_other_format(name: str) -> str | None:
    """Return what to write in the place of a type of evaluators that only other formats have."""
    return TYPES.get(name.replace("_", "-").removeprefix("not-"))
