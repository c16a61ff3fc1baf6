"""Rules on `options` of tests, where any key is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from suitecase.format.rule import Finding, Severity, replace, rule
from suitecase.formats.promptfoo.suite.models.test import TestOptions
from suitecase.formats.promptfoo.suite.parsed import ParsedTestBody
from suitecase.formats.promptfoo.suite.vocabulary import PROMPTFOO
from suitecase.text.near_names import spelt_alike
from suitecase.text.node import Mapping

#: Of names less alike, a key may be a setting that the provider reads.
_ALIKE = 0.85


@rule("PF111", Severity.WARNING, keys=("options",))
def misspelled_option(body: ParsedTestBody) -> Iterator[Finding]:
    """A key of `options` is nearly one that promptfoo reads.

    promptfoo hands other keys to the provider, which most likely ignores them too.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        options:
          disableDefaultAssert: true  # <- finding
        assert:
          - {type: contains, value: Paris}
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        options:
          disableDefaultAsserts: true
        assert:
          - {type: contains, value: Paris}
    ```
    """
    options = body.node.get("options")
    if not isinstance(options, Mapping) or body.reading.vocabulary is not PROMPTFOO:
        return
    known = [model_field for model_field in TestOptions.model_fields if model_field not in options]
    for name, entry in options:
        if name in TestOptions.model_fields or entry.merged or len(name) > 40:
            continue
        near = get_close_matches(name, known, n=1, cutoff=_ALIKE)
        meant = spelt_alike(name, known) or (near[0] if near else None)
        if meant is not None:
            quote = entry.key.style if entry.key.style in ("'", '"') else ""
            fix = replace(
                entry.key.span, f"{quote}{meant}{quote}", f"Change to `{meant}`", safe=False
            )
            message = f"promptfoo does not read `{name}` in `options`; did you mean `{meant}`?"
            yield Finding(entry.key.span, message, fix)
