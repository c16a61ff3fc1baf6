"""The fields of a results file."""

from __future__ import annotations

from suitecase.reference.models import Wording, sections_of
from suitecase.reference.topic import Topic
from suitecase.run.record_model import EvaluatorResult, RecordModel, TraceSummary

_TEXT = """\
`suitecase run` writes a results file of JSON lines: one record for each answer, in the order in which cases are finished. It is
in `.suitecase/results/` of the workspace, or where `--output` says. Secrets are replaced by `[redacted]`. Records are never changed; a run that is resumed adds to the file.

[The JSON Schema](../../schemas/result.schema.json) of a record says the same. Programs should ignore fields that they do not
know: newer versions add some."""


def results_topic() -> Topic:
    """Return the page of records."""
    wording = Wording(
        titles={
            RecordModel: "A record",
            EvaluatorResult: "Results of evaluators",
            TraceSummary: "What the target did",
        }
    )
    return Topic(
        name="results",
        title="Results",
        summary="the fields of a results file",
        text=_TEXT,
        sections=tuple(sections_of(RecordModel, wording)),
    )
