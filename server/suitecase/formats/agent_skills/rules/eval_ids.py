"""Rules on the ids of evals."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.formats.agent_skills.suite.facts import facts_of
from suitecase.formats.agent_skills.suite.parsed import SkillEval, SkillsFile
from suitecase.formats.agent_skills.suite.places import in_file, place_of_eval
from suitecase.text.node import Scalar, is_empty, plain


@rule("AS005", affects="related")
def duplicate_eval_id(file: SkillsFile) -> Iterator[Finding]:
    """Two evals of a skill have the same id.

    Tools keep what an agent answered, and how it was graded, under the id of the eval. The second eval
    would replace the results of the first one, and reports could not tell them apart.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]},
        {"id": 1, "prompt": "Bye", "expected_output": "A farewell", "assertions": ["It parts"]}  # <- finding
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
    first: dict[str, tuple[int, Scalar]] = {}
    for number, node in file.case_index.where(_id):
        earlier = first.setdefault(node.text, (number, node))
        if earlier[1] is node and earlier[0] == number:
            continue
        place = in_file(file, earlier[0], earlier[1].span)
        yield Finding(
            in_file(file, number, node.span),
            f"another eval has the id `{node.text}` too, so their results cannot be told apart",
            related=(Related("the other eval", place),),
        )


@rule("AS006", Severity.WARNING)
def missing_eval_id(file: SkillsFile) -> Iterator[Finding]:
    """An eval of a skill has no id, but others have one.

    Tools keep what an agent answered, and how it was graded, under the id of the eval.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]},
        {"prompt": "Bye", "expected_output": "A farewell", "assertions": ["It parts"]}  # <- finding
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
    nameless = file.case_index.where(_without_id)
    if nameless and file.case_index.any(_id):
        for number, own in nameless:
            message = "this eval has no `id`, under which tools keep its results"
            yield Finding(in_file(file, number, place_of_eval(own)), message)


@rule("AS007", Severity.INFO)
def mixed_eval_ids(file: SkillsFile) -> Iterator[Finding]:
    """Some evals of a skill have numbers as ids, others texts.

    Tools that sort by id, or look for one that is a number, may refuse such a file.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]},
        {"id": "part", "prompt": "Bye", "expected_output": "A farewell", "assertions": ["It parts"]}  # <- finding
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
    ids = file.case_index.where(_id)
    kinds = [isinstance(plain(it), str) for _, it in ids]
    if not kinds or all(kinds) or not any(kinds):
        return
    number = kinds.index(not kinds[0])
    other = ids[number - 1]
    words = ("a text", "a number") if kinds[number] else ("a number", "a text")
    yield Finding(
        in_file(file, ids[number][0], ids[number][1].span),
        f"this id is {words[0]}, that of the eval before is {words[1]}",
        related=(Related("the other id", in_file(file, other[0], other[1].span)),),
    )


def _id(own: SkillEval) -> Scalar | None:
    """Return the id of an eval; None of what asks nothing, which is something else with an id."""
    facts = facts_of(own)
    found = own.node.get("id") if own.node is not None and facts and facts.asks else None
    return found if isinstance(found, Scalar) and not is_empty(found) else None


def _without_id(own: SkillEval) -> SkillEval | None:
    """Return an eval that nothing names."""
    facts = facts_of(own)
    if own.node is None or facts is None or not facts.asks:
        return None
    named = any("id" in name.casefold() or name in _NAMES for name, _ in own.node)
    return None if named else own


_NAMES = ("name", "title", "key", "slug", "eval_name", "label")
