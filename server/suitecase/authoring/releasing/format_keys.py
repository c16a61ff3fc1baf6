"""The keys of the files of a bundle that are words of its format, and so no data.

A secret may be a word such as `target`. Without that key a record would not be one any more.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from suitecase.evidence.releases.lock_file import LockedCase, LockedHead, LockedJudge, LockFile
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.run.record_model import RecordPart

_OF_MANIFEST = (
    *("answers", "audience", "baseline", "bundle", "bytes", "calibrated", "cases"),
    *("confidence", "decisions", "digest", "draft", "file", "figures", "files", "first"),
    *("gate", "gates", "graders", "hash", "human", "intervals", "judges", "last", "level"),
    *("lock", "metrics", "model", "model_team", "name", "notes", "outcome", "provider"),
    *("reasons", "redacted", "repeats", "reported_models", "results", "run", "seeds"),
    *("settings", "sha256", "slices", "suite", "suitecase", "summary", "target", "targets"),
    *("texts", "type", "version", "answered_by", "adjudicators", "adjudication", "asked"),
    *("at", "judge_hash", "labels", "probes", "probes_version", "reported_model"),
)
_OF_FIGURES = (
    *("answers", "cases", "clear", "confidence", "correction", "estimate", "figure", "gate"),
    *("high", "highest", "kind", "level", "line", "low", "lowest", "measured_at", "method"),
    *("missing", "missing_cases", "more_cases", "needed", "no_interval", "not_evaluated"),
    *("outcome", "p", "reason", "resamples", "results", "safety", "schema_version", "seed"),
    *("slice", "suite", "target", "threshold", "unit", "units", "value", "values", "why"),
)
_OF_CROISSANT = (
    *("@context", "@id", "@language", "@type", "@vocab", "citeAs", "column", "conformsTo"),
    *("contentSize", "contentUrl", "cr", "creativeWorkStatus", "creator", "data", "dataType"),
    *("datePublished", "dct", "description", "distribution", "encodingFormat", "examples"),
    *("extract", "field", "fileObject", "fileProperty", "fileSet", "format", "includes"),
    *("isLiveDataset", "jsonPath", "key", "license", "md5", "name", "parentField", "path"),
    *("rai", "rai:annotationsPerItem", "rai:dataAnnotationProtocol", "rai:dataCollection"),
    *("rai:dataCollectionRawData", "rai:dataLimitations", "rai:dataReleaseMaintenancePlan"),
    *("rai:dataUseCases", "rai:machineAnnotationTools", "rai:personalSensitiveInformation"),
    *("recordSet", "references", "repeated", "replace", "sc", "separator", "sha256"),
    *("source", "subField", "transform", "version"),
)


def _parts_of_records(model: type[RecordPart]) -> Iterator[type[RecordPart]]:
    for part in model.__subclasses__():
        yield part
        yield from _parts_of_records(part)


_MODELS: tuple[type[BaseModel], ...] = (
    *_parts_of_records(RecordPart),
    *(SuiteHead, LockFile, LockedHead, LockedCase, LockedJudge),
)
KEYS = frozenset(
    [
        *_OF_MANIFEST,
        *_OF_FIGURES,
        *_OF_CROISSANT,
        *("canary", "role", "content", "tool_calls", "system_prompt", "user_prompt"),
        *(key for model in _MODELS for key in model.model_fields),
    ]
)
