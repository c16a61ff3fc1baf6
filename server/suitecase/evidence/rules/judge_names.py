"""Rules on the names under `judges` and `human`."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.named_judges import judges_named
from suitecase.figures.gates.names import suite_figures
from suitecase.format.rule import Edit, Finding, Fix, rule
from suitecase.format.workspace import Folder
from suitecase.text.near_names import nearest


@rule("SC851")
def unknown_judge(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A name under `judges` or `human` is not the name of an evaluator.

    What is set there applies to the evaluators of that name: `rubric` is the judge of `rubrics`,
    and `llm_judge` the default one. Under a name that no evaluator has, nothing is set for any.

    ```yaml bad
    judges:
      rubrik:  # <- finding
        temperature: 0
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
    ```

    ```yaml fixed
    judges:
      rubric:
        temperature: 0
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
    ```
    """
    if not suite.has_head or not (suite.under("judges") or suite.under("human")):
        return
    if not suite.suite.cases:
        return  # nothing is known of what would grade them
    figures = suite_figures(suite.suite)
    known = sorted(figures.names.evaluators)
    for key in ("judges", "human"):
        for name, entry in suite.under(key) or ():
            if name in figures.names.evaluators or not figures.all_known:
                continue
            if key == "judges" and judges_named(suite.suite, name):  # a member of a composite
                continue
            span = suite.head_span(entry.key.span)
            meant = nearest(name, known)
            hint = f"; did you mean `{meant}`?" if meant else ""
            fix = (
                Fix(f"Change `{name}` to `{meant}`", (Edit(span, meant),), safe=False)
                if meant
                else None
            )
            yield Finding(span, f"no evaluator is called `{name}`{hint}", fix=fix)
