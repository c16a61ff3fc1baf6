"""What a caller asks of a check beside what the configuration says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from suitecase.suite.baseline_file import Baseline

#: How bad a finding has to be for a check to fail; never, where nothing fails it.
FailLevel = Literal["error", "warning", "info", "never"]


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What a caller asks for beside the configuration.

    Attributes:
        select: codes, starts of codes or names of rules; takes the place of the configuration's.
        ignore: the same, added to those that the configuration ignores.
        use_config: whether a configuration is read.
        cross_file: whether rules that look at other files report.
        baseline: takes the place of the baseline that the configuration names.
        use_baseline: whether the baseline that the configuration names is read.
        fail_level: takes the place of the configuration's.
        failed_rules: codes of rules that raised in an earlier check of the file; what they find
            is not reported.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    use_config: bool = True
    cross_file: bool = True
    baseline: Baseline | None = None
    use_baseline: bool = True
    fail_level: FailLevel | None = None
    failed_rules: frozenset[str] = frozenset()
