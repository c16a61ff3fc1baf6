"""Rules on the files that evals name."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Severity, replace, rule
from suitecase.format.workspace import Folder
from suitecase.formats.agent_skills.suite.files import (
    files_named,
    missing,
    nearest_file,
    out_of_reach,
)
from suitecase.formats.agent_skills.suite.parsed import SkillEval


@rule("AS017", Severity.WARNING)
def missing_eval_file(own: SkillEval, folder: Folder) -> Iterator[Finding]:
    """A file that an eval names is not there.

    The agent is asked about a file that it does not have, so it fails with the skill and without it. Paths
    start at the folder of the skill; they are also searched in the folder of this file, and in the folders
    above. No file outside of the workspace is read or sent.

    ```json bad
    {
      "skill_name": "sums",
      "evals": [
        {
          "id": 1,
          "prompt": "Add up the amounts in bill.csv",
          "files": ["files/bil.csv"],  # <- finding
          "assertions": ["It says 12"]
        }
      ]
    }
    ```

    ```csv bad file=files/bill.csv
    amount
    12
    ```

    ```json fixed
    {
      "skill_name": "sums",
      "evals": [
        {
          "id": 1,
          "prompt": "Add up the amounts in bill.csv",
          "files": ["files/bill.csv"],
          "assertions": ["It says 12"]
        }
      ]
    }
    ```
    """
    for node in files_named(own):
        searched = missing(node.text, folder)
        if searched is None:
            why = out_of_reach(node.text, folder)
            if why is not None:
                yield Finding(node.span, f"file `{node.text}` is not sent: {why}")
            continue
        where = " or ".join(f"`{folder.shown(it) or '.'}`" for it in searched)
        message = f"file `{node.text}` not found in {where}"
        near = nearest_file(node.text, searched, folder)
        fix = None
        if near is not None:
            message += f"; did you mean `{near}`?"
            fix = replace(node.span, f'"{near}"', f"Change to `{near}`", safe=False)
        yield Finding(node.span, message, fix)
