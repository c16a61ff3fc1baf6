"""Rules on the files with JSON Schemas that assertions name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from suitecase.format.rule import Finding, rule
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.suite.ajv import Refusal, refusals
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.parsed import ParsedTestBody, PromptfooTest
from suitecase.formats.promptfoo.suite.references.file_references import file_reference, files_of
from suitecase.text.cache import Cache
from suitecase.text.compose import compose
from suitecase.text.node import Scalar, at, plain
from suitecase_evaluators.promptfoo.assertion_types import content_of
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

_ENDINGS = frozenset((".json", ".yaml", ".yml"))


class _Refused(NamedTuple):
    """Why the schema in a text is refused, and the line of it, from 1."""

    refusal: Refusal
    line: int


@rule("PF217")
def refused_schema_file(configuration: PromptfooConfiguration, folder: Folder) -> Iterator[Finding]:
    """A file has a JSON Schema that promptfoo refuses.

    It compiles the schema with Ajv, by draft 7 in strict mode, when the first JSON arrives. Each
    test with the assertion then ends with an error.

    ```yaml bad
    prompts: ["Give the capital of {{country}} as JSON"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - {type: is-json, value: file://schema.json}  # <- finding
    ```

    ```json bad file=schema.json
    {"type": "object", "requird": ["city"]}
    ```

    ```yaml good
    prompts: ["Give the capital of {{country}} as JSON"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - {type: is-json, value: file://schema.json}
    ```

    ```json good file=schema.json
    {"type": "object", "required": ["city"]}
    ```
    """
    body = configuration.head.default_test
    if body is not None:
        for scalar in _schema_files(body):
            for message in _messages(scalar, folder):
                yield Finding(configuration.head_span(scalar.span), message)
    for number, scalars in configuration.file.case_index.where(_of_test):
        for scalar in scalars:
            for message in _messages(scalar, folder):
                yield Finding(configuration.test_span(number, scalar.span), message)


def _of_test(test: PromptfooTest) -> tuple[Scalar, ...]:
    return tuple(_schema_files(test.body)) if test.body is not None else ()


def _schema_files(body: ParsedTestBody) -> Iterator[Scalar]:
    for assertion in body.assertions():
        value = assertion.node.get("value")
        written = assertion.type
        has_schema = written is not None and content_of(written.text) == "schema"
        if has_schema and isinstance(value, Scalar) and value.text.startswith(FILE_SCHEME):
            yield value


def _messages(scalar: Scalar, folder: Folder) -> Iterator[str]:
    """Yield what is wrong first with the schema in a file."""
    reference = file_reference(scalar.text)
    for path in files_of(reference, folder)[:1] if reference is not None else ():
        text = folder.read(path) if path.suffix in _ENDINGS else None
        found = _refused(text, folder) if isinstance(text, str) else None
        if found is not None:
            yield f"{path.name}:{found.line}: {found.refusal.message}"


_KNOWN: Cache[dict[str, _Refused | None]] = Cache()


def _refused(text: str, folder: Folder) -> _Refused | None:
    """Return why the schema in a text is refused first; kept with the workspace."""
    known = _KNOWN.of(folder.workspace, dict)
    if text not in known:
        known[text] = _find(text)
    return known[text]


def _find(text: str) -> _Refused | None:
    composed = compose(text)
    if composed.root is None or composed.broken:
        return None
    refusal = next(refusals(plain(composed.root)), None)
    if refusal is None:
        return None
    node, key, _ = at(composed.root, refusal.path)
    place = key if key is not None and (refusal.on_key or not isinstance(node, Scalar)) else node
    return _Refused(refusal, text.count("\n", 0, place.start) + 1)
