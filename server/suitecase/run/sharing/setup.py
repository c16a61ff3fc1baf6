"""What a grader needs once for all jobs of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.effective_suite import EffectiveSuite
from suitecase.run.human_labels import PeoplesScores
from suitecase_evaluators.system.path_kinds import real_path
from suitecase_evaluators.targets.sandbox.confinement import Sandbox

if TYPE_CHECKING:
    from suitecase.run.plan import Plan
    from suitecase.run.protocol import RunRequest
    from suitecase.run.tracing import Tracing


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What a grader needs once for all jobs of a run; can be pickled, and contains no secrets.

    Paths are absolute, and those of the coordinator. On another machine they have to be replaced:
    `suite.path`, `root`, `open_texts`, `targets.path`, `sandbox` and `replay`.

    Attributes:
        suite: the suite, without its cases.
        root: the root of the workspace.
        open_texts: the texts of unsaved files.
        people: what people's labels of answers come to.
        targets: the targets file; its placeholders are filled in by the grader.
        sandbox: the sandbox of programs.
        concurrency: the number of concurrent calls of each target, over all graders; None for that
            of its entry.
        replay: a results file that replaces all targets.
        timeout_seconds: the time limit of a case.
        cache: whether answers are looked up in the cache, or only put into it; None for no cache.
        cached_for: the folder that answers in the cache belong to, as a text, which stays that of the
            coordinator on other machines.
        budget: whether each cost is needed at once.
        trace: variables that make the run's span the parent of those of its cases.
        run_id: identifies the run in spans.
    """

    suite: EffectiveSuite
    root: Path
    open_texts: Mapping[Path, str]
    people: PeoplesScores
    targets: ParsedTargets | None
    sandbox: Sandbox
    concurrency: int | None = None
    replay: str | None = None
    timeout_seconds: float | None = None
    reads_cache: bool = False
    writes_cache: bool = False
    cached_for: str | None = None
    budget: bool = False
    trace: Mapping[str, str] | None = None
    run_id: str | None = None

    @classmethod
    def of(
        cls,
        planned: Plan,
        request: RunRequest,
        sandbox: Sandbox,
        tracing: Tracing,
        *,
        cache: bool,
    ) -> Setup:
        """Return the setup of a run.

        Args:
            cache: whether there is a cache.
        """
        return cls(
            suite=replace(planned.suite, cases=()),
            root=planned.folder.workspace.root,
            open_texts=dict(planned.folder.workspace.open_texts),
            people=planned.people,
            targets=planned.targets,
            sandbox=sandbox,
            concurrency=request.concurrency,
            replay=request.replay_from,
            timeout_seconds=request.timeout_seconds,
            reads_cache=cache and request.cache == "read",
            writes_cache=cache,
            cached_for=str(real_path((planned.targets or planned.suite).path.parent)),
            budget=request.budget_usd is not None,
            trace=tracing.variables(),
            run_id=tracing.run_id if tracing.on else None,
        )


class SharedSuite:
    """The suite as a grader has it: a `SuiteInRun`."""

    def __init__(self, setup: Setup) -> None:
        self.suite = setup.suite
        self.people = setup.people
        workspace = Workspace(setup.root, setup.open_texts)
        self.folder = Folder(workspace, setup.suite.path.parent)
