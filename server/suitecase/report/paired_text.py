"""What the statistics of pairs say, in words."""

from __future__ import annotations

from suitecase.report.paired import FEWEST, Paired
from suitecase.report.words import difference_text
from suitecase.suite.counted import counted


def paired_facts(paired: Paired | None) -> list[tuple[str, str]]:
    """Return names and values of what is known; nothing where there are no pairs."""
    if paired is None:
        return []
    means = (
        f"{counted(paired.n, 'case')}: {paired.mean_before:.3f} before, "
        f"{paired.mean_after:.3f} after, {difference_text(paired.mean_difference, 3)}"
    )
    facts = [
        ("Mean of the cases graded in both, with the same text", means),
        ("Scores", f"{paired.rose:,} rose, {paired.fell:,} fell"),
    ]
    if paired.interval is not None:
        low, high = paired.interval
        verdict = "it may be chance" if low <= 0 <= high else "more than chance explains"
        facts.append(
            (
                f"95 % interval of the mean difference ({paired.method})",
                f"{difference_text(low, 3)} to {difference_text(high, 3)}: {verdict}",
            )
        )
    else:
        facts.append(("Interval of the mean difference", f"none: it takes at least {FEWEST} cases"))
    if paired.sign_test_p is not None:
        shown = f"{paired.sign_test_p:.3f}" if paired.sign_test_p >= 0.001 else "below 0.001"
        facts.append(("Sign test, two-sided p", shown))
    return facts
