"""The options of a check, which take precedence over the configuration."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.format.baseline_file import Baseline
from suitecase.format.settings import FailLevel


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of a check.

    Attributes:
        select: codes, prefixes of codes or names of rules; replaces the configuration's.
        ignore: the same, added to those that the configuration ignores.
        use_config: whether a configuration is read.
        cross_file: whether rules that read other files report.
        baseline: replaces the baseline that the configuration names.
        use_baseline: whether the baseline that the configuration names is read.
        fail_level: replaces the configuration's.
        failed_rules: codes of rules that raised in an earlier check of the file; what they find
            is not reported.
        places_later: whether findings in cases get their places when they are looked at: for editors,
            which show a part of them. The others are counted.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    use_config: bool = True
    cross_file: bool = True
    baseline: Baseline | None = None
    use_baseline: bool = True
    fail_level: FailLevel | None = None
    failed_rules: frozenset[str] = frozenset()
    places_later: bool = False
