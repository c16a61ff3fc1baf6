"""The rule on files that are called as suites are, and are none."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.other_file import OtherFile
from suitecase.format.rule import Finding, Severity, rule


@rule("SC011", Severity.INFO, whole_file=True)
def not_a_suite(file: OtherFile) -> Iterator[Finding]:
    """A file that is called as suites are is not a suite, and is not checked.

    Other tools, such as Vally and waza, name their files `*.eval.yaml` and `evals.json`, too. A name alone
    does not tell whose file it is: Suitecase neither checks nor changes a file unless its content shows
    that it is a suite. If it is to become one, give it a list of cases, `evalcases`. If not, you may
    leave it out with `exclude` in the configuration.

    ```yaml bad
    name: storage  # <- finding
    stimuli:
      - name: upload
        prompt: How do I upload a file?
    ```

    ```yaml good
    evalcases:
      - id: upload
        input: How do I upload a file?
        expected_outcome: Names the command
    ```
    """
    yield Finding(file.place, f"not checked: {file.what}")
