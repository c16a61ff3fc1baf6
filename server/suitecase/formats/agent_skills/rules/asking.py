"""Rules on what an eval asks, and on evals that are alike."""

from __future__ import annotations

import json
from collections.abc import Iterator

from suitecase.format.rule import Finding, Related, Severity, replace, rule
from suitecase.formats.agent_skills.rules.misspelt_keys import misspelt_in
from suitecase.formats.agent_skills.suite.facts import facts_of, has_prompt
from suitecase.formats.agent_skills.suite.parsed import SkillEval, SkillsFile
from suitecase.formats.agent_skills.suite.places import in_file, name_of, place_of_eval
from suitecase.text.cache import Cache
from suitecase.text.node import plain


@rule("AS008")
def missing_eval_prompt(file: SkillsFile) -> Iterator[Finding]:
    """An eval of a skill has no prompt.

    There is nothing to ask the agent, so nothing can be graded.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]},
        {"id": 2, "expected_output": "A farewell", "assertions": ["It parts"]}  # <- finding
      ]
    }
    ```

    ```json good
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]},
        {"id": 2, "prompt": "Bye", "expected_output": "A farewell", "assertions": ["It parts"]}
      ]
    }
    ```
    """
    if file.document.list_key is None:
        return
    asks_by_prompt = file.case_index.any(has_prompt)
    for number, own in file.case_index.where(_asking_nothing):
        node = own.node
        if node is None:
            continue
        written = node.entries.get("prompt")
        if written is None and not asks_by_prompt:
            continue  # a key of the tool's own may ask
        typo = next((it for it in misspelt_in(own) if it[1] == "prompt"), None)
        span, fix = place_of_eval(own), None
        message = "this eval has no `prompt`, so there is nothing to ask the agent"
        if written is not None:
            span = written.key.span
            message = "the `prompt` of this eval is empty, so there is nothing to ask the agent"
        elif typo is not None:
            span = in_file(file, number, typo[0].span)
            message += f"; did you mean `prompt` instead of `{typo[0].text}`?"
            fix = replace(span, "prompt", "Change to `prompt`", safe=False)
            yield Finding(span, message, fix)
            continue
        yield Finding(in_file(file, number, span), message)


def _asking_nothing(own: SkillEval) -> SkillEval | None:
    facts = facts_of(own)
    return own if facts is not None and not facts.asks else None


@rule("AS009", Severity.WARNING)
def equal_evals(file: SkillsFile) -> Iterator[Finding]:
    """Two evals of a skill differ in nothing but their ids.

    The agent is asked the same twice, and what it is asked twice counts twice in the results.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]},
        {"id": 2, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]}  # <- finding
      ]
    }
    ```

    ```json good
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]},
        {"id": 2, "prompt": "Good morning", "expected_output": "A greeting", "assertions": ["It greets"]}
      ]
    }
    ```
    """
    first: dict[str, int] = {}
    for number, content in file.case_index.where(_without_names):
        earlier = first.setdefault(content, number)
        if earlier == number:
            continue
        own, other = file.evals[number], file.evals[earlier]
        place = in_file(file, earlier, place_of_eval(other))
        yield Finding(
            in_file(file, number, place_of_eval(own)),
            f"this eval asks and expects the same as {name_of(other, earlier)}",
            related=(Related("the other eval", place),),
        )


def _without_names(own: SkillEval) -> str | None:
    return _CONTENTS.of(own.content, _content, own)


_CONTENTS: Cache[str | None] = Cache()
_NAMES = frozenset({"id", "name", "title", "description", "eval_name"})


def _content(own: SkillEval) -> str | None:
    """Return what an eval asks and expects, as text."""
    if own.node is None or not has_prompt(own):
        return None
    value = {name: plain(it.value) for name, it in own.node if name not in _NAMES}
    return json.dumps(value, sort_keys=True, default=str)
