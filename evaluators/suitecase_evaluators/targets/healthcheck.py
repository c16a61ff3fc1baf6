"""Asks whether a program can be asked, before the first question."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping
from pathlib import Path

from suitecase_evaluators.answers.sandbox_level import WantedLevel
from suitecase_evaluators.system.path_kinds import real_path
from suitecase_evaluators.targets.config.cli import CommandHealthcheck, HttpHealthcheck
from suitecase_evaluators.targets.config.placeholder import as_number
from suitecase_evaluators.targets.config.shell_text import TEMPLATE_NAME
from suitecase_evaluators.targets.http_client import new_session, proxy_for
from suitecase_evaluators.targets.program import ProgramError, run_program
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.sandbox.confinement import Confinement, Sandbox
from suitecase_evaluators.targets.target import TargetError

#: Seconds a check may take.
TIMEOUT = 30.0
#: Redirections that are followed.
REDIRECTIONS = 5
#: The value of every placeholder in a command, since there is no question yet.
STAND_IN = "healthcheck"


async def check_health(
    healthcheck: CommandHealthcheck | HttpHealthcheck,
    *,
    target: str,
    folder: Path,
    cwd: Path,
    environ: Mapping[str, str],
    redact: Redactor,
    sandbox: Sandbox,
    requested: WantedLevel | None = None,
) -> None:
    """Return where all is well.

    Args:
        folder: the folder of the targets file.
        cwd: where the target's own program starts.
        wanted: how far the target's programs are held; None is as those of the run are.

    Raises:
        TargetError: it is not.
    """
    seconds = as_number(healthcheck.timeout_seconds) or TIMEOUT
    if isinstance(healthcheck, HttpHealthcheck):
        problem = await _fetch(healthcheck.url, seconds)
    else:
        start = cwd if healthcheck.cwd is None else real_path(folder / healthcheck.cwd)
        confinement = sandbox.target(requested, folder=folder, own=(start,))
        problem = await _run(
            healthcheck.command_template, start, environ, seconds, redact, confinement
        )
    if problem:
        raise TargetError(
            redact(f"target `{target}` is not healthy: {problem}"), kind="unreachable"
        )


async def _run(
    template: str,
    cwd: Path,
    environ: Mapping[str, str],
    seconds: float,
    redact: Redactor,
    confinement: Confinement,
) -> str:
    """Return what is wrong; empty where nothing is."""
    command = TEMPLATE_NAME.sub(shlex.quote(STAND_IN), template)
    try:
        result = await run_program(
            command,
            stdin="",
            cwd=cwd,
            timeout_seconds=seconds,
            environ=environ,
            confinement=confinement,
        )
    except ProgramError as error:
        return error.message
    stderr = f": {tail}" if (tail := redact.tail(result.stderr)) else ""
    if result.exceeded is not None:
        return f"`{command}` {result.exceeded}{stderr}"
    if result.timed_out:
        return f"`{command}` did not finish within {seconds:g} s{stderr}"
    if result.exit_code:
        return f"`{command}` ended with exit code {result.exit_code}{result.hint}{stderr}"
    return ""


async def _fetch(url: str, seconds: float) -> str:
    """Return what is wrong; empty where nothing is."""
    if not url.startswith(("http://", "https://")):
        return f"{url} is not an address; write `http://...` or `https://...`"
    import aiohttp

    proxy = await asyncio.to_thread(proxy_for, url)
    try:
        # The body is not read.
        async with (
            asyncio.timeout(seconds),
            new_session() as session,
            session.get(url, proxy=proxy, max_redirects=REDIRECTIONS) as response,
        ):
            healthy = 200 <= response.status < 300
            return "" if healthy else f"{url} answered {response.status} {response.reason}".strip()
    except TimeoutError:
        return f"{url} did not answer within {seconds:g} s"
    except aiohttp.TooManyRedirects:
        return f"{url} redirects more than {REDIRECTIONS} times"
    except aiohttp.InvalidURL:
        return f"{url} is not an address"
    except (aiohttp.ClientError, OSError, ValueError) as error:
        return f"{url} did not answer: {error or type(error).__name__}"
