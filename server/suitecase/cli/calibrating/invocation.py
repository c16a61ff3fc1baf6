"""One invocation of `calibrate`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Literal

from suitecase.authoring.judging.choice import ChosenJudge, NothingToCalibrateError, notes_about
from suitecase.authoring.judging.session import CalibrationSession, IncompleteCalibration
from suitecase.cli import (
    EXIT_BUG,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_UNGRADED,
    EXIT_USAGE,
    report_bug,
)
from suitecase.cli.calibrating.report import (
    CalibrationReport,
    EstimatedJudge,
    decisions_about,
    json_of,
    report_of,
    text_of,
)
from suitecase.cli.output.printing import Printer
from suitecase.cli.output.terminal import echo
from suitecase.cli.running.refusal import errors
from suitecase.cli.running.termination import EXIT_TERMINATED, Termination, cancelled_by_sigterm
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.cli.suite_reading import read_suite
from suitecase.cli.writing import boundary, code_of_unwritten, why_not_written, write_text
from suitecase.evidence.calibration_writing import calibration_text
from suitecase.figures.decision import exit_code_of
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.run.plan import Plan
from suitecase.run.planning import plan
from suitecase.run.protocol import Failed, Refused, RunRequest
from suitecase.run.sandboxing import SandboxError
from suitecase.run.setting_up import UnknownPriceError
from suitecase.text.encoders.visible import visible
from suitecase.text.plural import counted, dollars
from suitecase.text.writing.files import ANYTHING, require_writable
from suitecase_evaluators.targets.target import TargetError

#: Seconds between two lines of progress.
EVERY = 10.0


@dataclass(slots=True, kw_only=True)
class Invocation:
    """The suite, the judges and the limits of one command line."""

    argument: SuiteArgument
    request: RunRequest
    judges: tuple[str, ...]
    results: tuple[Path, ...]
    probes: bool
    form: Literal["text", "json"]
    report: CalibrationReport = field(init=False)

    def run(self) -> int:
        """Calibrate, print what it came to, and return the exit code."""
        suite, _ = read_suite(self.argument.path)
        self.report = CalibrationReport(self.argument.shown, dry_run=self.request.dry_run)
        planned = plan(replace(self.request, text=suite.document.text))
        if isinstance(planned, Refused):
            for line in errors(self.argument, planned.findings):
                echo(line, err=True)
            echo(f"{self.argument.shown} has errors, so the judge was not asked", err=True)
            return EXIT_USAGE
        if isinstance(planned, Failed):
            echo(planned.message, err=True)
            if planned.kind == "bug":
                report_bug(planned.trace or planned.message)
                return EXIT_BUG
            return EXIT_UNGRADED if planned.kind == "environment" else EXIT_USAGE
        code = asyncio.run(self._calibrated(planned, suite))
        self._print()
        return code

    async def _calibrated(self, planned: Plan, suite: ParsedSuite) -> int:
        termination = Termination()
        session: CalibrationSession | None = None
        redact: Callable[[str], str] = str
        try:
            with cancelled_by_sigterm(termination):
                session = CalibrationSession(planned, suite, self.request)
                redact = session.redactor
                session.choose(self.judges, self.results, probes=self.probes)
                for judge in session.judges:
                    self._warn([f"{judge.name}: {it}" for it in notes_about(judge)])
                    _require_writable(judge)
                session.prepare()
                self._warn(session.warnings)
                if self.request.dry_run:
                    self.report.estimates = [
                        EstimatedJudge(it, session.estimate(it)) for it in session.judges
                    ]
                    return EXIT_OK
                return await self._ask(session)
        except NothingToCalibrateError as error:
            echo(f"{self.argument.shown}: {error.message}", err=True)
            return EXIT_USAGE
        except (SandboxError, UnknownPriceError) as error:
            echo(error.message, err=True)
            return EXIT_USAGE
        except TargetError as error:
            message = visible(redact(error.message))
            echo(f"{self.argument.shown}: {message}", err=True)
            return EXIT_UNGRADED
        except _UnwritableError as error:
            echo(str(error), err=True)
            return EXIT_USAGE
        except OSError as error:
            if error.filename is None:
                raise
            echo(
                f"{shown_path(Path(str(error.filename)))} cannot be read: {error.strerror}",
                err=True,
            )
            return EXIT_USAGE
        except asyncio.CancelledError:
            echo("ended by SIGTERM" if termination.came else "interrupted", err=True)
            if session is not None:
                self._not_written(session)
            return EXIT_TERMINATED if termination.came else EXIT_INTERRUPTED
        finally:
            if session is not None:
                self.report.spending = session.context.spending.summary()
                await session.close()

    async def _ask(self, session: CalibrationSession) -> int:
        code = EXIT_OK
        warned = len(session.warnings)
        for judge in session.judges:
            result = await session.calibrate(judge, self._progress(judge, session))
            self._warn(session.warnings[warned:])
            warned = len(session.warnings)
            if isinstance(result, IncompleteCalibration):
                number = counted(len(judge.labeled.answers), "answer")
                text = f"{judge.name}: {result.answered:,} of {number} could be judged: {result.reason}"
                echo(visible(text), err=True)
                self._not_written(session)
                return EXIT_UNGRADED
            try:
                # An earlier calibration is replaced, whoever made it: this one was paid for.
                text = calibration_text(result.calibration)
                write_text(judge.path, text, ANYTHING, make_folders=True)
            except OSError as error:
                reason = why_not_written(error)
                echo(f"{shown_path(judge.path)} cannot be written: {reason}", err=True)
                return code_of_unwritten(error)
            asked, decisions = decisions_about(judge.name, self.argument.path)
            self.report.judges.append(report_of(result, asked, decisions))
            code = max(code, exit_code_of(decisions) if decisions else EXIT_OK, key=_GRAVITY.index)
        return code

    def _progress(self, judge: ChosenJudge, session: CalibrationSession) -> _Progress:
        return _Progress(judge, session)

    def _not_written(self, session: CalibrationSession) -> None:
        """Say what a calibration cost of which nothing is written."""
        spending = session.context.spending
        if not spending.questions:
            echo("no calibration was written; nothing was asked", err=True)
            return
        cost = dollars(spending.usd) if not spending.unpriced else "an unknown amount"
        hint = ""
        if self.request.cache != "off":
            hint = "; with --cache read, the replies so far are used again"
        asked = counted(spending.questions, "question")
        echo(f"no calibration was written; {asked} cost {cost}{hint}", err=True)

    def _warn(self, messages: list[str]) -> None:
        for message in messages:
            echo(visible(f"warning: {message}"), err=True)

    def _print(self) -> None:
        if self.form == "json":
            echo(json_of(self.report))
            return
        printer = Printer(styled=True)
        for line in text_of(self.report):
            # Providers say which model has replied.
            printer.print(visible(line) if isinstance(line, str) else line)


#: Exit codes, the least serious first.
_GRAVITY = (EXIT_OK, EXIT_UNGRADED, 1)


class _UnwritableError(Exception):
    """The calibration could not be written."""


def _require_writable(judge: ChosenJudge) -> None:
    """Make sure that a calibration can be written, before it costs anything."""
    try:
        require_writable(judge.path, within=boundary(judge.path))
    except OSError as error:
        raise _UnwritableError(
            f"{shown_path(judge.path)} cannot be written: {why_not_written(error)}"
        ) from error


@dataclass(slots=True)
class _Progress:
    """Prints on standard error how far it is, from time to time."""

    judge: ChosenJudge
    session: CalibrationSession
    said: float = field(default_factory=monotonic)

    def __call__(self, done: int) -> None:
        if monotonic() - self.said < EVERY:
            return
        self.said = monotonic()
        spent = self.session.context.spending.usd
        cost = f", {dollars(spent)}" if spent else ""
        number = len(self.judge.labeled.answers)
        echo(f"{self.judge.name}: {done:,} of {number:,} answers{cost}", err=True)
