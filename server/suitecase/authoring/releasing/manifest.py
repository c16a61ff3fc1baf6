"""`manifest.json`: what a bundle holds, and everything that its figures depend on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from suitecase import __version__
from suitecase.authoring.releasing.audience import Audience
from suitecase.authoring.releasing.contents import Contents
from suitecase.authoring.releasing.measured import protocol_figures
from suitecase.authoring.releasing.release import Release
from suitecase.evidence.calibration_file import Calibration, find_calibration
from suitecase.evidence.governed import lock_name
from suitecase.evidence.named_judges import parts_of_judges
from suitecase.evidence.releases.case_digests import evaluator_digest
from suitecase.evidence.releases.file_digests import FileDigests
from suitecase.evidence.releases.lock_file import LockFile
from suitecase.evidence.releases.lock_state import lock_of
from suitecase.figures.decision import Decision
from suitecase.figures.gate_words import counts_text
from suitecase.figures.measured import MeasuredFigure
from suitecase.format.target_files import find_targets
from suitecase.formats.suitecase.judge_hash import judge_hash
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.schema.model import Model, json_values

SCHEMA_VERSION = 1


def manifest_of(
    contents: Contents, digests: Mapping[str, str], sizes: Mapping[str, int]
) -> dict[str, Any]:
    """Return the manifest of a bundle as a JSON value.

    Args:
        contents: what the bundle is made of.
        digests: the SHA-256 of each of its other files, by name.
        sizes: their sizes in bytes.
    """
    release, run = contents.release, contents.release.run
    moments, figures = release.moments, protocol_figures(release)
    manifest = {
        "bundle": SCHEMA_VERSION,
        "suitecase": __version__,
        "dataset": release.asked.dataset,
        "version": release.version,
        "suite": release.asked.suite_path,
        "description": release.head.description,
        "draft": contents.draft,
        "reasons": list(contents.reasons or ()),
        "audience": contents.audience.value,
        "redacted": _redacted(contents),
        "governance": _governance(contents),
        "lock": _lock(release),
        "execution": _given(release.head.execution, without={"evaluators"}),
        "intervals": release.asked.intervals.model_dump(mode="json"),
        "slices": {name: _given(it) for name, it in release.asked.slices.items()},
        "metrics": dict(release.asked.metrics),
        "gates": _gates(contents.figures.gates),
        "graders": list(_graders(contents)),
        "judges": _judges(contents, figures),
        "human": _people(release, figures),
        "targets": _targets(contents),
        "run": {
            "results": run.path.name,
            "answers": len(run.answers),
            "cases": len({answer.eval_id for answer in run.answers}),
            "repeats": max((answer.repeats for answer in run.answers), default=1),
            "seeds": sorted({seed for answer in run.answers if (seed := answer.seed) is not None}),
            "first": moments[0] if moments else None,
            "last": moments[1] if moments else None,
            "notes": [*([run.remark] if run.remark else []), *contents.run.notes],
        },
        "baseline": contents.baseline.path.name if contents.baseline is not None else None,
    }
    return manifest | {
        "files": {name: {"sha256": digests[name], "bytes": sizes[name]} for name in sorted(digests)}
    }


def _redacted(contents: Contents) -> dict[str, Any]:
    made = contents.redaction.made
    return {"cases": len(made.cases), "texts": dict(sorted(made.restricted.items()))}


def _given(model: Model | None, without: set[str] | None = None) -> dict[str, Any] | None:
    if model is None:
        return None
    return model.model_dump(mode="json", exclude_none=True, exclude=without)


def _governance(contents: Contents) -> dict[str, Any] | None:
    """Return what the suite says about its governance; who builds the model is not published."""
    found = _given(contents.release.head.governance)
    if found is not None and contents.audience is not Audience.INTERNAL and "model_team" in found:
        found["model_team"] = len(found["model_team"])
    return found


def _lock(release: Release) -> dict[str, Any] | None:
    """Return the lock as it is written: the digests of the cases, graders, judges and files."""
    lock = lock_of(release.path, release.folder)
    if not isinstance(lock, LockFile):
        return None
    return {"file": lock_name(release.path), **lock.model_dump(mode="json")}


def _gates(decisions: tuple[Decision, ...]) -> dict[str, Any]:
    return {
        "summary": counts_text(decisions) if decisions else "the suite has no gates",
        "decisions": [
            {
                "gate": decision.gate,
                "target": decision.target,
                "outcome": decision.outcome.value,
                "level": decision.level,
            }
            for decision in decisions
        ],
    }


def _graders(contents: Contents) -> Iterator[dict[str, Any]]:
    """Yield the evaluators as they grade, those that are alike once, with their cases."""
    release = contents.release
    files = FileDigests(release.folder)
    alike: dict[str, tuple[EvaluatorConfig, list[str]]] = {}
    digests: dict[int, str] = {}
    for case in release.effective.cases:
        for evaluator in case.evaluators:
            key = digests.get(id(evaluator.config))
            if key is None:
                digest = evaluator_digest(evaluator.config, files)
                key = digests[id(evaluator.config)] = f"{evaluator.config.name} {digest}"
            alike.setdefault(key, (evaluator.config, []))[1].append(case.id)
    everyone = len(release.effective.cases)
    for key, (config, cases) in alike.items():
        settings = json_values(config, exclude_defaults=True, exclude={"name", "type"})
        yield {
            "name": config.name,
            "type": config.type,
            "digest": key.rpartition(" ")[2],
            "settings": None
            if contents.audience.withholds_grading
            else contents.redaction.of_graders(settings, cases),
            "cases": "all"
            if len(cases) == everyone
            else [contents.redaction.identifier(it) for it in cases],
        }


def _judges(contents: Contents, figures: Mapping[str, MeasuredFigure]) -> dict[str, Any]:
    release = contents.release
    # The prompt may be the text itself.
    withheld = {"prompt"} if contents.audience.withholds_grading else None
    reported: dict[str, set[str]] = {}
    for record in release.run.answers:
        for result in record.evaluator_results:
            model = result.fields.get("reported_model")
            if isinstance(model, str):
                reported.setdefault(result.label, set()).add(model)
    return {
        name: {
            **(_given(protocol, withheld) or {}),
            "reported_models": sorted(reported.get(name, ())),
            "hash": _hash_of_judge(release, name),
            "calibrated": _calibrated(release, name, protocol.calibration),
            "figures": _figures_of(f"judges.{name}.", figures),
        }
        for name, protocol in (release.head.judges or {}).items()
    }


def _hash_of_judge(release: Release, name: str) -> str | None:
    parts = parts_of_judges(release.suite, name, release.folder)
    return judge_hash(parts) if parts is not None else None


def _figures_of(start: str, figures: Mapping[str, MeasuredFigure]) -> list[dict[str, Any]]:
    return [it.to_json() for name, it in figures.items() if name.startswith(start)]


def _calibrated(release: Release, name: str, reference: str | None) -> dict[str, Any] | None:
    found = find_calibration(name, reference, release.folder)
    if not isinstance(found, Calibration):
        return None
    return {
        "at": found.at,
        "judge_hash": found.judge_hash,
        "asked": dict(found.asked),
        "reported_model": found.reported_model,
        "labels": dict(found.labels),
        "adjudication": found.adjudication,
        "answers": len(found.answers),
        "probes_version": found.probes_version,
        "probes": dict(found.probes),
    }


def _people(release: Release, figures: Mapping[str, MeasuredFigure]) -> dict[str, Any]:
    """Return who labels: how many people, not their names."""
    return {
        name: {
            **it.model_dump(mode="json", exclude_none=True, exclude={"adjudicators"}),
            "adjudicators": len(it.adjudicators or ()),
            "figures": _figures_of(f"human.{name}.", figures),
        }
        for name, it in (release.head.human or {}).items()
    }


def _targets(contents: Contents) -> dict[str, Any]:
    release = contents.release
    targets = find_targets(release.folder.workspace, release.folder.path)
    found: dict[str, Any] = {}
    for record in release.run.answers:
        own = found.setdefault(record.target, {"answered_by": {}, "reported_models": set()})
        by = record.fields.get("answered_by")
        kind = by.get("kind") if isinstance(by, Mapping) else by
        own["answered_by"][str(kind or "unknown")] = (
            own["answered_by"].get(str(kind or "unknown"), 0) + 1
        )
        model = record.fields.get("reported_model")
        if isinstance(model, str):
            own["reported_models"].add(model)
    for name, own in found.items():
        config = targets.config(name) if targets is not None else None
        own["provider"] = config.provider if config is not None else None
        own["model"] = config.asked_model if config is not None else None
        own["reported_models"] = sorted(own["reported_models"])
    return found
