"""Rules on YAML syntax."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from suitecase.format.rewriting.quoting import quoted_value, template_quoted
from suitecase.format.rewriting.repetitions import (
    FixesByPlace,
    repetitions_removed,
    tags_removed,
)
from suitecase.format.rule import Finding, Fix, Related, Severity, replace, rule
from suitecase.formats.suitecase.current.detect import misspelt_list_key, names_case_file
from suitecase.formats.suitecase.parsed import ParsedSuite, looks_like_suite
from suitecase.formats.suitecase.part_fixes import placed
from suitecase.text.composed import AnchorName, Problem, ProblemKind
from suitecase.text.document import Content, Document
from suitecase.text.near_names import nearest
from suitecase.text.node import UNRESOLVED, Mapping, Scalar, Sequence, Span, describe


def _defined(content: Content) -> tuple[AnchorName, ...]:
    """Return the anchors that a content defines: a look for `Document.case_index`."""
    return tuple(anchor_name for anchor_name in content.anchor_names if anchor_name.defines)


def _problems(
    document: Document,
    *kinds: ProblemKind,
    fix: Callable[[Content, Problem], Fix | None] | None = None,
    fixes: Callable[[Content], FixesByPlace] | None = None,
) -> Iterator[Finding]:
    """Yield the problems of some kinds, with the fix of each, or those of all in a content."""
    of_content: tuple[Content, FixesByPlace] | None = None
    for piece, problem in document.problems():
        if problem.kind in kinds:
            content, found = piece.content, None
            if fix is not None:
                found = fix(content, problem)
            elif fixes is not None:
                if of_content is None or of_content[0] is not content:
                    of_content = (content, fixes(content))
                found = of_content[1].get(problem.span)
            other = problem.other
            related = (Related("the other place", piece.absolute(other)),) if other else ()
            yield Finding(
                piece.absolute(problem.span), problem.message, placed(found, piece), related
            )


@rule("SC001", unreadable=True)
def yaml_syntax(document: Document) -> Iterator[Finding]:
    """The text is not valid YAML.

    A case that cannot be parsed cannot be graded. The other cases are still checked. A case with
    such an error gets no further checks until it is fixed.

    ```yaml bad
    evalcases:
      - id: greet
        expected_outcome: Note: says hello  # <- finding
        input: Hi
    ```

    ```yaml good
    evalcases:
      - id: greet
        expected_outcome: "Note: says hello"
        input: Hi
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        expected_outcome: "Note: says hello"
        input: Hi
    ```
    """
    for piece, problem in document.problems():
        if problem.kind != "syntax":
            continue
        other = problem.other
        related = (Related("the other place", piece.absolute(other)),) if other else ()
        edit = quoted_value(piece.content.text, problem)
        # Not safe: there may be several ways to correct the text.
        fix = None
        if edit is not None:
            fix = replace(piece.absolute(edit.span), edit.text, "Quote the text", safe=False)
        yield Finding(piece.absolute(problem.span), problem.message, fix, related)


@rule("SC002", unreadable=True)
def duplicate_key(document: Document) -> Iterator[Finding]:
    """A mapping has the same key twice.

    YAML forbids duplicate keys, and parsers differ in which of the two they keep, so one of the
    values is silently lost. `0` and `"0"` are the same key.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        input: Good morning  # <- finding
    ```

    If both have the same value, the fix removes the second.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        input: Hi  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    yield from _problems(document, "duplicate_key", fixes=repetitions_removed)


@rule("SC003")
def unknown_alias(document: Document) -> Iterator[Finding]:
    """An alias refers to an anchor that is not defined before it.

    An anchor (`&name`) must come before the aliases (`*name`) that repeat it, in the same file.
    Without it the value is unknown.

    ```yaml bad
    x-questions:
      - &question Hi
    evalcases:
      - id: greet
        input: *qestion  # <- finding
        expected_outcome: Says hello
    ```

    ```yaml fixed
    x-questions:
      - &question Hi
    evalcases:
      - id: greet
        input: *question
        expected_outcome: Says hello
    ```
    """
    defining = ((document.cases[it], names) for it, names in document.case_index.where(_defined))
    anchors = [
        (anchor.name, piece.absolute(anchor.span).start)
        for piece, names in ((document.head, _defined(document.head.content)), *defining)
        for anchor in names
    ]
    for piece, problem in document.problems():
        if problem.kind != "alias":
            continue
        span = piece.absolute(problem.span)
        known = dict.fromkeys(name for name, at in anchors if at < span.start)
        alias = piece.content.text[problem.span.start + 1 : problem.span.end]
        suggestion = nearest(alias, known) if alias not in known else None
        fix = None
        if suggestion is not None:
            name = Span(span.start + 1, span.end)
            fix = replace(name, suggestion, f"Change to `*{suggestion}`", safe=False)
        yield Finding(span, problem.message, fix)


@rule("SC004")
def multiple_documents(document: Document) -> Iterator[Finding]:
    """The file contains a second YAML document.

    A suite is a single document. Anything after `---` would not be read, so its cases would not be
    graded.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ---  # <- finding
    evalcases:
      - id: part
        input: Bye
        expected_outcome: Says goodbye
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
      - id: part
        input: Bye
        expected_outcome: Says goodbye
    ```
    """
    yield from _problems(document, "document")


@rule("SC005", unreadable=True)
def yaml_limit(document: Document) -> Iterator[Finding]:
    """The text is nested too deeply, or its aliases expand to too many values.

    A few lines of aliases of aliases can expand to billions of values, and deep nesting crashes
    other tools. No suite needs either: the limits are 100 levels of nesting and 50,000 values from
    aliases.

    ```yaml bad
    x-deep: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[ deep  # <- finding
    ```

    ```yaml good
    x-shallow: [[[[ deep ]]]]
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    yield from _problems(document, "limit")


@rule("SC006")
def invalid_key(document: Document) -> Iterator[Finding]:
    """A key is a list or a mapping, or a merge key has nothing to merge.

    The keys of a suite are names. `<<` takes a mapping, or a list of mappings, to merge in. A template
    such as `{{ name }}` needs quotes: without them YAML reads it as a mapping whose key is a mapping.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        metadata:
          <<: Ann  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        metadata:
          <<: {author: Ann}
    ```
    """
    yield from _problems(document, "key", "merge")
    yield from _problems(document, "template", fix=template_quoted)


@rule("SC007", Severity.WARNING)
def unknown_tag(document: Document) -> Iterator[Finding]:
    """A value has a tag that has no meaning in a suite.

    The tag is ignored: the value is read as if the tag were not there.

    ```yaml bad
    evalcases:
      - id: greet
        input: !prompt Hi  # <- finding
        expected_outcome: Says hello
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    yield from _problems(document, "tag", fixes=tags_removed)


@rule("SC008")
def missing_case_list(suite: ParsedSuite) -> Iterator[Finding]:
    """The file is not a suite: it has no list of cases at the top level.

    No model would be called and nothing graded. If the file is not meant to be a suite, exclude it
    from the check.

    ```yaml bad
    description: Greetings
    evalcase:  # <- finding
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml fixed
    description: Greetings
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    document = suite.document
    if suite.kind != "suite" or document.head.content.broken:
        return
    root = document.head.node
    if root is None:
        what = "has only comments" if "#" in document.head.content.text else "is empty"
        yield Finding(
            Span(0, 0), f"the file {what}; a suite must have a list of cases, `evalcases`"
        )
    elif not isinstance(root, Mapping):
        yield Finding(
            document.head.absolute(root.span),
            f"a suite must be a mapping with a list of cases, `evalcases`; got {describe(root)}",
        )
    elif not looks_like_suite(document):
        message = "this file has no list of cases, `evalcases`"
        name = misspelt_list_key(root)
        if name is not None:
            span = document.head.absolute(root.entries[name].key.span)
            fix = replace(span, "evalcases", "Change to `evalcases`", safe=False)
            yield Finding(span, f"{message}; did you mean `evalcases` instead of `{name}`?", fix)
            return
        first = next(iter(root.entries.values())).key.span if root.entries else root.span
        yield Finding(document.head.absolute(first), message)


@rule("SC009")
def empty_case_list(suite: ParsedSuite) -> Iterator[Finding]:
    """A suite has no cases.

    No model would be called and nothing graded, but the run would look successful.

    ```yaml bad
    description: Greetings
    evalcases: []  # <- finding
    ```

    ```yaml good
    description: Greetings
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    document = suite.document
    key = document.list_key
    if key is None or document.cases or not looks_like_suite(document):
        return
    node = document.list_node
    unread = isinstance(node, Scalar) and node.style == UNRESOLVED
    if document.head.content.broken or unread:
        return  # the value of the key could not be read
    if names_case_file(node):
        return
    if node is None or isinstance(node, Sequence) or describe(node) == "nothing":
        message = f"`{key.text}` has no cases, so nothing would be graded"
    else:
        message = f"`{key.text}` must be a list of cases; got {describe(node)}"
    yield Finding(document.head.absolute(key.span), message)
