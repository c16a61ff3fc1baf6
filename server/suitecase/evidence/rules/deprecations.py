"""Rules on the entries under `governance.deprecated`."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.governed import GovernedSuite
from suitecase.format.rule import Edit, Finding, Fix, Related, rule
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedCase
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Scalar, Sequence


@rule("SC906", gradable=True, affects="release")
def unknown_replacement(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """The case that replaces a removed one does not exist.

    `replacement` tells readers which case asks now what the removed one asked. It is the id of a
    case of the suite, or of one that was removed later and has an entry itself.

    ```yaml bad
    governance:
      deprecated:
        - id: late-2023
          reason: The policy it asked about has ended
          replacement: lat  # <- finding
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
    ```

    ```yaml fixed
    governance:
      deprecated:
        - id: late-2023
          reason: The policy it asked about has ended
          replacement: late
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
    ```
    """
    if not suite.has_head:
        return
    entries = list(_entries(suite))
    removed = {it.text for entry in entries if isinstance(it := entry.get("id"), Scalar)}
    for entry in entries:
        node = entry.get("replacement")
        if not isinstance(node, Scalar) or not isinstance(node.value, str) or not node.text.strip():
            continue
        own = entry.get("id")
        is_itself = isinstance(own, Scalar) and own.text == node.text
        if not is_itself and (node.text in removed or node.text in _ids(suite)):
            continue
        if not suite.suite.cases or not all(map(_has_id, suite.suite.cases)):
            continue  # a case whose id cannot be read may have it
        span = suite.head_span(node.span)
        meant = nearest(node.text, [it for it in _ids(suite) if it != node.text])
        hint = f"; did you mean `{meant}`?" if meant else ""
        title = f"Change `{node.text}` to `{meant}`"
        fix = Fix(title, (Edit(span, meant),), safe=False) if meant else None
        what = "a case cannot replace itself" if is_itself else f"there is no case `{node.text}`"
        yield Finding(span, f"{what}{hint}", fix=fix)


@rule("SC907", gradable=True, affects="release")
def deprecated_and_present(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A case is listed as removed, but it is in the suite.

    An entry under `governance.deprecated` says that a case is not asked any more. Remove the entry,
    or the case.

    ```yaml bad
    governance:
      deprecated:
        - id: late  # <- finding
          reason: The policy it asked about has ended
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
    ```

    ```yaml good
    governance:
      deprecated:
        - id: late-2023
          reason: The policy it asked about has ended
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
    ```
    """
    if not suite.has_head:
        return
    for entry in _entries(suite):
        node = entry.get("id")
        if not isinstance(node, Scalar):
            continue
        number = suite.suite.case_named(node.text)
        if number is None:
            continue
        case_id = suite.suite.cases[number].id
        related: tuple[Related, ...] = ()
        if suite.has_cases and case_id is not None:
            related = (Related("the case", suite.case_span(number, case_id.span)),)
        yield Finding(
            suite.head_span(node.span),
            f"`{node.text}` is listed as removed, but it is in the suite; remove the entry, or the case",
            related=related,
        )


def _entries(suite: GovernedSuite) -> Iterator[Mapping]:
    """Yield the entries under `governance.deprecated`."""
    governance = suite.under("governance")
    listed = governance.get("deprecated") if governance is not None else None
    for item in listed.items if isinstance(listed, Sequence) else ():
        if isinstance(item, Mapping):
            yield item


def _ids(suite: GovernedSuite) -> tuple[str, ...]:
    return suite.suite.case_ids


def _has_id(case: ParsedCase) -> bool:
    """Whether the id of a case can be read."""
    return case.id is not None and isinstance(case.id.value, str) and bool(case.id.text.strip())
