"""Rules on synonyms: texts that count as the same when answers are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, get_args

from suitecase.checking.rules.prompts import why_not
from suitecase.format.rule import External, Finding, Related, Severity, rule
from suitecase.format.synonym_files import SynonymForm, SynonymsFile, forms_in, synonyms_file
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.schema.roles import RoleValue
from suitecase.text.node import Mapping, Scalar, Span, plain
from suitecase_evaluators.grade.normalize import PRESETS, Normalize, Step, comparable
from suitecase_evaluators.schema.field_role import FieldRole

#: Returns a text as it is compared.
_Prepare = Callable[[str], str]


@rule("SC831", roles=(FieldRole.SYNONYMS,))
def ambiguous_synonym(evaluator: ParsedEvaluator) -> Iterator[Finding]:
    """A synonym stands for two texts.

    Texts are normalized before they are replaced, so that forms which differ as they are written may
    be the same. A canonical form is also a form of itself. Remove one of the two entries.

    ```yaml bad
    evalcases:
      - id: size
        input: "Which topic is this: the shoes are too small?"
        expected_outcome: Names the topic
        expected_output: exchange
        evaluators:
          - name: topic
            type: equals
            normalize: [casefold]
            synonyms:
              exchange: [swap]
              refund: [money back, Swap]  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: size
        input: "Which topic is this: the shoes are too small?"
        expected_outcome: Names the topic
        expected_output: exchange
        evaluators:
          - name: topic
            type: equals
            normalize: [casefold]
            synonyms:
              exchange: [swap]
              refund: [money back]
    ```
    """
    for root, prepare in _mappings(evaluator):
        for first, second in _ambiguous(root, prepare):
            yield Finding(
                second.form.span,
                _ambiguity(first, second, prepare),
                related=(Related("the first entry", first.form.span),),
            )


@rule("SC832", Severity.INFO, roles=(FieldRole.SYNONYMS,))
def redundant_synonym(evaluator: ParsedEvaluator) -> Iterator[Finding]:
    """A synonym is the same as its canonical form or another synonym.

    After normalization the two texts are equal, so the entry has no effect.

    ```yaml bad
    evalcases:
      - id: size
        input: "Which topic is this: the shoes are too small?"
        expected_outcome: Names the topic
        expected_output: exchange
        evaluators:
          - name: topic
            type: equals
            normalize: [casefold]
            synonyms:
              exchange: [Exchange, swap]  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: size
        input: "Which topic is this: the shoes are too small?"
        expected_outcome: Names the topic
        expected_output: exchange
        evaluators:
          - name: topic
            type: equals
            normalize: [casefold]
            synonyms:
              exchange: [swap]
    ```
    """
    for root, prepare in _mappings(evaluator):
        seen: dict[tuple[str, str], SynonymForm] = {}
        for form in forms_in(root):
            first = seen.setdefault((form.canonical.text, prepare(form.form.text)), form)
            if first is not form:
                same = f"`{form.form.text}` is the same as `{first.form.text}`"
                how = "" if form.form.text == first.form.text else " after normalization"
                yield Finding(form.form.span, f"{same}{how}, so it has no effect")


@rule("SC841", roles=(FieldRole.SYNONYMS,))
def invalid_synonyms_file(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """A file of synonyms cannot be used.

    The file is searched for beside the suite and in each folder above it, up to the root of the
    workspace. It is YAML or JSON, with a mapping of each canonical form to its other forms, and a
    form belongs to one canonical form.

    ```yaml bad
    evalcases:
      - id: size
        input: "Which topic is this: the shoes are too small?"
        expected_outcome: Names the topic
        expected_output: exchange
        evaluators:
          - {name: topic, type: equals, synonyms: topics.yaml}
          - {name: again, type: equals, synonyms: missing.yaml}  # <- finding
    ```

    ```yaml bad file=topics.yaml
    exchange: [swap, 4]  # <- finding
    refund:  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: size
        input: "Which topic is this: the shoes are too small?"
        expected_outcome: Names the topic
        expected_output: exchange
        evaluators:
          - {name: topic, type: equals, synonyms: topics.yaml}
    ```

    ```yaml good file=topics.yaml
    exchange: [swap, Umtausch]
    refund: money back
    ```
    """
    for value in evaluator.values(FieldRole.SYNONYMS):
        node = value.node
        if not isinstance(node, Scalar) or not isinstance(node.value, str) or not node.text.strip():
            continue
        found = synonyms_file(node.text, folder)
        if not isinstance(found, SynonymsFile):
            yield Finding(node.span, why_not(node.text, found, folder, "a file of synonyms"))
            continue
        for span, message in _in_file(found, _prepare(value)):
            yield Finding(span, message, external=External(found.path, node.span))


def _in_file(file: SynonymsFile, prepare: _Prepare | None) -> Iterator[tuple[Span, str]]:
    yield from file.problems
    if file.root is not None and prepare is not None:
        for first, second in _ambiguous(file.root, prepare):
            yield second.form.span, _ambiguity(first, second, prepare)


def _mappings(evaluator: ParsedEvaluator) -> Iterator[tuple[Mapping, _Prepare]]:
    """Yield the mappings of synonyms of an evaluator, with how texts are compared with them."""
    for value in evaluator.values(FieldRole.SYNONYMS):
        prepare = _prepare(value)
        if isinstance(value.node, Mapping) and prepare is not None:
            yield value.node, prepare


def _prepare(value: RoleValue) -> _Prepare | None:
    """Return how texts are compared beside a value; None where `normalize` is wrong."""
    known, normalize = normalize_beside(value)
    return (lambda text: comparable(text, normalize)) if known else None


def normalize_beside(value: RoleValue) -> tuple[bool, Normalize | None]:
    """Return the `normalize` of the mapping that a value is in, and whether it is a valid one."""
    node = value.beside(FieldRole.NORMALIZE)
    if node is None:
        field = value.model.model_fields.get("normalize")
        return True, field.default if field is not None else None
    written: Any = plain(node)
    return valid_normalize(written), written


def valid_normalize(written: Any) -> bool:
    """Whether a value is one that `normalize` may have."""
    if isinstance(written, str):
        return written in PRESETS
    return isinstance(written, list) and all(it in get_args(Step) for it in written)


def _ambiguous(root: Mapping, prepare: _Prepare) -> Iterator[tuple[SynonymForm, SynonymForm]]:
    """Yield the forms that stand for two texts, each after the first form of the same text."""
    seen: dict[str, SynonymForm] = {}
    for form in forms_in(root):
        first = seen.setdefault(prepare(form.form.text), form)
        if first.canonical is not form.canonical:
            yield first, form


def _ambiguity(first: SynonymForm, second: SynonymForm, prepare: _Prepare) -> str:
    one, other = first.canonical.text, second.canonical.text
    text = second.form.text
    how = "" if text == first.form.text else " after normalization"
    if prepare(one) == prepare(other):
        return f"`{other}` is the same as `{one}`{how}; list their forms under one of them"
    return f"`{text}` stands for `{one}` and for `{other}`{how}; remove one of them"
