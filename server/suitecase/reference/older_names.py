"""The older names of keys, from the tables by which older formats are read."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.formats.suitecase.legacy.normalize.evaluators import ASSERTION_KEYS
from suitecase.formats.suitecase.legacy.normalize.normalizer import CASE_KEYS, SUITE_KEYS
from suitecase.formats.suitecase.legacy.normalize.rubrics import RANGE_KEYS, RUBRIC_KEYS
from suitecase.formats.suitecase.legacy.normalize.targets import KEYS_BY_PROVIDER, TARGET_KEYS
from suitecase.formats.suitecase.model import Case, SuiteExecution, SuiteFile
from suitecase.reference.models import OlderNames
from suitecase_evaluators.answers.rubric import Rubric, ScoreRange


def _by_key(*tables: Mapping[str, str]) -> OlderNames:
    """Return the older names by the current one, from tables in the other direction."""
    names: dict[str, tuple[str, ...]] = {}
    for table in tables:
        for older, current in table.items():
            names[current] = (*names.get(current, ()), older)
    return names


#: Older names of keys of suites, by the model and the key.
IN_SUITES: Mapping[type[BaseModel], OlderNames] = {
    SuiteFile: {**_by_key(SUITE_KEYS), CASE_LIST_KEYS[0]: CASE_LIST_KEYS[1:]},
    SuiteExecution: {"evaluators": ASSERTION_KEYS},
    Case: {**_by_key(CASE_KEYS), "evaluators": ASSERTION_KEYS},
    Rubric: _by_key(RUBRIC_KEYS),
    ScoreRange: _by_key(RANGE_KEYS),
}


def in_targets(provider: str) -> OlderNames:
    """Return older names of keys of a target."""
    return _by_key(TARGET_KEYS, KEYS_BY_PROVIDER.get(provider, {}))
