"""Programs that run inside VS Code's extension host, beside the packaged extension."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from support.editors.vscode import PATIENCE, SCREENSHOTS, SERVER, browser_page, running_vscode

#: A program says of each of its tests how it went.
_OUTCOME = re.compile(r"(ok|not ok) - ([^:\n]+)(.*)", re.DOTALL)


def outcomes_in_extension_host(
    program: Path,
    workspace: Path,
    folder: Path,
    *,
    beside: Sequence[Path] = (),
    server: Path = SERVER,
    trusted: bool = True,
    patience: float = PATIENCE,
) -> Mapping[str, str]:
    """Run a program, and return what it says of its tests: `ok`, or why not.

    Args:
        program: a JavaScript file whose `run` is called, with the real `vscode` at hand; it writes
            `ok - NAME` or `not ok - NAME: WHY` to the console for each test, and fails if one does.
            The folder it lies in is the extension under development that brings it. In its
            environment `SUITECASE_PATIENCE` has the patience, and `SUITECASE_PYTHON` the
            interpreter of an environment with the server.
        workspace: the folder that is opened.
        folder: an empty folder for the settings and extensions of this VS Code.
        beside: folders of further extensions.
        server: the program `suitecase` that is found on the PATH.
        trusted: whether the workspace is.
        patience: how long the program waits for anything, in seconds.

    Raises:
        AssertionError: it did not come to its end; the message holds what was said last.
    """
    # Without this the address of a program is not followed.
    flags = ("--vscode-option", "enable-smoke-test-driver")
    env = {"SUITECASE_PATIENCE": str(patience), "SUITECASE_PYTHON": sys.executable}
    with (
        running_vscode(folder, server=server, trusted=trusted, flags=flags, env=env) as address,
        browser_page() as page,
    ):
        said: list[str] = []
        noise: list[str] = []
        ended: list[int] = []
        page.expose_function("codeAutomationLog", lambda _kind, words: said.extend(map(str, words)))
        page.expose_function("codeAutomationExit", lambda code, *_: ended.append(code))
        page.on("console", lambda message: noise.append(message.text))
        remote = address.replace("http://", "vscode-remote://")
        brought = [
            ["extensionDevelopmentPath", f"{remote}{it}"] for it in (program.parent, *beside)
        ]
        payload = [*brought, ["extensionTestsPath", f"{remote}{program}"]]
        page.goto(
            f"{address}/?folder={quote(str(workspace))}&payload={quote(json.dumps(payload))}",
            wait_until="domcontentloaded",
            timeout=PATIENCE * 1000,
        )
        waited = 0.0
        while not ended and waited < 6 * PATIENCE:
            page.wait_for_timeout(100)  # the calls above are made while Playwright waits
            waited += 0.1
        if not ended:
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=SCREENSHOTS / f"{program.stem}-did-not-end.png")
        outcomes = filter(None, map(_OUTCOME.fullmatch, said))
        found = {it[2]: "ok" if it[1] == "ok" else it[3].removeprefix(": ") for it in outcomes}
        last = "\n".join([*said[-10:], *noise[-10:]])
        assert ended, f"{program.name} did not come to its end; it said last:\n{last}"
        assert found, f"{program.name} ended with {ended[0]} and told of no test:\n{last}"
        return found
