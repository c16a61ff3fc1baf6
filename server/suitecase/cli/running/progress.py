"""Progress of a run: a live display on terminals, else an occasional line."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, ClassVar

from suitecase.cli.output.printing import rich_console
from suitecase.cli.output.terminal import echo, is_terminal
from suitecase.run.protocol import RateLimited
from suitecase.text.encoders.terminal import Line, encoded_line
from suitecase.text.encoders.visible import visible
from suitecase.text.plural import dollars
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.tally import Tally

#: Seconds between two lines where no display is live; a run that is over sooner has none.
EVERY = 10.0
#: Times a second that a live display is drawn.
FRAMES = 4
#: So many cases under way are named in a live display.
MOST_NAMED = 5

Key = tuple[str, str, int]


@dataclass(slots=True)
class State:
    """What is known of a run under way.

    Attributes:
        jobs: how many records there will be of the suites that have begun.
        tallies: what their records so far come to, with those of the file that is resumed.
        asked: how many records this run has asked for.
        usd: what is known to have been spent.
        unpriced: whether more was spent, whose amount is unknown.
        began: when the run began, and `last` when the last record came.
        running: when each case under way began.
        rate_limited: by target that waits for its rate limit, until when.
    """

    suites: int = 1
    suite: int = 0
    jobs: int = 0
    asked: int = 0
    usd: float = 0.0
    unpriced: bool = False
    began: float = field(default_factory=monotonic)
    last: float = field(default_factory=monotonic)
    running: dict[Key, float] = field(default_factory=dict)
    tallies: list[Tally] = field(default_factory=list)
    rate_limited: dict[str, float] = field(default_factory=dict)

    @property
    def done(self) -> int:
        """The number of records."""
        return sum(tally.records for tally in self.tallies)

    @property
    def failing(self) -> int:
        """How many of them are neither a pass nor without anything to grade by."""
        return sum(tally.failing for tally in self.tallies)

    @property
    def left(self) -> float | None:
        """About how many seconds are left of the suites that have begun; None for no idea yet.

        By the rate of all records so far: cases are alike more often than not.
        """
        open_jobs = self.jobs - self.done
        if not self.asked or not open_jobs:
            return None
        # From the last record on the clock runs down; it would run up where each look counted anew.
        expected = (self.last - self.began) / self.asked * open_jobs - (monotonic() - self.last)
        return expected if expected >= 1 else None

    def facts(self) -> list[str]:
        """Return what there is to say, the most important first."""
        facts = [f"{self.done:,}/{self.jobs:,} done"]
        facts.append(f"{self.failing:,} failing" if self.failing else "none failing")
        if Tally.total(self.tallies).answerers.no_model:
            facts.append("no model asked")
        if self.suites > 1:
            facts.append(f"suite {self.suite}/{self.suites}")
        if self.usd:
            facts.append(f"{dollars(self.usd)}{' and more' if self.unpriced else ''}")
        facts += self.waits()
        facts.append(clock(monotonic() - self.began))
        if self.left is not None:
            facts.append(f"about {clock(self.left)} left")
        return facts

    def waits(self) -> list[str]:
        """Return which targets are not called for now, and for how long."""
        now = monotonic()
        left = {target: until - now for target, until in self.rate_limited.items() if until > now}
        return [
            RateLimited(target=target, seconds=seconds).text for target, seconds in left.items()
        ]


def clock(seconds: float) -> str:
    """Return a duration like a clock: `0:07`, `1:02:03`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Progress:
    """Keeps what is known of a run, and shows it; this one shows nothing.

    Attributes:
        shows_running: whether the cases under way are shown.
    """

    shows_running: ClassVar[bool] = False

    def __init__(self) -> None:
        self.state = State()

    def suite(self, number: int, of: int, jobs: int, tally: Tally) -> None:
        """Take note that a suite begins, with so many records to come, which `tally` counts."""
        self.state.suite, self.state.suites = number, of
        self.state.jobs += jobs
        self.state.tallies.append(tally)

    def begin(self, key: Key) -> None:
        """Record that a case has started."""
        self.state.running[key] = monotonic()

    def done(self, key: Key, record: ResultRecord, *, kept: bool = False) -> None:
        """Record a result, which is already counted."""
        self.state.running.pop(key, None)
        if not kept:
            self.state.asked += 1
            self.state.last = monotonic()
            self.state.usd += record.spent_usd
            self.state.unpriced |= record.unpriced_target is not None

    def rate_limited(self, wait: RateLimited) -> None:
        """Take note of a wait, and say it where no display shows it."""
        until = monotonic() + wait.seconds
        before = self.state.rate_limited.get(wait.target, 0.0)
        self.state.rate_limited[wait.target] = max(before, until)
        # Calls of one target wait together.
        if not self.shows_running and before < monotonic():
            self.say(wait.text)

    def say(self, line: Line) -> None:
        """Print a message to standard error."""
        echo(line, err=True)

    def close(self) -> None:
        """Remove the display; safe to call twice."""
        return


