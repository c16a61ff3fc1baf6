"""Rules on keys and values that no tool reads as they are meant."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Severity, replace, rule
from suitecase.formats.agent_skills.suite.models import EvalModel, FileModel
from suitecase.formats.agent_skills.suite.parsed import SkillEval, SkillsHead
from suitecase.formats.agent_skills.suite.places import described
from suitecase.schema.validation import IssueKind
from suitecase.text.near_names import spelt_alike
from suitecase.text.node import Mapping, Scalar

#: The keys that every tool reads, of which another spelling is a slip; `name` and `query` are words of
#: many meanings.
_OF_EVALS = tuple(
    model_field
    for model_field in EvalModel.model_fields
    if model_field not in ("name", "query", "id")
)
#: Another spelling of `evals` is reported as a file without evals.
_OF_FILES = tuple(model_field for model_field in FileModel.model_fields if model_field != "evals")


@rule("AS010", Severity.WARNING)
def misspelt_eval_key(part: SkillsHead | SkillEval) -> Iterator[Finding]:
    """A key of an eval is spelled almost as one that tools read.

    Tools read the keys they know and pass over others, so the files are not there, or the assertions are
    not checked. Keys of your own are fine where their names are not so near.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {
          "id": 1,
          "prompt": "Hi",
          "expected_ouput": "A greeting",  # <- finding
          "assertions": ["It greets"]
        }
      ]
    }
    ```

    ```json fixed
    {
      "skill_name": "greeting",
      "evals": [
        {
          "id": 1,
          "prompt": "Hi",
          "expected_output": "A greeting",
          "assertions": ["It greets"]
        }
      ]
    }
    ```
    """
    for key, meant in misspelt_in(part):
        if meant == "prompt":
            continue  # an eval without it is an error, which says so
        message = f"unknown key `{key.text}`; did you mean `{meant}`?"
        fix = replace(key.span, meant, f"Change to `{meant}`", safe=False)
        yield Finding(key.span, message, fix)


def misspelt_in(part: SkillsHead | SkillEval) -> Iterator[tuple[Scalar, str]]:
    """Yield the keys that are another one misspelt, with that one, where it is not there itself."""
    known = _OF_EVALS if isinstance(part, SkillEval) else _OF_FILES
    node = part.node if part.node is not None else Mapping(0, 0, {}, flow=True)
    for name, it in node:
        if name in known or name.startswith(("x-", "_")):
            continue
        meant = spelt_alike(name, known) or next((k for k in known if _is_slip(name, k)), None)
        if meant is not None and meant not in node:
            yield it.key, meant


def _is_slip(name: str, known: str) -> bool:
    """Whether a name is a known one with one letter too many, too few, wrong, or exchanged with the next."""
    if len(known) < 5 or abs(len(name) - len(known)) > 1 or name[:1] != known[:1]:
        return False
    start = 0
    while start < min(len(name), len(known)) and name[start] == known[start]:
        start += 1
    rest, wanted = name[start:], known[start:]
    swapped = rest[:2] == wanted[1::-1] and rest[2:] == wanted[2:]
    return swapped or rest[1:] == wanted[1:] or rest[1:] == wanted or rest == wanted[1:]


@rule("AS011", Severity.WARNING, only_of="issues", issues=(IssueKind.WRONG_TYPE,))
def wrong_type_in_evals(part: SkillsHead | SkillEval) -> Iterator[Finding]:
    """A value in an eval is of a type that tools do not expect there.

    `prompt` is a text, `files`, `assertions` and `expectations` are lists. A tool that reads the letters
    of a text as the items of a list checks nothing that was meant, and `suitecase run` refuses an eval
    whose prompt or statements are of another type.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": "It greets"}  # <- finding
      ]
    }
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
    for issue in part.issues:
        if issue.kind is not IssueKind.WRONG_TYPE or len(issue.path) != 1:
            continue
        wanted = _WANTED.get(issue.field, "a text")
        message = f"`{issue.field}` should be {wanted}; got {described(issue.node)}"
        fix = None
        if wanted == "a list" and isinstance(issue.node, Scalar) and issue.node.style == '"':
            written = part.source[issue.node.start : issue.node.end]
            fix = replace(issue.node.span, f"[{written}]", "Make it a list", safe=False)
        yield Finding(issue.span, message, fix)


_WANTED = {
    "id": "a number or a text",
    "files": "a list",
    "assertions": "a list",
    "expectations": "a list",
    "expected_behavior": "a list or a text",
    "should_trigger": "`true` or `false`",
}
