"""`croissant.json`: the bundle described by the vocabulary of MLCommons Croissant 1.0, with its RAI fields.

The specification is at https://docs.mlcommons.org/croissant/docs/croissant-spec.html, that of the RAI
fields at https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html. Catalogs of data sets and loaders read
such files. What nobody stated is left out rather than made up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final

from suitecase.authoring.releasing.contents import Contents
from suitecase.authoring.releasing.release import Release
from suitecase.evidence.sources import sources_of
from suitecase.text.plural import counted

#: The context that the specification recommends, with the prefix of the RAI fields.
CONTEXT: Final[dict[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
CONFORMS_TO: Final = (
    "http://mlcommons.org/croissant/1.0",
    "http://mlcommons.org/croissant/RAI/1.0",
)
_SPDX = "https://spdx.org/licenses/"
_RESULTS = "results.jsonl"
_MEDIA_TYPES = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".md": "text/markdown",
}
#: The fields of `results.jsonl` that every record has: name, type and description.
_FIELDS = (
    ("eval_id", "sc:Text", "The id of the case."),
    ("target", "sc:Text", "The target that answered."),
    ("repeat", "sc:Integer", "The number of the repeat, from 1."),
    ("score", "sc:Float", "The score, from 0 to 1; null if nothing was graded."),
    ("verdict", "sc:Text", "pass, borderline, fail, not_evaluated or error."),
    ("candidate_answer", "sc:Text", "The answer; null if there is none."),
)


def croissant_of(
    contents: Contents, digests: Mapping[str, str], sizes: Mapping[str, int]
) -> dict[str, Any]:
    """Return the description of a bundle as a JSON-LD value.

    Args:
        contents: what the bundle is made of.
        digests: the SHA-256 of its other files, by name.
        sizes: their sizes in bytes.
    """
    release = contents.release
    governance, moments = release.governance, release.moments
    described = {
        "@type": "sc:Dataset",
        "name": release.asked.dataset,
        "description": release.head.description
        or f"Results of the evaluation suite {release.name}.",
        "conformsTo": list(CONFORMS_TO),
        "version": release.version,
        "license": _license(governance.license) if governance.license else None,
        "creator": [{"@type": "sc:Person", "name": author} for author in governance.authors or ()]
        or None,
        # A bundle is the same whenever it is made: its answers are from this moment.
        "datePublished": moments[1] if moments else None,
        "creativeWorkStatus": "Draft" if contents.draft else "Published",
        "isLiveDataset": False,
        **dict(_responsible(contents)),
    }
    return {
        "@context": CONTEXT,
        **{name: it for name, it in described.items() if it is not None},
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": name,
                "contentSize": f"{sizes[name]} B",
                "encodingFormat": _MEDIA_TYPES.get(PurePath(name).suffix, "text/plain"),
                "sha256": digests[name],
            }
            for name in sorted(digests)
        ],
        "recordSet": [_records()],
    }


def _license(identifier: str) -> str:
    """Return the address of a license; an expression, or one without an address, is its own name."""
    plain = identifier.replace("-", "").replace(".", "").isalnum()
    return f"{_SPDX}{identifier}.html" if plain and "LicenseRef-" not in identifier else identifier


def _records() -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": "answers",
        "name": "answers",
        "description": "The answers with their grades, one a line.",
        "key": [{"@id": f"answers/{name}"} for name in ("eval_id", "target", "repeat")],
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"answers/{name}",
                "name": name,
                "description": description,
                "dataType": kind,
                "source": {
                    "fileObject": {"@id": _RESULTS},
                    "extract": {"jsonPath": f"$.{name}"},
                },
            }
            for name, kind, description in _FIELDS
        ],
    }


def _responsible(contents: Contents) -> Iterator[tuple[str, Any]]:
    """Yield the RAI fields that something is known for."""
    release, head = contents.release, contents.release.head
    governance = release.governance
    if governance.sampling:
        yield "rai:dataCollection", governance.sampling.strip()
    sources = sources_of(release.suite.head)
    if sources:
        listed = (f"{name} ({it.license or 'no license stated'})" for name, it in sources.items())
        yield "rai:dataCollectionRawData", ", ".join(listed)
    if governance.limitations:
        yield "rai:dataLimitations", [governance.limitations.strip()]
    yield "rai:dataUseCases", ["Testing. Not for training: that would spoil the suite."]
    sensitive = [
        f"{name}, by {it.by}: {it.basis or 'no basis stated'}"
        for name, it in release.asked.slices.items()
        if it.sensitive
    ]
    if sensitive:
        yield "rai:personalSensitiveInformation", sensitive
    if head.human:
        yield "rai:dataAnnotationProtocol", "; ".join(_labeling(release))
        counts = ", ".join(f"{it.raters} for {name}" for name, it in head.human.items())
        yield "rai:annotationsPerItem", counts
    if head.judges:
        tools = [f"{name}: {it.model or 'model not stated'}" for name, it in head.judges.items()]
        yield "rai:machineAnnotationTools", tools
    if governance.deprecated:
        cases = counted(len(governance.deprecated), "case")
        plan = f"{cases} of earlier versions removed, with reasons, in manifest.json"
        yield "rai:dataReleaseMaintenancePlan", [plan]


def _labeling(release: Release) -> Iterator[str]:
    for name, it in (release.head.human or {}).items():
        yield (
            f"{name}: {counted(it.raters, 'person', 'people')} label each answer by its rubrics; "
            f"differences are settled by {it.adjudication}"
        )
