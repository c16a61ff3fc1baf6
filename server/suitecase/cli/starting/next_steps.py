"""What to do after `suitecase init`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from suitecase.authoring.starting.starter_files import StarterChoice
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.starting.creation import Creation, PlannedFile
from suitecase.format.starting.providers import LOCAL_SERVERS
from suitecase.installation import RUNS, is_installed
from suitecase.text.shell_words import shell_word
from suitecase_evaluators.targets.install_command import install_command


def next_steps(
    creation: Creation,
    choice: StarterChoice,
    files: Sequence[PlannedFile],
    environ: Mapping[str, str],
) -> Iterator[str]:
    """Yield the lines with the next commands.

    Args:
        creation: where the files are.
        choice: what was chosen.
        files: the files, the suite first.
        environ: the environment, in which keys may be missing.
    """
    asks_model = choice.dialect is None and not choice.examples and choice.target_name is None
    missing = [it for it in choice.target.variables if not environ.get(it)] if asks_model else []
    server = LOCAL_SERVERS.get(choice.target.provider) if asks_model else None
    yield "Next:"
    yield f"  suitecase check {_word(creation.folder)}"
    for variable in missing:
        yield f"  {_setting(variable)}"
    if choice.dialect is None:
        if not all(map(is_installed, RUNS)):
            yield f"  {install_command()}"
        yield f"  suitecase run {_word(files[0].path)}"
    elif choice.target.kind != "model" and files[0].path.suffix != ".json":
        yield f"  suitecase show {_word(files[0].path)}"
    if missing:
        names = " and ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
        verb = "is" if len(missing) == 1 else "are"
        yield f"{names} {verb} not set yet, and {choice.target.model} needs {'it' if len(missing) == 1 else 'them'}."
    if server is not None:
        yield f"{choice.target.model} has to run at {server}; `api_base` in targets.yaml names another address."


def _word(path: Path) -> str:
    shown = shown_path(path)
    return shell_word(f"./{shown}" if shown.startswith("-") else shown)


def _setting(variable: str) -> str:
    return f"set {variable}=..." if os.name == "nt" else f"export {variable}=..."
