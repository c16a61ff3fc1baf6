"""What pydantic finds is said in words about the file, whichever of its errors it is."""

from __future__ import annotations

from typing import get_args

import pytest
from pydantic_core.core_schema import ErrorType

from suitecase_evaluators.schema.validation_words import in_words

OTHERS_WORDS = (
    "input",
    "discriminator",
    "field required",
    "extra inputs",
    "_of()",
    "valid ",
    "python",
)
CONTEXT = {
    "gt": 0, "ge": 0, "lt": 9, "le": 9, "multiple_of": 2, "min_length": 2, "max_length": 3,
    "expected": "'a' or 'b'", "pattern": "x", "discriminator": "_provider_of()", "error": "too late",
}  # fmt: skip


@pytest.mark.parametrize("context", [{}, CONTEXT], ids=["without", "with"])
def test_no_error_of_pydantic_is_said_in_its_words(context: dict[str, object]) -> None:
    for kind in get_args(ErrorType):
        raised = kind in ("value_error", "assertion_error")
        message = "the reasons" if raised else "Input should be valid, discriminator _provider_of()"
        said = in_words(kind, message, context)
        assert said, kind
        assert not [word for word in OTHERS_WORDS if word in said.lower()], (kind, said)
        is_ours = said.split()[0] in ("must", "is", "does", "has", "contains", "may")
        assert raised or is_ours, (kind, said)


def test_what_a_validator_says_is_said() -> None:
    assert in_words("unknown_placeholder", "{X} is unknown", {}) == "{X} is unknown"
    assert in_words("value_error", "Value error, no", {"error": ValueError("no")}) == "no"
