"""Finding the files to check, and checking them sequentially or in parallel."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path

from suitecase.cli.checking.file_checker import FileChecker, FileCheckOptions, Job
from suitecase.cli.checking.findings import FileFindings, Unread
from suitecase.cli.shown_paths import shown_path
from suitecase.format.configuration import ParsedConfiguration, find_configuration
from suitecase.format.dataset_files import DATASET, sidecar_of, with_cases
from suitecase.format.discovery import suites_in
from suitecase.format.workspace import Workspace, find_root
from suitecase.text.git_ignored import LeftOutByGit
from suitecase.text.working_directory import working_directory
from suitecase_evaluators.system.path_kinds import is_folder, is_link, may_be_there, real_path

#: From so many files on another process pays for its start (measured with suites of three cases:
#: even at 150 files, a quarter less time at 1,000 with two processes on two cores).
FILES_PER_PROCESS = 200
#: Of Linux's `prctl`.
_SET_PARENT_DEATH_SIGNAL = 1


def jobs_for(
    path: Path,
    checker: FileChecker,
    *,
    named_too: bool,
    passed_over: Callable[[Path], None] = lambda _: None,
    left_out: LeftOutByGit | None = None,
) -> Iterator[Job | Unread]:
    """Yield each suite of a path with its workspace's root, and folders that cannot be read.

    A data set is followed by its sidecar, whose errors would keep the cases from running.

    Args:
        path: a suite, or a folder to search for suites.
        checker: has the workspaces.
        named_too: apply the configuration's exclusions to the path itself, too.
        passed_over: called with each link out of the workspace, which is not read.
        left_out: is told what is left out because git ignores it.
    """
    here = working_directory()
    absolute = here / path
    configured = checker.asked.options.use_config

    def configuration_in(folder: Path) -> ParsedConfiguration | None:
        root = find_root(folder / "suite", here)
        return find_configuration(checker.workspace(root), folder)

    if is_folder(absolute):
        resolved = real_path(absolute)
        unread: list[Unread] = []

        def note(error: OSError) -> None:
            reason = (error.strerror or str(error)).lower()
            path = Path(error.filename)
            unread.append(Unread(shown_path(path), reason, path=path))

        visited: set[Path] = set()
        for suite in suites_in(
            resolved,
            configuration_in if configured else lambda _: None,
            note,
            root_of=lambda it: find_root(it, here),
            passed_over=passed_over,
            respects_git=checker.asked.respects_git,
            left_out=left_out,
        ):
            for file in _with_sidecar(suite):
                if file not in visited:
                    visited.add(file)
                    yield Job(file, find_root(file, here))
        yield from unread
    elif may_be_there(absolute) or is_link(absolute):
        suite = real_path(absolute.parent) / absolute.name
        configuration = configuration_in(suite.parent) if named_too and configured else None
        if configuration is not None and configuration.excludes(suite):
            return
        for file in _with_sidecar(suite):
            named = file == suite
            root = find_root(file, here)
            yield Job(file, root, named=named, expected=named and not named_too)


def _with_sidecar(suite: Path) -> tuple[Path, ...]:
    dataset = with_cases(suite)
    if dataset != suite:
        return (dataset, suite)
    sidecar = sidecar_of(suite) if suite.suffix == DATASET else None
    return (suite, sidecar) if sidecar is not None else (suite,)


def checked(
    jobs: Sequence[Job], checker: FileChecker, processes: int | None
) -> Generator[FileFindings | Unread, None, None]:
    """Yield the findings of each file, in order.

    Args:
        jobs: the files.
        checker: checks files in this process.
        processes: the number of processes; None to choose it.
    """
    number = processes or min(os.cpu_count() or 1, 1 + len(jobs) // FILES_PER_PROCESS)
    if min(number, len(jobs)) < 2:
        for job in jobs:
            yield checker.check(job)
        return
    yield from _in_processes(jobs, checker, min(number, len(jobs)))


def _in_processes(
    jobs: Sequence[Job], checker: FileChecker, number: int
) -> Generator[FileFindings | Unread, None, None]:
    import multiprocessing
    import sys
    from concurrent.futures import ProcessPoolExecutor

    # A fork has all that is imported; elsewhere than on Linux libraries do not bear one.
    method = "fork" if sys.platform == "linux" else "spawn"
    # A process that is spawned would import the working directory's modules, as with `python -c`.
    os.environ["PYTHONSAFEPATH"] = "1"
    with ProcessPoolExecutor(
        number,
        mp_context=multiprocessing.get_context(method),
        initializer=_start_process,
        initargs=(checker.asked, checker.texts),
    ) as pool:
        try:
            chunk = max(1, min(32, len(jobs) // (number * 4)))
            yield from pool.map(_check_in_process, jobs, chunksize=chunk)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Process:
    """The state of a worker process."""

    checker: FileChecker


def _start_process(options: FileCheckOptions, texts: Mapping[Path, str]) -> None:
    import gc
    import signal
    import sys
    import threading

    # Ctrl-C goes to all processes of a terminal; the one that prints answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        import ctypes

        # The kernel ends it, whatever it computes; a thread has to wait for its turn.
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.disable()
    _Process.checker = FileChecker(options, texts)


def _end_with_parent() -> None:
    """End this process when its parent is gone."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _check_in_process(job: Job) -> FileFindings | Unread:
    return _Process.checker.check(job)


def configurations(
    jobs: Sequence[Job], checker: FileChecker
) -> list[tuple[ParsedConfiguration, Workspace]]:
    """Return the configurations that apply to some files, without duplicates, with their workspaces."""
    by_path: dict[Path, tuple[ParsedConfiguration, Workspace]] = {}
    if checker.asked.options.use_config:
        folders = {(job.root, job.path.parent) for job in jobs}
        for root, folder in sorted(folders):
            workspace = checker.workspace(root)
            configuration = find_configuration(workspace, folder)
            if configuration is not None:
                by_path[configuration.path] = (configuration, workspace)
    return list(by_path.values())
