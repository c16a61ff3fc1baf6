"""What the Makefile tells the tests by variables reaches them: without it, they would skip what was asked for."""

from __future__ import annotations

import os
import re

import pytest

from suitecase.derived import ROOT
from support.user_configuration import FOR_TESTS

SET = re.compile(r"\b(SUITECASE_[A-Z_]+)=")


@pytest.mark.parametrize("name", ["Makefile", ".ci/run"])
def test_variables_that_are_set_for_tests_are_kept_for_them(name: str) -> None:
    found = {*SET.findall((ROOT / name).read_text("utf-8"))}
    assert found
    assert [variable for variable in sorted(found) if not variable.startswith(FOR_TESTS)] == []


def test_other_variables_of_the_developer_are_not() -> None:
    assert [
        variable
        for variable in os.environ
        if variable.startswith("SUITECASE_") and not variable.startswith(FOR_TESTS)
    ] == []
