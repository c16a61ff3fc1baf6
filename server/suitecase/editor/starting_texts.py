"""The initial texts of files created for a suite.

None of them grades an answer as good until the user has added criteria.
"""

from __future__ import annotations

from suitecase_evaluators.grade.composite import CompositeConfig
from suitecase_evaluators.grade.judge.config import LlmJudgeConfig
from suitecase_evaluators.schema.field_role import FieldRole

_PROMPT = """\
Grade the answer to this question.

Question:
{{ question }}

What a good answer does:
{{ expected_outcome }}

Answer:
{{ candidate_answer }}
"""
_RUBRICS = """
Grade the answer by each of these rubrics:

{{ rubrics }}
"""
_SUMMING_UP = """\
Several evaluators graded the answer to this question. Sum their results up.

Question:
{{ question }}

What a good answer does:
{{ expected_outcome }}

Answer:
{{ candidate_answer }}

Results:
{{ EVALUATOR_RESULTS_JSON }}
"""

_PYTHON = '''\
"""Grades an answer: reads a case from standard input, and writes a score to standard output."""

import json
import sys

# `question`, `expected_outcome`, `candidate_answer`, `output_messages` and more, as JSON{also}
case = json.load(sys.stdin)
answer = case["candidate_answer"]

hits: list[str] = []
misses: list[str] = []
misses.append("nothing is checked yet")  # put checks of `answer` here

score = len(hits) / (len(hits) + len(misses))
json.dump({{"score": score, "hits": hits, "misses": misses}}, sys.stdout)
'''
_PYTHON_PROMPT = '''\
"""Writes what a judge is asked: reads a case from standard input, and prints a prompt."""

import json
import sys

# `question`, `expected_outcome`, `candidate_answer`, `rubrics` and more, as JSON
case = json.load(sys.stdin)

print("Grade the answer to this question.")
print(f"\\nQuestion:\\n{case['question']}")
print(f"\\nWhat a good answer does:\\n{case['expected_outcome']}")
print(f"\\nAnswer:\\n{case['candidate_answer']}")
if case["rubrics"]:
    print("\\nGrade the answer by each of these rubrics:")
    json.dump(case["rubrics"], sys.stdout, indent=2)
'''
_JAVASCRIPT = """\
// Grades an answer: reads a case from standard input, and writes a score to standard output.

let told = "";
process.stdin.on("data", (part) => (told += part));
process.stdin.on("end", () => {
  // `question`, `expected_outcome`, `candidate_answer`, `output_messages` and more%(also)s
  const answer = JSON.parse(told).candidate_answer;

  const hits = [];
  const misses = [];
  misses.push("nothing is checked yet"); // put checks of `answer` here

  const score = hits.length / (hits.length + misses.length);
  console.log(JSON.stringify({ score, hits, misses }));
});
"""
_ALSO_RESULTS = "; `results`\n# has what the members of the composite said"


_COMPARING = """\
Question:
{{ question }}

First answer:
{{ first_answer }}

Second answer:
{{ second_answer }}

Which of the two answers does better what is expected?

Expected outcome:
{{ expected_outcome }}
"""


def judge_prompt(role: FieldRole, *, rubrics: bool) -> str:
    """Return a prompt that shows a judge everything it needs.

    Args:
        role: what the judge is for: it judges, aggregates or compares.
        rubrics: whether the judge has rubrics.
    """
    if role is FieldRole.AGGREGATION_PROMPT:
        return _SUMMING_UP
    if role is FieldRole.COMPARISON_PROMPT:
        return _COMPARING
    return _PROMPT + _RUBRICS if rubrics else _PROMPT


def script(ending: str, evaluator: str) -> str | None:
    """Return a script that follows the script contract; None for an unsupported language.

    Args:
        ending: the ending of the file's name, with its dot.
        evaluator: the type of the evaluator that runs it.
    """
    is_prompt = evaluator == LlmJudgeConfig.type_name()
    aggregates = evaluator == CompositeConfig.type_name()
    if ending in (".py", ".pyw"):
        if is_prompt:
            return _PYTHON_PROMPT
        return _PYTHON.format(also=_ALSO_RESULTS if aggregates else "")
    if ending in (".js", ".cjs", ".mjs") and not is_prompt:
        also = ", and what members said as `results`" if aggregates else ""
        return _JAVASCRIPT % {"also": also}
    return None
