"""The pages of `suitecase view`: its list of runs, and those of `report` and `compare` with its links."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.report.case_table import MOST_ROWS
from suitecase.report.page import Frame, part, policy_of, render_of, script_of_visible_texts
from suitecase.report.past_run import PastRun
from suitecase.report.record_blocks import block_of
from suitecase.report.results_file import NotResultsError, Run, read_run
from suitecase.report.trend import Trend, trend_of
from suitecase.report.viewing.catalogue import Listed, digest_of, version_of
from suitecase.report.viewing.rows import list_data
from suitecase.run.record_redaction import without_secrets_here
from suitecase.text.taken_names import ChangedNames
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.record_file import ChangedFileError

#: Of so many runs it is known where their records are: eight bytes a record.
_MOST_RUNS = 16


@dataclass(slots=True)
class KeptAnswers:
    """The answers of runs, as they were when a page about them was made; none of their records."""

    _runs: OrderedDict[tuple[Path, str], Sequence[ResultRecord]] = field(
        default_factory=OrderedDict
    )
    #: One for all runs, since they are compared.
    _names: ChangedNames = field(default_factory=ChangedNames)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, run: PastRun) -> Run:
        """Read a run for a page about it.

        Raises:
            NotResultsError: its results are not there any more.
        """
        found = read_run(run.path, without_secrets_here(run.path, names=self._names))
        self._keep((run.path, version_of(run)), found.answers)
        return found

    def block(self, run: PastRun, version: str, number: int) -> bytes | None:
        """Return a block of records of a run; None if there is none, or results have changed.

        Args:
            run: the run as it is now.
            version: of the run when the page was made that asks for it.
            number: the number of the block.
        """
        key = run.path, version
        with self._lock:
            answers = self._runs.get(key)
        with suppress(NotResultsError, ChangedFileError):
            if answers is None and version == version_of(run):
                answers = self.read(run).answers
            if answers is not None:
                return block_of(answers, number) or None
        return None

    def _keep(self, key: tuple[Path, str], answers: Sequence[ResultRecord]) -> None:
        with self._lock:
            self._runs.pop(key, None)
            self._runs[key] = answers
            while len(self._runs) > _MOST_RUNS:
                self._runs.popitem(last=False)


_PACKAGE = "suitecase.report.viewing"
_LABEL = "Other pages"
#: Nobody else may show a page in a frame of theirs; only the server can say that.
_ALONE = "; frame-ancestors 'none'"


@dataclass(frozen=True, slots=True)
class RunPages:
    """What makes the pages about runs.

    Attributes:
        of_run: the page of `suitecase report`, with the earlier runs and the addresses of all; it is
            told whether the run goes on.
        of_comparison: the page of `suitecase compare`, of an earlier and a later run.
        answers: the records that pages of many cases ask for.
    """

    of_run: Callable[[Run, bool, Frame, Trend | None, Mapping[Path, str]], Iterator[bytes]]
    of_comparison: Callable[[Run, Run, Frame], Iterator[bytes]]
    answers: KeptAnswers = field(default_factory=KeptAnswers)


@dataclass(frozen=True, slots=True)
class ServedPage:
    """A page and the policy that its header has.

    Attributes:
        key: what differs as soon as the page does; empty for one that is not worth keeping.
    """

    pieces: Iterator[bytes]
    policy: str
    key: str = ""


def list_page(listed: Listed, workspace: str) -> ServedPage:
    """Return the page with the list of runs."""
    style = part("runs.css", _PACKAGE)
    frame = Frame(script=script_of_visible_texts() + part("runs.js", _PACKAGE))
    pieces = render_of(
        _PACKAGE,
        "runs.html",
        style=style,
        frame=frame,
        index=list_data(listed),
        workspace=workspace,
    )
    return ServedPage(pieces, policy_of(frame, cases=False, style=style) + _ALONE)


def run_page(listed: Listed, name: str, pages: RunPages) -> ServedPage:
    """Return the page of a run; of one that is not finished, it keeps itself up to date."""
    run = listed.runs[name]
    links = [("../", "All runs")]
    if (previous := listed.previous.get(name)) is not None:
        links.append((f"../compare/{previous}/{name}", "Compare with the run before"))
    frame = Frame(
        title=run.name,
        links=tuple(links),
        links_label=_LABEL,
        script=part("live.js", _PACKAGE) if run.live or run.unfinished or not run.planned else "",
        version=version_of(run),
        records=(f"{name}/{_records(run)}",) if run.answers > MOST_ROWS else (),
    )
    addresses = {it.path: other for other, it in listed.runs.items()}
    trend = trend_of(list(listed.runs.values()), run.path)

    def pieces() -> Iterator[bytes]:
        yield from pages.of_run(pages.answers.read(run), run.live, frame, trend, addresses)

    key = "" if run.live else digest_of(("run", run, trend, links))
    return ServedPage(pieces(), policy_of(frame) + _ALONE, key)


def comparison_page(listed: Listed, before: str, after: str, pages: RunPages) -> ServedPage:
    """Return the page of a comparison of two runs."""
    runs = listed.runs[before], listed.runs[after]
    frame = Frame(
        title=listed.runs[after].name,
        links=(
            ("../../", "All runs"),
            (f"../../run/{before}", "The run before"),
            (f"../../run/{after}", "The run after"),
            (f"../{after}/{before}", "The other way round"),
        ),
        links_label=_LABEL,
        records=tuple(f"../../run/{it}/{_records(listed.runs[it])}" for it in (before, after))
        if sum(run.answers for run in runs) > MOST_ROWS
        else (),
    )

    def pieces() -> Iterator[bytes]:
        earlier, later = (pages.answers.read(run) for run in runs)
        yield from pages.of_comparison(earlier, later, frame)

    key = "" if any(run.live for run in runs) else digest_of(("comparison", runs))
    return ServedPage(pieces(), policy_of(frame) + _ALONE, key)


def _records(run: PastRun) -> str:
    """Return where the server has the records of a run, as they are now."""
    return f"records/{version_of(run)}/"
