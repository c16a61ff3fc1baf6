"""Suitecase: a checker, a language server and a runner for LLM evaluation suites in YAML.

`check` and `run_suite` are for Python programs; what they need is loaded when one is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from suitecase.api import (
        Analysis,
        Decision,
        Edit,
        Finding,
        Fix,
        Place,
        Related,
        ResultRecord,
        Rule,
        RunFailedError,
        RunRefusedError,
        RunResult,
        Severity,
        UnreadableFileError,
        check,
        run_suite,
    )

__all__ = [
    "Analysis",
    "Decision",
    "Edit",
    "Finding",
    "Fix",
    "Place",
    "Related",
    "ResultRecord",
    "Rule",
    "RunFailedError",
    "RunRefusedError",
    "RunResult",
    "Severity",
    "UnreadableFileError",
    "__version__",
    "check",
    "run_suite",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from suitecase import api

    return getattr(api, name)
