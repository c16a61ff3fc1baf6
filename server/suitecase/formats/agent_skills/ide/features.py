"""What the editor offers in the evals of a skill."""

from __future__ import annotations

from suitecase.ide.dialect_features import DialectFeatures

FEATURES = DialectFeatures()
