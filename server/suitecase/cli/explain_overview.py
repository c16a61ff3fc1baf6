"""What `suitecase explain` prints without a name: what can be explained, with examples, on one screen."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.cli.explain_evaluators import evaluator_names
from suitecase.reference.lookup import TOPICS, provider_names
from suitecase.rules import all_rules, families

_WIDTH = 15


def overview() -> Iterator[str]:
    """Yield the lines of the page."""
    rules = all_rules()
    evaluators = [it for it in evaluator_names() if ":" not in it]
    providers = provider_names()
    yield "`suitecase explain NAME` explains one of these:"
    yield ""
    yield "Topics"
    for name, (_, about) in TOPICS.items():
        yield f"  {name:<{_WIDTH}}{about.replace('`', '')}"
    yield ""
    yield f"Evaluators ({len(evaluators)}), which grade answers; `suitecase explain evaluators` lists them"
    yield f"  {', '.join(evaluators[:6])}, ..."
    yield f"Providers of targets ({len(providers)}), which answer"
    yield f"  {', '.join(providers[:6])}, ..."
    yield "Keys of suites, targets, evaluators, results and the configuration"
    yield "  required_min_score, judge_target, expected_outcome, ..."
    yield ""
    yield f"Rules ({len(rules)}), which report mistakes; `suitecase explain rules` lists them"
    for start, about in families().items():
        number = sum(it.code.startswith(start) for it in rules)
        yield f"  {start:<5}{number:>4}  {about}"
    yield "  By code or name: `suitecase explain SC201`, `suitecase explain score-ranges-overlap`"
