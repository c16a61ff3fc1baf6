"""Rules on what an eval is graded by."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Related, Severity, replace, rule
from suitecase.formats.agent_skills.suite.facts import entry, facts_of
from suitecase.formats.agent_skills.suite.parsed import SkillEval, SkillsFile
from suitecase.formats.agent_skills.suite.places import in_file, name_of, place_of_eval, start_of
from suitecase.formats.agent_skills.suite.statements import STATING, statement_of, statements
from suitecase.formats.suitecase.scales import other_scale
from suitecase.text.node import Scalar, is_empty


@rule("AS012", Severity.WARNING)
def eval_without_expectation(file: SkillsFile) -> Iterator[Finding]:
    """Nothing in an eval says what a good answer is.

    Neither a model nor a program can grade it; only a person who looks at the answer may.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]},
        {"id": 2, "prompt": "Bye", "files": []}  # <- finding
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
    found = file.case_index.where(_expecting_nothing)
    if len(found) > 1 and len(found) == len(file.evals):
        message = "nothing in these evals says what a good answer is"
        yield Finding(
            file.document.head.absolute(file.document.list_key.span), f"{message}; {_ADD}"
        )
        return
    for number, own in found:
        message = f"nothing here says what a good answer is; {_ADD}"
        yield Finding(in_file(file, number, place_of_eval(own)), message)


_ADD = "add `expected_output` or `assertions`"
#: More of one kind are reported together.
_MOST_ALONE = 3


def _expecting_nothing(own: SkillEval) -> SkillEval | None:
    facts = facts_of(own)
    return own if facts is not None and facts.has_prompt and not facts.expects else None


