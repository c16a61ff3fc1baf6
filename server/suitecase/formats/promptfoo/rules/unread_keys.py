"""Rules on keys that the tool ignores: misspelled, in the wrong place, or notes for readers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from suitecase.checking.rules.issue_places import issues_of
from suitecase.checking.rules.misspelling import known_keys, models_of
from suitecase.format.rewriting.moving import into
from suitecase.format.rule import DeferredFix, Finding, Fix, Severity, Tag, replace, rule
from suitecase.formats.promptfoo.rules.key_hints import (
    AT_TOP,
    FOR_READERS,
    IN_ASSERTION,
    IN_PROMPT,
    IN_TEST,
    MEANT,
)
from suitecase.formats.promptfoo.rules.placed_issues import Part, in_place, mapping_at, place_named
from suitecase.formats.promptfoo.suite.prompts.prompts import PATH_KEYS, sends_its_id
from suitecase.formats.suitecase.parsed import keys_of
from suitecase.schema.fields import alternatives
from suitecase.schema.validation import IssueKind, ValidationIssue
from suitecase.text.cache import Cache
from suitecase.text.document import Content
from suitecase.text.near_names import nearest, spelt_alike
from suitecase.text.node import Mapping, Node, Scalar, Sequence

#: Keys that an author chose for what is used elsewhere in the file, by `$ref` or an anchor.
_SHARED = re.compile(r"[_.]|\$defs$|definitions$|\w*(?:templates|anchors|shared)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _UnreadKey:
    """A key that is not read.

    Attributes:
        kind: what it is: `unknown`, `elsewhere` where another place reads it, or for `readers`.
        advice: what to do, for people; empty if that is not known.
        meant: the key of the same mapping that it most likely stands for.
        place: the key of the same mapping that it may be moved under.
    """

    issue: ValidationIssue
    key: Scalar
    kind: Literal["unknown", "elsewhere", "readers"]
    advice: str = ""
    meant: str | None = None
    place: str | None = None


#: How like a key has to be to one that is read there to be named in its place: `scoring` at the top
#: does not stand for `sharing`.
_NEAR = 0.75
_UNREAD: Cache[tuple[_UnreadKey, ...]] = Cache()


def _unread(part: Part) -> tuple[_UnreadKey, ...]:
    return _UNREAD.of(part.content, lambda: tuple(_found(part)))


def _found(part: Part) -> Iterator[_UnreadKey]:
    for issue in issues_of(part, unread_key):
        path, name = issue.path[:-1], str(issue.path[-1])
        mapping = mapping_at(part, path)
        entry = mapping.entries.get(name) if mapping is not None else None
        if mapping is None or entry is None or entry.merged:
            continue
        if name in PATH_KEYS and place_named(part, path) == "prompt" and sends_its_id(mapping):
            continue  # That its `id` is sent is a finding of its own.
        if not path and _is_shared(part.content, name, entry.key, entry.value):
            continue
        yield _classified(part, issue, entry.key, mapping)


def _is_shared(content: Content, name: str, key: Scalar, value: Node) -> bool:
    """Whether a key at the top may only be there for what other places take from it."""
    if _SHARED.match(name) or f"#/{name}/" in content.text:
        return True
    start, end = key.start, value.end
    return any(
        anchor_name.defines and start <= anchor_name.span.start < end
        for anchor_name in content.anchor_names
    )


def _classified(part: Part, issue: ValidationIssue, key: Scalar, mapping: Mapping) -> _UnreadKey:
    path, name = issue.path[:-1], str(issue.path[-1])
    where = place_named(part, path)
    kind = "test" if where == "`defaultTest`" else where
    known, models = known_keys(part, path), models_of(part, path)
    meant = spelt_alike(name, known) or MEANT.get(kind, {}).get(name)
    if meant is None and name in FOR_READERS and _is_note(mapping.get(name)):
        return _UnreadKey(issue, key, "readers")
    hint = _hints(kind).get(name)
    if meant is None and hint is None:
        way = place_below(models, name)
        if way is not None:
            advice = f"it belongs under `{'.'.join(way)}`"
            return _UnreadKey(
                issue, key, "elsewhere", advice, place=way[0] if len(way) == 1 else None
            )
        meant = nearest(name, known, _NEAR)
    if meant is None and hint is None:
        hint = _other_place(part, path, name)
    if meant is not None and meant != name and meant in mapping:
        return _UnreadKey(issue, key, "unknown", f"`{meant}` is here already")
    if hint is not None:
        return _UnreadKey(issue, key, "unknown", hint, meant)
    if kind == "provider":
        advice = "settings of a provider belong under `config`"
        return _UnreadKey(issue, key, "elsewhere", advice, place="config")
    return _UnreadKey(issue, key, "unknown", f"did you mean `{meant}`?" if meant else "", meant)


def _hints(kind: str) -> dict[str, str]:
    tables = {
        "configuration": AT_TOP,
        "test": IN_TEST,
        "assertion": IN_ASSERTION,
        "prompt": IN_PROMPT,
    }
    return dict(tables.get(kind, {}))


def _other_place(part: Part, path: tuple[str | int, ...], name: str) -> str | None:
    """Return where a similar key is read, below, in an item, or above."""
    models = models_of(part, path)
    listed = item_keys(models, name)
    if listed is not None:
        return f"it belongs in an item of `{listed}`"
    near = near_below(models, name)
    if near is not None:
        way, meant = near
        return f"did you mean `{'.'.join((*way, meant))}`?"
    above = path
    while above:
        above = above[:-1]
        if (not above or isinstance(above[-1], int)) and name in known_keys(part, above):
            return f"it belongs {in_place(part, above)}"
    return None


def _is_note(value: Node | None) -> bool:
    """Whether a value is one that people write for each other: text, a number, a list of them."""
    if isinstance(value, Sequence):
        return all(isinstance(item, Scalar) for item in value.items)
    return isinstance(value, Scalar)


@rule("PF101", only_of="issues", issues=(IssueKind.UNKNOWN_KEY,), gradable=True)
def unread_key(part: Part) -> Iterator[Finding]:
    """A key is not read by promptfoo.

    promptfoo ignores keys that it does not know, so that a misspelled `assert` checks nothing and every
    answer passes. Data of your own belongs under `metadata`, and settings for your scripts under
    `config`.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        asserts:  # <- finding
          - {type: contains, value: Paris}
        assert:
          - {type: contains, value: Paris, ignoreCase: true}  # <- finding
    ```

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    defaultTests:  # <- finding
      assert:
        - {type: icontains, value: paris}
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    defaultTest:
      assert:
        - {type: icontains, value: paris}
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
    ```
    """
    renamed: set[tuple[tuple[str | int, ...], str]] = set()
    for it in _unread(part):
        if it.kind != "unknown":
            continue
        message = _message(part, it)
        place = (it.issue.path[:-1], it.meant or "")
        fix = None
        if it.meant is not None and place not in renamed:
            fix = _renamed(it.key, it.meant)
            renamed.add(place)
        yield Finding(it.key.span, message, fix)


def _renamed(key: Scalar, name: str) -> Fix | None:
    quote = key.style if key.style in ("'", '"') else ""
    return replace(key.span, f"{quote}{name}{quote}", f"Change to `{name}`", safe=False)


def _message(part: Part, it: _UnreadKey) -> str:
    place = in_place(part, it.issue.path[:-1])
    message = f"{part.reading.vocabulary.tool} does not read `{it.key.text}` {place}"
    return f"{message}; {it.advice}" if it.advice else message


@rule("PF102", only_of="issues", issues=(IssueKind.UNKNOWN_KEY,), gradable=True)
def misplaced_key(part: Part) -> Iterator[Finding]:
    """A key stands where promptfoo does not read it, and belongs under another.

    It ignores the key where it stands: assertions at the top grade nothing, and a limit of calls
    has no effect.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    maxConcurrency: 1  # <- finding
    assert:  # <- finding
      - {type: icontains, value: capital}
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    evaluateOptions:
      maxConcurrency: 1
    defaultTest:
      assert:
        - {type: icontains, value: capital}
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
    ```
    """
    for it in _unread(part):
        if it.kind == "elsewhere":
            moved: DeferredFix | None = (
                into(it.key, it.place, safe=False) if it.place is not None else None
            )
            yield Finding(it.key.span, _message(part, it), deferred_fix=moved)


@rule(
    "PF103",
    Severity.INFO,
    only_of="issues",
    issues=(IssueKind.UNKNOWN_KEY,),
    tags=(Tag.UNNECESSARY,),
)
def note_for_readers(part: Part) -> Iterator[Finding]:
    """A key is a note for readers, which promptfoo does not show.

    It neither stores nor shows keys that it does not know. Under `metadata`, the note is part of
    the results, and tests can be chosen by it.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        tags: [europe]  # <- finding
        assert:
          - {type: contains, value: Paris}
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        metadata:
          tags: [europe]
        assert:
          - {type: contains, value: Paris}
    ```
    """
    for it in _unread(part):
        if it.kind != "readers":
            continue
        keeps = "metadata" in known_keys(part, it.issue.path[:-1])
        fix = into(it.key, "metadata", safe=False) if keeps else None
        message = _message(part, it) + ("; `metadata` is kept and shown" if keeps else "")
        yield Finding(it.key.span, message, deferred_fix=fix)


def place_below(models: list[type[BaseModel]], name: str) -> tuple[str, ...] | None:
    """Return the keys that lead from a mapping to the one that reads a key: the shortest way.

    Args:
        models: the models of the mapping.
        name: the key.
    """
    ways = sorted(_ways(models, 2), key=lambda it: len(it[0]))
    return next((way for way, model in ways if name in keys_of(model)), None)


def near_below(models: list[type[BaseModel]], name: str) -> tuple[tuple[str, ...], str] | None:
    """Return the way to a key below with a similar name, and that name."""
    for way, model in _ways(models, 1):
        near = nearest(name, keys_of(model)) if len(name) > 3 else None
        if near is not None:
            return way, near
    return None


def _ways(
    models: list[type[BaseModel]], depth: int
) -> Iterator[tuple[tuple[str, ...], type[BaseModel]]]:
    """Yield the keys that lead to the models below some models, as mappings, not in lists."""
    for model in models:
        for own, info in model.model_fields.items():
            for below in alternatives(info.annotation):
                if _is_model(below):
                    way = (info.alias or own,)
                    yield way, below
                    if depth > 1:
                        yield from (
                            (way + more, model) for more, model in _ways([below], depth - 1)
                        )


def item_keys(models: list[type[BaseModel]], name: str) -> str | None:
    """Return the list, of a mapping, whose items read a key."""
    for model in models:
        for own, info in model.model_fields.items():
            for listed in alternatives(info.annotation):
                if get_origin(listed) is list and any(
                    _is_model(alternative) and name in keys_of(alternative)
                    for alternative in alternatives(get_args(listed)[0])
                ):
                    return info.alias or own
    return None


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
