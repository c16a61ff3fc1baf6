"""A suite of 4 KB whose check would take longer than anybody lives: SC404 cannot hold the answer against it."""

from __future__ import annotations

import json

#: The rule that the time is lost in: a warning.
ENDLESS_RULE = "SC404"
_DEPTH = 40
_PARTS = {
    f"d{it}": {"allOf": [{"$ref": f"#/$defs/d{it + 1}"}, {"$ref": f"#/$defs/d{it + 1}"}]}
    for it in range(_DEPTH)
}
_SCHEMA = {
    "$ref": "#/$defs/d0",
    "$defs": {**_PARTS, f"d{_DEPTH}": {"properties": {"a": {}}}},
    # What is evaluated is worked out for each of the two to the power of forty ways.
    "unevaluatedProperties": False,
}
ENDLESS = f"""\
evaluation_mode: schema
evalcases:
  - id: endless
    input: Hi
    expected_outcome: An object
    expected_output: {{"a": 1}}
    evaluation_schema: {json.dumps(_SCHEMA)}
  - id: endless
    input: Hi
    expected_outcome: An object
"""