@rule("AS013", Severity.INFO)
def eval_without_assertions(file: SkillsFile) -> Iterator[Finding]:
    """An eval has an expected output, but no assertions.

    A whole answer is compared with a description then, and the reason of a grade is a matter of opinion.
    Assertions are statements that are true or false, so that results of two versions of a skill can be
    compared. It is common to add them after a first run.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]},
        {"id": 2, "prompt": "Bye", "expected_output": "A farewell"}  # <- finding
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
    found = file.case_index.where(_stating_nothing)
    all_of_them = len(found) > 1 and not file.case_index.any(_states)
    if all_of_them or len(found) > _MOST_ALONE:
        some = f"{len(found)} of the {len(file.evals)} evals have no assertions"
        none = f"none of the {len(file.evals)} evals has assertions"
        message = f"{none if all_of_them else some}, only an expected output"
        yield Finding(file.document.head.absolute(file.document.list_key.span), message)
        return
    for number, own in found:
        message = "this eval has no assertions, only an expected output"
        yield Finding(in_file(file, number, place_of_eval(own)), message)


def _states(own: SkillEval) -> bool:
    facts = facts_of(own)
    return facts is not None and facts.states


def _stating_nothing(own: SkillEval) -> SkillEval | None:
    facts = facts_of(own)
    if facts is None or facts.states or not facts.has_prompt:
        return None
    written = entry(own, "expected_output")
    return own if written is not None and not is_empty(written.value) else None


@rule("AS014", Severity.WARNING)
def assertions_and_expectations(file: SkillsFile) -> Iterator[Finding]:
    """Evals have assertions under two names.

    agentskills.io calls the list `assertions`, the skill-creator of Anthropic `expectations`, and some
    tools `expected_behavior`. Many tools read only one of them, so what is under another name is not
    checked. `suitecase run` reads them all.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {
          "id": 1,
          "prompt": "Hi",
          "assertions": ["It greets"],
          "expectations": ["It is short"]  # <- finding
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
          "assertions": ["It greets", "It is short"]
        }
      ]
    }
    ```

    Where evals differ in it, the fix takes the name that most of them have.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expectations": ["It greets"]},
        {"id": 2, "prompt": "Hello", "expectations": ["It greets"]},
        {"id": 3, "prompt": "Bye", "assertions": ["It parts"]}  # <- finding
      ]
    }
    ```

    ```json fixed
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expectations": ["It greets"]},
        {"id": 2, "prompt": "Hello", "expectations": ["It greets"]},
        {"id": 3, "prompt": "Bye", "expectations": ["It parts"]}
      ]
    }
    ```
    """
    named = file.case_index.where(_asserting)
    for number, own, names in ((number, *it) for number, it in named):
        if len(names) > 1:
            entries = [it for name in names if (it := entry(own, name)) is not None]
            first, second = sorted(entries, key=lambda it: it.key.start)
            yield Finding(
                in_file(file, number, second.key.span),
                f"this eval has `{first.key.text}` too, and {_ONE_OF_TWO}",
                related=(Related("the other list", in_file(file, number, first.key.span)),),
            )
    counts = {name: [it for it in named if it[1][1] == (name,)] for name in STATING}
    usual, *others = sorted(STATING, key=lambda it: -len(counts[it]))
    for number, (own, _), other in ((*it, name) for name in others for it in counts[name]):
        written = entry(own, other)
        if written is not None:
            span = in_file(file, number, written.key.span)
            model, (like, _) = counts[usual][0]
            message = f"other evals, such as {name_of(like, model)}, have `{usual}` instead of `{other}`, and {_ONE_OF_TWO}"
            yield Finding(span, message, replace(span, usual, f"Change to `{usual}`", safe=False))


_ONE_OF_TWO = "many tools read only one of the two"


def _asserting(own: SkillEval) -> tuple[SkillEval, tuple[str, ...]] | None:
    facts = facts_of(own)
    return (own, facts.asserting) if facts is not None and facts.asserting else None


@rule("AS015", Severity.WARNING)
def empty_assertion(own: SkillEval) -> Iterator[Finding]:
    """An assertion of an eval says nothing.

    A statement without words is neither true nor false: the grader is asked nothing, and what it answers
    counts all the same.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {
          "id": 1,
          "prompt": "Hi",
          "assertions": [
            "It greets",
            ""  # <- finding
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
            "It greets"
          ]
        }
      ]
    }
    ```
    """
    for name, item in statements(own):
        if statement_of(item).text is None:
            yield Finding(start_of(item), f"this item of `{name}` says nothing to check")


@rule("AS016", Severity.WARNING)
def repeated_assertion(own: SkillEval) -> Iterator[Finding]:
    """An eval has the same assertion twice.

    It counts twice in the share of assertions that hold.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {
          "id": 1,
          "prompt": "Hi",
          "assertions": [
            "It greets",
            "It greets"  # <- finding
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
            "It greets"
          ]
        }
      ]
    }
    ```
    """
    first: dict[tuple[str, str], Scalar] = {}
    for name, item in statements(own):
        if isinstance(item, Scalar) and not is_empty(item):
            earlier = first.setdefault((name, " ".join(item.text.split()).casefold()), item)
            if earlier is not item:
                related = (Related("the first one", earlier.span),)
                yield Finding(item.span, f"`{name}` has this statement twice", related=related)


@rule("AS020", Severity.WARNING)
def assertion_with_a_scale(own: SkillEval) -> Iterator[Finding]:
    """An assertion tells the grader to give a score.

    An assertion is a statement that is met or not; nobody reads a score of 4 out of 5.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {
          "id": 1,
          "prompt": "Hi",
          "expected_output": "A greeting",
          "assertions": [
            "It greets",
            "Rate the tone from 1 to 5"  # <- finding
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
          "expected_output": "A greeting",
          "assertions": ["It greets", "The tone is warm"]
        }
      ]
    }
    ```
    """
    for _, node in statements(own):
        if isinstance(node, Scalar) and isinstance(node.value, str):
            found = other_scale(node.text, of_criterion=True)
            if found is not None:
                message = (
                    f"an assertion is met or not, but this one asks for a score of {found.text}; say "
                    "what has to be true of the answer"
                )
                yield Finding(node.span, message)
