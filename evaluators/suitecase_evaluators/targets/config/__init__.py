"""The targets file as pydantic models: cheap to import, checked without the environment.

The models of providers are in the other modules, which are imported when a target has the provider.
"""

from suitecase_evaluators.targets.config.file import (
    PROVIDERS,
    TargetEntry,
    TargetsFile,
    read_target,
)
from suitecase_evaluators.targets.config.placeholder import (
    Flag,
    Number,
    WholeNumber,
    as_flag,
    as_int,
    as_number,
)
from suitecase_evaluators.targets.config.target import RetryConfig, TargetConfig

__all__ = [
    "PROVIDERS",
    "Flag",
    "Number",
    "RetryConfig",
    "TargetConfig",
    "TargetEntry",
    "TargetsFile",
    "WholeNumber",
    "as_flag",
    "as_int",
    "as_number",
    "read_target",
]
