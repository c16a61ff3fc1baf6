"""Rules on who writes a suite: not the people who build what it tests, and not the target itself."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.target_usage import target_of
from suitecase.evidence.governed import GovernedSuite
from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.format.target_files import find_targets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead
from suitecase.text.node import Mapping, Node, Scalar, Sequence


@rule("SC914", gradable=True, affects="release")
def author_in_model_team(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A person both writes or labels the suite and builds what it tests.

    Who knows the cases while building the model fits the model to them, if only without noticing.
    Nobody in `model_team` should be among the `authors`, or settle labels as one of the
    `adjudicators`. Case and blanks of names do not matter.

    ```yaml bad
    governance:
      authors: [ann, dora]  # <- finding@18
      model_team: [dora]
    human:
      rubric:
        labels: [rubric.csv]
        adjudication: adjudicator
        adjudicators: [Dora]  # <- finding@20
    gates: [human.rubric.alpha >= 0.667]
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
    ```

    ```csv bad file=rubric.csv
    case,answer,item,wording,rater,value,note
    ```

    ```yaml good
    governance:
      authors: [ann, ben]
      model_team: [dora]
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
    ```
    """
    if not suite.has_head:
        return
    team = {_name(text): text for text in _texts(suite.under("governance"), "model_team")}
    authors = _texts(suite.under("governance"), "authors") if team else ()
    roles = [(author, "writes its cases") for author in authors]
    for name, _ in (suite.under("human") or ()) if team else ():
        entry = suite.under("human", name)
        roles += [(text, "settles its labels") for text in _texts(entry, "adjudicators")]
    for person, role in roles:
        member = team.get(_name(person))
        if member is not None:
            place = Related("in the model team", suite.head_span(member.span))
            message = f"`{person.text}` builds what this suite tests, and {role}"
            yield Finding(suite.head_span(person.span), message, related=(place,))


def _texts(holder: Mapping | None, key: str) -> list[Scalar]:
    node = holder.get(key) if holder is not None else None
    items: list[Node] = node.items if isinstance(node, Sequence) else []
    return [item for item in items if isinstance(item, Scalar) and item.text.strip()]


def _name(person: Scalar) -> str:
    return " ".join(person.text.split()).casefold()


@rule("SC917", Severity.WARNING)
def written_by_target(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A case was written by the target that answers it.

    A model finds what it has written itself easier than what others write, and its answer to it is
    likely to be the expected one. `metadata.generated_by` is the target or the model that a case was
    generated with; another one should answer the case.

    ```yaml bad
    execution:
      target: support-bot
    governance:
      license: MIT
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        metadata:
          generated_by: support-bot  # <- finding@21
      - id: size
        input: The shoes are too small.
        expected_outcome: Names the topic
        metadata:
          generated_by: gpt-4.1-mini  # <- finding@21
    ```

    ```yaml bad file=targets.yaml
    targets:
      - name: support-bot
        provider: openai
        model: gpt-4.1-mini
    ```

    ```yaml good
    execution:
      target: support-bot
    governance:
      license: MIT
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        metadata:
          generated_by: claude-sonnet-4-5
    ```

    ```yaml good file=targets.yaml
    targets:
      - name: support-bot
        provider: openai
        model: gpt-4.1-mini
    ```
    """
    of_head = target_of(suite.head)
    names = _names_of(of_head, folder)
    for writer in _writers(suite.head) if suite.has_head else ():
        if not names.isdisjoint(_forms(writer)):
            message = f"`{writer.text}` wrote these cases and answers them"
            yield Finding(suite.head_span(writer.span), message)
    if not suite.has_cases:
        return
    own = {number: _names_of(it, folder) for number, it in suite.suite.case_index.where(target_of)}
    for number, writers in suite.suite.case_index.where(_writers):
        answering = own.get(number, names)
        for writer in writers if answering else ():
            if not answering.isdisjoint(_forms(writer)):
                message = f"`{writer.text}` wrote this case and answers it"
                yield Finding(suite.case_span(number, writer.span), message)


def _writers(part: ParsedCase | ParsedHead) -> tuple[Scalar, ...]:
    """Return what `metadata.generated_by` names: a look for `ParsedSuite.case_index`."""
    metadata = part.node.get("metadata") if part.node is not None else None
    named = metadata.get("generated_by") if isinstance(metadata, Mapping) else None
    listed = named.items if isinstance(named, Sequence) else [named]
    return tuple(item for item in listed if isinstance(item, Scalar) and item.text.strip())


def _names_of(target: Scalar | None, folder: Folder) -> frozenset[str]:
    """Return the names that a target is known by: its own, and that of its model."""
    if target is None:
        return frozenset()
    targets = find_targets(folder.workspace, folder.path)
    config = targets.config(target.text) if targets is not None else None
    model = config.asked_model if config is not None else None
    return frozenset((target.text, *([] if model is None else [model.rpartition("/")[2]])))


def _forms(writer: Scalar) -> tuple[str, str]:
    """Return what a case was generated with, also without the provider of a model."""
    name = writer.text.strip()
    return name, name.rpartition("/")[2]
