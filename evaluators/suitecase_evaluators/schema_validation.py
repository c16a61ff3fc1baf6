"""Checks JSON Schemas, and values against them, without ever reaching for the network.

As a program (`python -m suitecase_evaluators.schema_validation`) it validates what stands on stdin:
validation that may take forever is run so, and stopped from outside.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

from suitecase_evaluators.json_values import parse_json, show_json

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from referencing import Registry, Resource
    from referencing._core import Resolver

#: Of the errors of one value this many are kept.
ERRORS_KEPT = 100
#: Characters of an error's message that are kept; messages quote the value, which may be long.
MESSAGE_LIMIT = 300

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """Why a schema cannot validate anything, and where in the schema."""

    message: str
    path: Path = ()


@dataclass(frozen=True, slots=True)
class ValueError_:
    """placeholder"""