class Quiet(Progress):
    """Shows nothing: what is shown of the cases is progress enough."""


class Lines(Progress):
    """Prints the progress of the run from time to time."""

    def __init__(self) -> None:
        super().__init__()
        self._said = monotonic()

    def done(self, key: Key, record: ResultRecord, *, kept: bool = False) -> None:
        super().done(key, record, kept=kept)
        if monotonic() - self._said >= EVERY and self.state.done < self.state.jobs:
            self._said = monotonic()
            self.say(", ".join(self.state.facts()))


class Live(Progress):
    """Draws a display at the bottom of a terminal, with messages above it."""

    shows_running: ClassVar[bool] = True

    def __init__(self, console: Any) -> None:
        """
        Args:
            console: a `rich.console.Console` of the terminal.
        """
        super().__init__()
        self._console = console
        self._live: Any = None

    def suite(self, number: int, of: int, jobs: int, tally: Tally) -> None:
        super().suite(number, of, jobs, tally)
        if self._live is None and self.state.done < self.state.jobs:
            from rich.live import Live as Display

            self._live = Display(
                get_renderable=self._drawn,
                console=self._console,
                refresh_per_second=FRAMES,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()

    def say(self, line: Line) -> None:
        if self._live is None or not sys.stderr.isatty():
            super().say(line)
            return
        from rich.text import Text

        self._console.print(Text(encoded_line(line)))

    def close(self) -> None:
        live, self._live = self._live, None
        if live is not None:
            live.stop()

    def _drawn(self) -> Any:
        from rich.text import Text

        width = self._console.width
        state = self.state
        first, *others = state.facts()
        drawn = Text(no_wrap=True, overflow="ellipsis")
        if width >= 100 and state.jobs:
            filled = round(24 * state.done / state.jobs)
            drawn.append("━" * filled, "green").append("━" * (24 - filled), "bright_black")
            drawn.append("  ")
        drawn.append(first, "bold")
        for fact in others:
            # A narrow terminal has the first facts whole rather than all of them cut off.
            if drawn.cell_len + len(fact) + 3 > width - 1:
                break
            style = "red" if fact.endswith("failing") and state.failing else "dim"
            drawn.append(" · ", "dim").append(fact, style)
        now = monotonic()
        running = sorted(state.running.items(), key=lambda item: item[1])
        for (_, case, repeat), began in running[:MOST_NAMED]:
            elapsed = clock(now - began)
            name = Text(visible(case) + (f" ({repeat})" if repeat > 1 else ""))
            name.truncate(max(width - len(elapsed) - 6, 8), overflow="ellipsis")
            drawn.append(f"\n  {elapsed}  ", "cyan").append_text(name)
        if len(running) > MOST_NAMED:
            drawn.append(f"\n  and {len(running) - MOST_NAMED:,} more under way", "dim")
        return drawn


def is_live(stream: Any) -> bool:
    """Whether a display can be drawn on a stream: a terminal that can move its cursor, and no CI."""
    return is_terminal(stream) and not os.environ.get("CI")


def progress_on(console: Any) -> Progress:
    """Return what shows progress below the cases.

    Args:
        console: the `rich.console.Console` that they are printed on, None where that is not a terminal.
    """
    return Live(console) if console is not None and is_live(sys.stdout) else Quiet()


def progress_beside_a_document() -> Progress:
    """Return what shows progress on standard error, while standard output waits for its document."""
    if not is_live(sys.stderr):
        return Lines()
    return Live(rich_console(sys.stderr))
