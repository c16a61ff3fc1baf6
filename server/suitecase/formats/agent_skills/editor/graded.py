"""Where an eval says what its answer is judged by: its statements, or the expected output."""

from __future__ import annotations

from collections.abc import Sequence

from suitecase.editor.dialect_tests import GradedPlace
from suitecase.formats.agent_skills.suite.parsed import SkillsFile
from suitecase.formats.agent_skills.suite.statements import statement_of, statements


def graded_places(file: SkillsFile, number: int) -> Sequence[GradedPlace]:
    """Return the place of the only evaluator of an eval, with those of the statements."""
    own, absolute = file.evals[number], file.document.cases[number].absolute
    stated = [absolute(it.span) for _, it in statements(own) if statement_of(it).text]
    if stated:
        items = {f"rubric-{it}": span for it, span in enumerate(stated, 1)}
        return [GradedPlace(stated[0], items=items)]
    expected = own.node.get("expected_output") if own.node is not None else None
    return [GradedPlace(absolute(expected.span) if expected is not None else None)]
