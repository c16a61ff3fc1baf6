"""Rules on labels that no person gave."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.named_judges import parts_of_judges
from suitecase.evidence.rules.label_places import labeled
from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.format.target_files import find_targets
from suitecase.format.workspace import Folder


@rule("SC856", Severity.WARNING)
def labels_by_model(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A rater is a model.

    A judge that is compared with labels of its own model agrees with itself, however wrong it is.
    Labels of another model share its mistakes. Calibration and agreement take labels by people.
    Names of raters are compared with the judge's model and with the models of the targets file.

    ```yaml bad
    judges:
      rubric:
        model: openai/gpt-4.1-2025-04-14
    human:
      rubric:
        labels: [rubric.csv]  # <- finding
    gates: [human.rubric.alpha >= 0.667]
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv bad file=rubric.csv
    case,answer,item,rater,value
    late,3f9a1c22d1b0a7e4,apology,ann,true
    late,3f9a1c22d1b0a7e4,apology,gpt-4.1-2025-04-14,true
    ```

    ```yaml good
    judges:
      rubric:
        model: openai/gpt-4.1-2025-04-14
    human:
      rubric:
        labels: [rubric.csv]
    gates: [human.rubric.alpha >= 0.667]
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv good file=rubric.csv
    case,answer,item,rater,value
    late,3f9a1c22d1b0a7e4,apology,ann,true
    late,3f9a1c22d1b0a7e4,apology,ben,true
    ```
    """
    models: set[str] | None = None
    for entry in labeled(suite, folder):
        if not entry.people.labels:
            continue
        name = entry.people.name
        parts = parts_of_judges(suite.suite, name, folder) or {}
        judges = {_model(part) for part in parts.get("model", "").split(" | ")} - {""}
        if models is None:
            models = _models(folder)
        for path, label in entry.people.first_labels.values():
            rater = _model(label.rater)
            if rater not in judges | models:
                continue
            what = (
                f"the model of the judge `{name}`, which would agree with itself"
                if rater in judges
                else "a model of the targets file, not a person"
            )
            yield Finding(
                suite.head_span(entry.at("labels")),
                f"the rater `{label.rater}` is {what}",
                related=(Related("a label by it", label.cells["rater"], path),),
            )


def _models(folder: Folder) -> set[str]:
    """Return the models of the targets file."""
    targets = find_targets(folder.workspace, folder.path)
    if targets is None:
        return set()
    configs = (targets.config(name) for name in targets.spans)
    return {
        _model(config.asked_model)
        for config in configs
        if config is not None and config.asked_model
    }


def _model(name: str) -> str:
    """Return the name of a model without its provider."""
    return name.strip().casefold().rpartition("/")[2]
