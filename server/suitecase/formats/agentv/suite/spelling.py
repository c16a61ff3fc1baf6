"""How AgentV spells the keys of promptfoo: with underscores."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from suitecase.formats.promptfoo.suite.models.assertion import Assertion
from suitecase.formats.promptfoo.suite.models.configuration import ConfigurationHead
from suitecase.formats.promptfoo.suite.models.run_options import EvaluateOptions
from suitecase.formats.promptfoo.suite.models.test import TestCase, TestOptions

_CAPITAL = re.compile("[A-Z]")
_MODELS = (ConfigurationHead, EvaluateOptions, TestCase, TestOptions, Assertion)


def _snake(name: str) -> str:
    return _CAPITAL.sub(lambda it: f"_{it[0].lower()}", name)


#: The spelling of each key that differs, by promptfoo's.
SPELLINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        name: _snake(name)
        for model in _MODELS
        for name in model.model_fields
        if _CAPITAL.search(name)
    }
)
