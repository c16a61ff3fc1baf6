"""Which rules are enabled in a file, and the severity of their findings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from suitecase.checking.options import CheckOptions
from suitecase.format.configuration import ParsedConfiguration
from suitecase.format.rule import Rule, Severity


@dataclass(frozen=True, slots=True)
class Selection:
    """The rules that are enabled in a file."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severities: tuple[tuple[str, Severity], ...] = ()

    def is_enabled(self, rule: Rule) -> bool:
        """Whether a rule is enabled: the more specific name wins, and `ignore` wins a tie.

        A rule whose errors cannot be suppressed is always enabled.
        """
        if rule.cannot_be_silenced:
            return True
        selected = 1 if self.select is None else _specificity(rule, self.select)
        return selected > _specificity(rule, self.ignore)

    def severity(self, rule: Rule) -> Severity:
        """Return the severity of a rule's findings, by the most specific name."""
        if rule.cannot_be_silenced:
            return rule.severity
        found = max(
            ((_specificity(rule, (name,)), it) for name, it in self.severities), default=None
        )
        return found[1] if found and found[0] else rule.severity


def selection_for(
    configuration: ParsedConfiguration | None, path: Path | None, options: CheckOptions
) -> Selection:
    """Return the rules that are enabled in a file.

    Args:
        configuration: the configuration for the file's folder.
        path: the file; None for a text without one, to which `per-file-ignores` do not apply.
        options: the options in addition to it.
    """
    if configuration is None:
        return Selection(options.select, options.ignore)
    model = configuration.model
    ignore = [*options.ignore, *model.ignore]
    if path is not None and model.per_file_ignores:
        from suitecase.text.path_pattern import matches

        relative = configuration.relative(path)
        for pattern, names in model.per_file_ignores.items():
            if matches(relative, pattern):
                ignore += names
    select = options.select
    if select is None and model.select is not None:
        select = tuple(model.select)
    severities = tuple((name, Severity(it)) for name, it in model.severity.items())
    return Selection(select, tuple(ignore), severities)


def _specificity(rule: Rule, names: Iterable[str]) -> int:
    """Return the specificity of the most specific matching name; 0 if none matches."""
    return max((_match(rule, name) for name in names), default=0)


@lru_cache(maxsize=16_384)
def _match(rule: Rule, name: str) -> int:
    normalized = name.strip().casefold().replace("_", "-")
    if normalized in (rule.name, rule.code.casefold()):
        return len(rule.code)
    # The prefix of every code is as short as the default.
    starts = normalized.startswith("sc") and rule.code.casefold().startswith(normalized)
    return len(normalized) if starts else 0
