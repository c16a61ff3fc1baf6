"""Rules on the name of the skill that evals are for."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Related, Severity, replace, rule
from suitecase.format.workspace import Folder
from suitecase.formats.agent_skills.suite.parsed import SkillsHead
from suitecase.formats.agent_skills.suite.skill_file import skill_at, skill_file
from suitecase.text.node import Scalar


@rule("AS018", Severity.WARNING)
def other_skill_name(head: SkillsHead, folder: Folder) -> Iterator[Finding]:
    """The name of the skill is not the one in its `SKILL.md`.

    Tools find the skill by its name, which stands at the top of its `SKILL.md`. With another name they
    grade another skill, or none, so that the results are those of an agent without the skill.

    ```json bad
    {
      "skill_name": "greeter",  # <- finding
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]}
      ]
    }
    ```

    ```markdown bad file=SKILL.md
    ---
    name: greeting
    description: Greets people.
    ---
    ```

    ```json fixed
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]}
      ]
    }
    ```
    """
    written = head.node.get("skill_name") if head.node is not None else None
    path = skill_file(folder)
    if not isinstance(written, Scalar) or written.style != '"' or path is None:
        return
    skill = skill_at(path, folder)
    # A plugin may stand before the name of its skill.
    own = skill.name if skill is not None else None
    if own is None or own.text in (written.text, written.text.rpartition(":")[2]):
        return
    yield Finding(
        written.span,
        f"the skill is called `{own.text}` in `{folder.shown(path)}`, not `{written.text}`",
        replace(written.span, f'"{own.text}"', f"Change to `{own.text}`", safe=False),
        (Related("the name of the skill", own.span, path),),
    )
