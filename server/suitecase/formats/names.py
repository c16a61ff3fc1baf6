"""What tells files of other tools from ours without parsing them: their names, and keys at their top."""

from __future__ import annotations

from pathlib import Path

from suitecase.formats.agent_skills import names as agent_skills
from suitecase.formats.promptfoo import names as promptfoo

#: Names of files that are of a dialect unless their content says otherwise, as patterns; one with a
#: folder is that of a file in such a folder.
NAMED = (*promptfoo.NAMES, *agent_skills.NAMES)
#: What suites of other tools have at their top, and those of ours have not.
KEYS_OF_DIALECTS = promptfoo.TOP_KEYS


def is_named(path: Path) -> bool:
    """Whether the name of a file is that of a dialect."""
    return any(path.match(it) for it in NAMED)
