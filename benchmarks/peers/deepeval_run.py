"""`deepeval_run.py CASES`: deepeval with one exact match per case, and no target to ask."""

import sys

from deepeval import evaluate
from deepeval.evaluate import DisplayConfig
from deepeval.metrics import ExactMatchMetric
from deepeval.test_case import LLMTestCase

cases = [
    LLMTestCase(input=f"What is {n}?", actual_output="plus", expected_output="plus")
    for n in range(int(sys.argv[1]))
]
results = evaluate(
    cases,
    [ExactMatchMetric()],
    display_config=DisplayConfig(show_indicator=False, print_results=False),
)
sys.exit(not all(it.success for it in results.test_results))
