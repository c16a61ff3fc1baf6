"""Rules on cases that the target has seen before it is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from suitecase.checking.rules.target_usage import target_of
from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.format.target_files import ParsedTargets, find_targets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.given_prompts import (
    GivenPrompt,
    first_words,
    guideline_files,
    guidelines,
    joined_words,
    suite_prompt,
    system_prompt,
)
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.text.node import Mapping, Node, Scalar, Sequence

#: Shorter texts may be the same by chance, such as the label of a class that the prompt lists.
SHORTEST = 40
#: Characters of scripts without blanks between words say more; this is where these scripts begin.
_DENSE = 0x2E80
_WEIGHT_OF_DENSE = 3
_FEWEST_CHARACTERS = SHORTEST // _WEIGHT_OF_DENSE


class CaseTexts(NamedTuple):
    """The texts of a case, each with what it is, and the first words of each."""

    first: tuple[str, ...]
    texts: tuple[tuple[str, Scalar], ...]


class _Hit(NamedTuple):
    what: str
    node: Scalar
    joined: str
    prompt: GivenPrompt


@rule("SC916", Severity.WARNING)
def case_in_prompt(suite: ParsedSuite, folder: Folder) -> Iterator[Finding]:
    """The input or the expected output of a case is in a prompt that the target is given.

    A target that is shown the case, for example as one of the examples in its prompt, can repeat
    the answer; the case then tests nothing else. Use another example in the prompt, or another
    case.

    The suite's `prompt`, the `system_prompt` of targets and files with instructions are searched for
    texts of 40 or more characters, whatever the case, the punctuation and the line breaks. A text
    that several cases have is not reported, such as the wording of a refusal that the prompt asks
    for.

    ```yaml bad
    prompt: |
      You are the support desk of a shoe shop. An example of a good answer:
      "You get the full price back within five working days."
    evalcases:
      - id: refund
        input: My parcel is late. I want my money back!
        expected_outcome: Explains the refund
        expected_output: You get the full price back within five working days.  # <- finding@22
    ```

    ```yaml good
    prompt: |
      You are the support desk of a shoe shop. An example of a good answer:
      "Please send the shoes back in their box, and we exchange them."
    evalcases:
      - id: refund
        input: My parcel is late. I want my money back!
        expected_outcome: Explains the refund
        expected_output: You get the full price back within five working days.
    ```
    """
    hits = list(_hits(suite, folder))
    together = Counter(joined for _, joined in {(number, hit.joined) for number, hit in hits})
    for number, hit in hits:
        if together[hit.joined] > 1:
            continue  # several cases have it
        case = suite.cases[number].id
        of_case = f"of `{case.text}`" if case is not None else "of this case"
        message = f"the {hit.what} {of_case} is in {hit.prompt.called}, which the target is given"
        related = _related(suite, hit)
        yield Finding(suite.place(number, hit.node.span), message, related=related)


def _related(suite: ParsedSuite, hit: _Hit) -> tuple[Related, ...]:
    place = hit.prompt.place(hit.joined)
    if hit.prompt.path is not None:
        return (Related("in this prompt", place, hit.prompt.path),)
    if suite.kind != "suite":
        return ()  # the prompt is in the sidecar
    return (Related("in this prompt", suite.head_place(place)),)


def _hits(suite: ParsedSuite, folder: Folder) -> Iterator[tuple[int, _Hit]]:
    """Yield the texts of cases that are in the prompts of their targets."""
    own_prompt = suite_prompt(suite, folder)
    of_suite = (own_prompt,) if own_prompt is not None else ()
    with_files = set(suite.case_index.numbers(guideline_files))
    targets = find_targets(folder.workspace, folder.path)
    if targets is not None and "system_prompt" not in targets.text:
        targets = None
    if not of_suite and not with_files and targets is None:
        return
    of_head = target_of(suite.head)
    of_most = (*of_suite, *_of_target(of_head, targets))
    own_targets = dict(suite.case_index.where(target_of)) if targets is not None else {}
    special = {it: (*of_suite, *_of_target(named, targets)) for it, named in own_targets.items()}
    for number in with_files:
        files = guidelines(suite.cases[number], folder)
        special[number] = (*special.get(number, of_most), *files)
    for number, (first, texts) in suite.case_index.where(case_texts):
        for prompt in special.get(number, of_most):
            if not prompt.words.starts.isdisjoint(first):
                yield from ((number, it) for it in _within(texts, prompt))


def _within(texts: tuple[tuple[str, Scalar], ...], prompt: GivenPrompt) -> Iterator[_Hit]:
    for what, node in texts:
        joined = joined_words(node.text)
        if prompt.words.has(joined) and _weight(joined.strip()) >= SHORTEST:
            yield _Hit(what, node, joined, prompt)


def _of_target(target: Scalar | None, targets: ParsedTargets | None) -> tuple[GivenPrompt, ...]:
    if target is None or targets is None:
        return ()
    found = system_prompt(target.text, targets)
    return (found,) if found is not None else ()


def case_texts(case: ParsedCase) -> CaseTexts | None:
    """Return the texts of a case that should not be in prompts: a look for `case_index`."""
    if case.node is None:
        return None
    found: list[tuple[str, Scalar]] = []
    for key, what in _PARTS:
        entry = case.node.entries.get(key)
        if entry is None:
            continue
        value = entry.value
        texts = (value,) if isinstance(value, Scalar) else _in_messages(value)
        found += [(what, text) for text in texts if len(text.text) >= _FEWEST_CHARACTERS]
    if not found:
        return None
    return CaseTexts(tuple([first_words(it.text) for _, it in found]), tuple(found))


_PARTS = (
    ("input", "input"),
    ("input_messages", "input"),
    ("expected_output", "expected output"),
    ("expected_messages", "expected output"),
)


def _in_messages(node: Node) -> Iterator[Scalar]:
    """Yield the texts of messages, but for those of the system."""
    for message in node.items if isinstance(node, Sequence) else ():
        role = message.get("role") if isinstance(message, Mapping) else None
        content = message.get("content") if isinstance(message, Mapping) else None
        if not isinstance(role, Scalar) or role.text == "system":
            continue
        if isinstance(content, Scalar):
            yield content
        for part in content.items if isinstance(content, Sequence) else ():
            kind = part.get("type") if isinstance(part, Mapping) else None
            value = part.get("value") if isinstance(part, Mapping) else None
            if isinstance(kind, Scalar) and kind.text == "text" and isinstance(value, Scalar):
                yield value


def _weight(joined: str) -> int:
    """Return how long words are, without what stands between them in the text."""
    if joined.isascii():
        return len(joined)
    return sum(_WEIGHT_OF_DENSE if ord(it) >= _DENSE else 1 for it in joined)
