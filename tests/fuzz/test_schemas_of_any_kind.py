"""Whatever stands in the place of a schema is examined, and what is sound validates, or says why."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from suitecase.schema.schema_contradictions import contradictions
from suitecase.schema.schema_remarks import remarks
from suitecase_evaluators.schema.checking import schema_problems
from suitecase_evaluators.schema.drafts import DRAFTS
from suitecase_evaluators.schema.errors import SchemaError
from suitecase_evaluators.schema.formats import FORMATS
from suitecase_evaluators.schema.keywords import KEYWORDS, TYPES
from suitecase_evaluators.schema.validation import may_take_long, violations

WORDS = st.sampled_from(
    [
        *TYPES, *FORMATS, *DRAFTS, "^a$", r"\p{L}", "(", "a", "#a", "#", "#/a", "#/a/0", "#/$defs/a",
        "#/allOf/0", "#/allOf/a", "http://[", "\ud800", "nul",
    ]
)  # fmt: skip
KEYS = st.one_of(st.sampled_from([*KEYWORDS, "requird", "nullable"]), WORDS)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 3), st.floats(allow_nan=False), WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=15,
)


@settings(max_examples=200, deadline=None)
@given(VALUES, VALUES)
def test_any_value_is_examined_as_a_schema(schema: Any, value: Any) -> None:
    assert all(it.message for it in remarks(schema))
    if schema_problems(schema) or may_take_long(schema, value):
        return
    list(contradictions(schema))
    try:
        said = [it.message for it in violations(schema, value)]
    except SchemaError as error:
        said = [str(error)]
    assert all(said)
