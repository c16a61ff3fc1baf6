"""Whether an answer is SQL: no parser accepts the same as promptfoo."""

from __future__ import annotations

from typing import Final

from suitecase_evaluators.promptfoo.assertion_type import AssertionType

_REASON: Final = "no parser accepts the same SQL as valid"

IS_SQL: Final = AssertionType(
    name="is-sql",
    description="The answer is SQL; a `value` names the database, and the tables and columns that "
    "are allowed.",
    example="{type: is-sql, value: {databaseType: PostgreSQL}}",
    not_run=_REASON,
    values=("mapping",),
    also_called=("sql",),
)

CONTAINS_SQL: Final = AssertionType(
    name="contains-sql",
    description="The answer is SQL, or has a block of it; a `value` names the database, and the "
    "tables and columns that are allowed.",
    example="{type: contains-sql, value: {databaseType: MySQL}}",
    not_run=_REASON,
    values=("mapping",),
)
