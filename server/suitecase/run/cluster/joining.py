"""Joining a cluster for a run: what is sent is decided and packed before any machine is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from suitecase.run.cluster.cluster import Cluster
from suitecase.run.cluster.errors import ClusterError
from suitecase.run.cluster.needs import Needs, needs_of
from suitecase.run.cluster.parcel import Parcel, packed
from suitecase.run.effective import EffectiveHashes
from suitecase.run.jobs import Jobs
from suitecase.run.plan import Plan
from suitecase.run.protocol import RunRequest
from suitecase.run.target_pool import TargetPool
from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.targets.redactor import Redactor


async def join(
    address: str,
    jobs: Jobs,
    planned: Plan,
    request: RunRequest,
    pool: TargetPool,
    hashes: EffectiveHashes,
    redactor: Redactor,
    *,
    least: Level,
    warn: Callable[[str], None],
) -> Cluster:
    """Join a cluster to grade some jobs.

    Args:
        least: the sandbox level that each program has to reach, on each machine.
        warn: called with warnings for users.

    Raises:
        ClusterError: there is no cluster, no machine of it can grade, or the run depends on files
            that cannot be sent.
        TargetError: a target does not exist.
    """

    def prepared() -> tuple[Needs, Parcel]:
        needs = needs_of(jobs, planned, pool, hashes, least=least, also=map(Path, _files(request)))
        _require_no_secret(jobs, planned, redactor)
        open_texts = planned.folder.workspace.open_texts
        return needs, packed(needs.files, open_texts=open_texts, without_secrets=redactor)

    needs, parcel = await asyncio.to_thread(prepared)
    cluster = await Cluster.join(
        address, needs.machine, parcel, planned.folder.root, redactor, warn
    )
    pool.machine_threads = cluster.threads
    return cluster


def _files(request: RunRequest) -> tuple[str, ...]:
    replay = () if request.replay_from is None else (request.replay_from,)
    return (*request.cluster_files, *replay)


def _require_no_secret(jobs: Jobs, planned: Plan, redactor: Redactor) -> None:
    """Make sure that neither the suite nor the targets file contains a secret.

    Raises:
        ClusterError: one does.
    """
    suite, targets = planned.suite, planned.targets
    texts = [(planned.folder.shown(suite.path), f"{suite.prompt}\n{suite.head.model_dump_json()}")]
    if targets is not None:
        texts.append((planned.folder.shown(targets.path), targets.text))
    for where, text in texts:
        _require_harmless(where, text, redactor)
    for index in jobs.asked():
        case = jobs.cases[index]
        _require_harmless(f"the case `{case.id}`", case.text, redactor)


def _require_harmless(where: str, text: str, redactor: Redactor) -> None:
    if redactor(text) != text:
        raise ClusterError(
            f"{where} contains a secret of this machine's environment or of a target, and secrets do not "
            "travel to a cluster. Name a variable that is set on each machine instead, as in "
            "`${{ NAME }}`; nothing was sent"
        )
