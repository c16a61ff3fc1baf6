"""The rule on unknown keys of an evaluator that are passed to its script."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rewriting.moving import into
from suitecase.format.rewriting.names import renamed
from suitecase.format.rule import Finding, Severity, rule
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, keys_of
from suitecase.text.near_names import nearest
from suitecase.text.node import Scalar
from suitecase_evaluators.grade import registry


@rule("SC106", Severity.WARNING, only_of="legacy_syntax")
def unknown_config_key(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """An unknown key of a judge is passed to its script as configuration.

    A script's own settings go under `config`. Keys beside `config` are still passed on with it, but
    a misspelled key looks just the same. If a key is similar to one of the judge's own keys, the
    fix renames it; otherwise it moves the key under `config`. A judge without a script accepts only
    its own keys.

    ```yaml bad
    evalcases:
      - id: extract
        input: Extract the total.
        expected_outcome: The total is there
        evaluators:
          - name: fields
            type: code_judge
            script: [python, -m, checks.fields]
            max_errors: 3  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: extract
        input: Extract the total.
        expected_outcome: The total is there
        evaluators:
          - name: fields
            type: code_judge
            script: [python, -m, checks.fields]
            config:
              max_errors: 3
    ```
    """
    lacking: dict[int, set[str]] = {}
    for issue in part.issues:
        if issue.type == "missing":
            lacking.setdefault(issue.node.start, set()).add(str(issue.path[-1]))
    for legacy_syntax in part.legacy_syntax:
        if legacy_syntax.kind == "config_key":
            type_node = legacy_syntax.parent.get("type")
            kind = type_node.text if isinstance(type_node, Scalar) else "evaluator"
            evaluator = registry.by_type(kind)
            known = keys_of(evaluator.config) if evaluator else ()
            suggestion = nearest(legacy_syntax.old, known)
            if suggestion is not None and suggestion in legacy_syntax.parent:
                suggestion = None
            if suggestion in lacking.get(legacy_syntax.parent.start, ()):
                continue  # reported as missing, since the evaluator cannot grade without it
            hint = f"; did you mean `{suggestion}`?" if suggestion else "; write it there"
            yield Finding(
                legacy_syntax.node.span,
                f"`{legacy_syntax.old}` is not a key of a `{kind}` and is passed on as "
                f"`{legacy_syntax.new}`{hint}",
                renamed(legacy_syntax.node, suggestion, safe=False) if suggestion else None,
                deferred_fix=None if suggestion else into(legacy_syntax.node, "config"),
            )
