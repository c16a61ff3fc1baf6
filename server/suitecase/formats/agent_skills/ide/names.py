"""The names in the evals of a skill."""

from __future__ import annotations

from suitecase.ide.index.dialect_names import DialectNames

NAMES = DialectNames()
