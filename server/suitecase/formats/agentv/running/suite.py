"""Prepares an AgentV suite for `suitecase run SUITE.eval.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from suitecase.format.dialect import DialectFile
from suitecase.format.runnable import RunnableSuite
from suitecase.format.workspace import Folder
from suitecase.formats.agentv.running.cases import AgentvCaseMaker
from suitecase.formats.agentv.running.targets import AgentvTargets, provider_by_default
from suitecase.formats.agentv.running.unsupported import limits_not_kept, unsupported_in_suite
from suitecase.formats.promptfoo.rendering.environment_uses import sent_variables
from suitecase.formats.promptfoo.running.graders import Graders
from suitecase.formats.promptfoo.running.providers.of_configuration import run_settings
from suitecase.formats.promptfoo.running.suite import (
    repeats_of,
    runnable_tests,
    suite_without_cases,
    without_too_many_rows,
)
from suitecase.formats.promptfoo.suite.effective.rows import expand
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.text.node import plain
from suitecase_evaluators.targets.config.target import TargetConfig


def runnable_suite(
    file: DialectFile,
    path: Path,
    folder: Folder,
    environ: Mapping[str, str],
    instead: TargetConfig | None = None,
) -> RunnableSuite | None:
    """Return a suite as one that can be run; see `format/runnable.py`."""
    linked = file.linked(folder)
    if not isinstance(linked, LinkedConfiguration):
        return None
    expansion = expand(linked, path, (provider_by_default(linked),))
    too_many = without_too_many_rows(expansion, path)
    run = run_settings(linked, environ)
    targets = AgentvTargets(linked, expansion, path, run, instead)
    repeats = repeats_of(expansion)
    filled = {**environ, **run.env}
    threshold = _at_top(linked, "threshold")
    maker = AgentvCaseMaker(
        folder=folder,
        environ=filled,
        targets=targets,
        dialect=file.dialect.name,
        graders=Graders(linked, targets, filled),
        own_environ=run.env,
        reading=linked.reading,
        threshold=threshold if isinstance(threshold, int | float) else None,
        assertions=_listed(linked, "assert"),
        input_files=_listed(linked, "input_files"),
    )
    return RunnableSuite(
        suite=suite_without_cases(linked, path),
        targets=targets.parsed,
        tests=runnable_tests(linked, expansion, path, maker, everyone=repeats > 1),
        problems=(
            *unsupported_in_suite(linked, path),
            *too_many,
            *targets.problems,
        ),
        repeats=repeats,
        notes=(*run.notes, *limits_not_kept(linked)),
        sent_variables=sent_variables(linked),
        others=targets.others,
    )


def _at_top(linked: LinkedConfiguration, key: str) -> Any:
    node = linked.head.get(key)
    return plain(node) if node is not None else None


def _listed(linked: LinkedConfiguration, key: str) -> tuple[Any, ...]:
    found = _at_top(linked, key)
    return tuple(found) if isinstance(found, list) else ()
