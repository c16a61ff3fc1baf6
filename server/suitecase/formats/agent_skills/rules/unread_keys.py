"""Rules on keys that say how to grade and that `suitecase run` does not read, and on evals that it cannot run."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator

from suitecase.format.rule import Finding, Severity, rule
from suitecase.formats.agent_skills.detect import is_trigger_eval
from suitecase.formats.agent_skills.rules.misspelt_keys import misspelt_in
from suitecase.formats.agent_skills.suite.facts import facts_of, may_state
from suitecase.formats.agent_skills.suite.parsed import SkillEval, SkillsFile
from suitecase.formats.agent_skills.suite.places import in_file, place_of_eval
from suitecase.formats.agent_skills.suite.statements import (
    STATING,
    expected_output,
    statement_of,
    statements,
)
from suitecase.text.node import Entry, Span, plain
from suitecase.text.plural import counted


@rule("AS021", Severity.WARNING)
def unread_statement_key(own: SkillEval) -> Iterator[Finding]:
    """A statement has a key that says how to grade, and that is not read.

    The judge is told one text of a statement: the first of `text`, `description`, `statement`,
    `criterion` and `assertion` that is not blank. A second text, a pattern, a weight or a stored verdict
    changes nothing about the grade. Keys that name or explain a statement, such as `id` and `note`, are
    fine.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {
          "id": 1,
          "prompt": "Hi",
          "assertions": [
            {"id": "a", "text": "It greets", "assertion": "It is short"},  # <- finding
            {"text": "It has a name", "type": "regex", "pattern": "Ann|Bob"}  # <- finding
          ]
        }
      ]
    }
    ```

    ```json good
    {
      "skill_name": "greeting",
      "evals": [
        {
          "id": 1,
          "prompt": "Hi",
          "assertions": [
            {"id": "a", "text": "It greets"},
            {"id": "b", "text": "It is short"},
            "It has the name Ann or Bob"
          ]
        }
      ]
    }
    ```
    """
    for _, item in statements(own):
        found = statement_of(item)
        if found.unread:
            names = _listed(found.unread)
            are = "is" if len(found.unread) == 1 else "are"
            message = (
                f"{names} of this statement {are} not read: the judge is told `{found.key}` alone"
            )
            yield Finding(found.unread[0].key.span, message)


def _listed(entries: tuple[Entry, ...]) -> str:
    *others, last = (f"`{entry.key.text}`" for entry in entries)
    return f"{', '.join(others)} and {last}" if others else last


@rule("AS022")
def negated_statement(own: SkillEval) -> Iterator[Finding]:
    """A key of a statement means that it must not hold, and is not read.

    The judge is told the text of the statement alone, so an answer passes that does what the eval forbids.
    Say in the text what must not be.

    ```json bad
    {
      "skill_name": "keys",
      "evals": [
        {
          "id": 1,
          "prompt": "Show me the key",
          "assertions": [
            "It says why not",
            {"text": "It shows the key", "negate": true}  # <- finding
          ]
        }
      ]
    }
    ```

    ```json good
    {
      "skill_name": "keys",
      "evals": [
        {
          "id": 1,
          "prompt": "Show me the key",
          "assertions": [
            "It says why not",
            "It does not show the key"
          ]
        }
      ]
    }
    ```
    """
    for _, item in statements(own):
        found = statement_of(item)
        for entry in found.inverting[:1]:
            value = json.dumps(plain(entry.value), ensure_ascii=False)
            written = f'"{entry.key.text}": {value}'
            message = (
                f"`{written}` is not read, so `{found.key}` would have to hold, not the opposite; say in "
                f"`{found.key}` what must not be"
            )
            yield Finding(entry.key.span, message)


@rule("AS023", Severity.INFO)
def unread_eval_key(file: SkillsFile) -> Iterator[Finding]:
    """Evals have statements under a name that is not read.

    `suitecase run` grades by `assertions`, `expectations` and `expected_behavior`, or by `expected_output`
    where an eval has none of them. A list under a name of a tool's own is for that tool: an answer can
    pass here that breaks what it says.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {
          "id": 1,
          "prompt": "Hi",
          "expected_output": "A greeting",
          "must_include": ["the name Ann"]  # <- finding
        }
      ]
    }
    ```

    ```json good
    {
      "skill_name": "greeting",
      "evals": [
        {
          "id": 1,
          "prompt": "Hi",
          "expected_output": "A greeting",
          "assertions": ["It has the name Ann"]
        }
      ]
    }
    ```
    """
    if file.document.list_key is None:
        return
    places = defaultdict[str, list[Span]](list)
    for number, entries in file.case_index.where(_unread_lists):
        for entry in entries:
            places[entry.key.text].append(in_file(file, number, entry.key.span))
    for name, (span, *others) in places.items():
        evals = counted(1 + len(others), "eval") if others else "this eval"
        yield Finding(
            span, f"`{name}` of {evals} may say how to grade, and `suitecase run` does not read it"
        )


def _unread_lists(own: SkillEval) -> tuple[Entry, ...] | None:
    """Return what may hold statements of an eval under names that are not read; None if nothing does."""
    misspelt = {key.text for key, _ in misspelt_in(own)}
    written = own.node or ()
    return tuple(it for name, it in written if name not in misspelt and may_state(it)) or None


@rule("AS024", Severity.INFO)
def evals_not_run(file: SkillsFile) -> Iterator[Finding]:
    """Evals are for another tool: `suitecase run` refuses them.

    A run sends the `prompt` of an eval, and grades the answer by its statements or its `expected_output`. An
    eval with `query` and `should_trigger` is for a tool that watches which skills an agent takes up, such
    as the skill-creator of Anthropic; so may be one that asks or expects under names of its own.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "query": "Say hello to Ann", "should_trigger": true}  # <- finding
      ]
    }
    ```

    ```json good
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Say hello to Ann", "assertions": ["It greets Ann"]}
      ]
    }
    ```
    """
    places = defaultdict[str, list[Span]](list)
    for number, (own, why) in file.case_index.where(_not_run):
        if why == _TRIGGERS or file.document.list_key is not None:
            places[why].append(in_file(file, number, place_of_eval(own)))
    for why, (span, *others) in places.items():
        count, total = 1 + len(others), len(file.evals)
        which = "this eval" if count == 1 else f"{count} of the {total} evals"
        if count == total > 1:
            which = f"each of the {total} evals"
        yield Finding(span, f"{which} cannot be run by `suitecase run`: {why}")


_TRIGGERS = "it would have to see whether the agent takes up the skill"
_ASKS_OTHERWISE = "it sends `prompt`, which is not there"
_GRADED_OTHERWISE = "it grades by `assertions`, `expectations`, `expected_behavior` or `expected_output`, which are not there"


def _not_run(own: SkillEval) -> tuple[SkillEval, str] | None:
    """Return an eval that cannot be run, with why, where no other rule says so."""
    facts = facts_of(own)
    if own.node is None or facts is None:
        return None
    if not facts.has_prompt:
        if is_trigger_eval(own.node):
            return own, _TRIGGERS
        return (own, _ASKS_OTHERWISE) if facts.asks else None
    wrong = any(issue.field in STATING for issue in own.issues)
    if wrong or not facts.expects or expected_output(own) is not None:
        return None
    stated = any(statement_of(it).text for _, it in statements(own))
    return None if stated else (own, _GRADED_OTHERWISE)
