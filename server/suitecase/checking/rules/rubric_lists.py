"""Rules on lists of rubrics: ids, texts and weights in relation to each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from suitecase.format.rewriting.names import name_of_text, renamed
from suitecase.format.rewriting.removing import without, without_item
from suitecase.format.rule import Finding, Fix, Related, Severity, Tag, rule
from suitecase.formats.suitecase.elements import (
    OWN_SPELLING,
    ParsedEvaluator,
    ParsedRubrics,
    RubricSpelling,
    has_ranges,
)
from suitecase.formats.suitecase.parsed import ParsedCase
from suitecase.text.node import Mapping, Node, Scalar, Sequence

_SIGNS = re.compile(r"[\W_]+")
#: An id that is a number, or has the form of the default ids.
_NUMBERED = re.compile(r"(?:rubric|item|criterion|check)?0*([1-9][0-9]{0,5})")


@rule("SC214", Severity.WARNING)
def confusable_rubric_ids(rubrics: ParsedRubrics) -> Iterator[Finding]:
    """Two rubric ids are too similar, or one is the position of another item.

    The judge answers by id. If ids differ only in case, accents, spaces or punctuation, a judge
    that writes `is-warm` for `Is warm` answers the wrong item, and a reply that leaves out an item
    cannot be used. The same happens if a judge numbers the items and the id of one item is the
    number of another. An item without an id is called `rubric-N`.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: is-warm
            expected_outcome: Is warm
          - id: Is_Warm  # <- finding
            expected_outcome: Wishes the user well
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: is-warm
            expected_outcome: Is warm
          - id: wishes-the-user-well
            expected_outcome: Wishes the user well
    ```
    """
    names = dict(_named_items(rubrics))
    first: dict[str, tuple[str, Node]] = {
        _letters(f"rubric-{number}"): (f"rubric-{number}", node)
        for number, node in enumerate(rubrics.node.items, 1)
        if number not in names
    }
    numbers = {number: _number_in(own.text) for number, own in names.items()}
    shifts = [it - number for number, it in numbers.items() if it is not None]
    for number, own in names.items():
        letters = _letters(own.text)
        other, place = first.setdefault(letters, (own.text, own)) if letters else (own.text, own)
        if other != own.text:
            yield Finding(
                own.span,
                f"the rubric ids `{own.text}` and `{other}` differ only in case, accents, spaces "
                f"or punctuation; a judge may confuse them",
                _named_after_text(rubrics, own, names.values()),
                related=(Related("the other id", place.span),),
            )
            continue
        numbered = numbers[number]
        if numbered is None or numbered == number or not 1 <= numbered <= len(rubrics.node.items):
            continue
        if other == own.text and place is not own:
            continue  # a duplicate, which another rule reports
        # Ids with a consistent offset, such as from 0, are not confusing.
        if shifts.count(numbered - number) > 1:
            continue
        yield Finding(
            own.span,
            f"the rubric id `{own.text}` is the number of another item of this list; a judge that "
            f"numbers items may confuse them",
            related=(Related(f"item {numbered}", rubrics.node.items[numbered - 1].span),),
        )


def _named_after_text(rubrics: ParsedRubrics, own: Scalar, names: Iterable[Scalar]) -> Fix | None:
    """Return the fix that derives an item's id from its text; None if that is not clearer."""
    rubric = next(item for item in rubrics.items if item.node.get("id") is own)
    text_node = rubrics.spelling.text(rubric.node)
    new = name_of_text(text_node.text, "rubric") if isinstance(text_node, Scalar) else "rubric"
    taken = {_letters(name.text) for name in names if name is not own}
    if _letters(new) in taken or _number_in(new) is not None or new == "rubric":
        return None
    return renamed(own, new, safe=False)


def _named_items(rubrics: ParsedRubrics) -> Iterator[tuple[int, Scalar]]:
    for rubric in rubrics.items:
        own = rubric.node.get("id")
        if isinstance(own, Scalar) and isinstance(own.value, str) and own.text:
            yield rubric.number, own


@lru_cache(maxsize=1024)  # consecutive cases often have the same ids
def _letters(name: str) -> str:
    """Return an id without case, accents, spaces and punctuation."""
    if name.isascii():
        return (name if name.isalnum() else _SIGNS.sub("", name)).casefold()
    from unicodedata import combining

    from suitecase_evaluators.text.unicode_forms import normalized_form

    bare = "".join(it for it in normalized_form("NFKD", name) if not combining(it))
    return _SIGNS.sub("", bare).casefold()


@lru_cache(maxsize=1024)
def _number_in(name: str) -> int | None:
    found = _NUMBERED.fullmatch(_letters(name))
    return int(found[1]) if found else None


@rule("SC215", Severity.WARNING)
def repeated_rubric(rubrics: ParsedRubrics) -> Iterator[Finding]:
    """Two rubrics of a list have the same text.

    The judge gives both the same answer, so the requirement counts twice. To make it count more,
    use `weight`.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - Is warm
          - Says hello
          - Is warm  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - Is warm
          - Says hello
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            expected_outcome: Is warm
            weight: 2
          - Says hello
    ```
    """
    first: dict[str, tuple[Scalar, str | None]] = {}
    for item in rubrics.node.items:
        text, name = _text(item, rubrics.spelling), _id(item)
        normalized = " ".join(text.text.split()) if text is not None else ""
        if text is None or not normalized:
            continue
        other, other_name = first.setdefault(normalized, (text, name))
        copied = name is not None and name == other_name  # the id is already reported
        if other is not text and not copied:
            yield Finding(
                text.span,
                "this rubric is already in the list, so it counts twice; give one a `weight` "
                "instead",
                # The item then counts only once.
                deferred_fix=without_item(rubrics.node, item, "Remove the second", safe=False),
                related=(Related("the same rubric", other.span),),
            )


def _text(item: Node, spelling: RubricSpelling) -> Scalar | None:
    """Return the text of a checklist item."""
    if isinstance(item, Mapping):
        found = None if has_ranges(item) else spelling.text(item)
    else:
        found = item
    return found if isinstance(found, Scalar) and isinstance(found.value, str) else None


def _id(item: Node) -> str | None:
    own = item.get("id") if isinstance(item, Mapping) else None
    return own.text if isinstance(own, Scalar) else None


@rule("SC216", Severity.WARNING)
def zero_weight_rubrics(rubrics: ParsedRubrics) -> Iterator[Finding]:
    """All rubrics of a list have the weight 0.

    Weights divide the score between items, but here there is nothing to divide it by. The items
    then count equally, as if none had a weight.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
            weight: 0  # <- finding
          - id: warmth
            expected_outcome: Is warm
            weight: 0
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
          - id: warmth
            expected_outcome: Is warm
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
          - id: warmth
            expected_outcome: Is warm
            weight: 0
    ```
    """
    if rubrics.spelling is not OWN_SPELLING:
        return  # AgentV scores 0 then
    weights = [
        item.get("weight") if isinstance(item, Mapping) else None for item in rubrics.node.items
    ]
    weight_keys = (item.key("weight") for item in rubrics.node.items if isinstance(item, Mapping))
    keys = [weight_key for weight_key in weight_keys if weight_key is not None]
    zeros = [weight for weight in weights if weight is not None and is_zero(weight)]
    if zeros and len(zeros) == len(weights):
        yield Finding(
            zeros[0].span,
            "all rubrics of this list have weight 0, so they count equally; give those that should "
            "count a weight above 0",
            deferred_fix=without(*keys, title="Remove the weights", safe=False),
        )


def is_zero(weight: Node | None) -> bool:
    """Whether there is a weight and it is 0."""
    if not isinstance(weight, Scalar):
        return False
    value = weight.value
    return type(value) in (int, float) and value == 0


@rule("SC217", Severity.WARNING, keys=("rubrics",), tags=(Tag.UNNECESSARY,))
def empty_rubrics(owner: ParsedCase | ParsedEvaluator) -> Iterator[Finding]:
    """A list of rubrics is empty.

    It has no effect: the judge grades freely, by the expected outcome, and checks nothing item by
    item.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics: []  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - Says hello
    ```
    """
    entry = owner.node.entries.get("rubrics") if owner.node else None
    if entry is not None and isinstance(entry.value, Sequence) and not entry.value.items:
        of = "this case" if isinstance(owner, ParsedCase) else "this judge"
        yield Finding(
            entry.key.span,
            f"`rubrics` is an empty list, so {of} has no rubrics; list what a good answer does or "
            "remove the key",
            deferred_fix=without(entry.key),
        )
