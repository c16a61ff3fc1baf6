"""The keys of the list of cases of a suite."""

from __future__ import annotations

#: The current one first.
CASE_LIST_KEYS = ("evalcases", "eval_cases", "tests", "testcases", "cases")
