"""A model that answers the customers of the first suite's shoe shop, and grades answers as good."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_ANSWERS = {
    "parcel": "I am sorry that your parcel came late. We refund the full price within 5 working days.",
    "open on Monday": "9:00",
    "gift card": "Yes, at the till and online.",
}
_UNKNOWN = "I do not know that, sorry."


def helpful(body: Mapping[str, Any]) -> str:
    """Return what the model says, or as a judge the reply that its schema asks for."""
    question = str(body["messages"][-1]["content"])
    if "response_format" not in body:
        return next((text for word, text in _ANSWERS.items() if word in question), _UNKNOWN)
    schema = body["response_format"]["json_schema"]["schema"]["properties"]
    if "checks" not in schema:
        reply: dict[str, Any] = {"reasoning": "It admits that it does not know.", "score": 1.0}
        return json.dumps({**reply, "hits": ["does not make anything up"], "misses": []})
    checks = {
        name: {
            "reasoning": "The answer says so.",
            **({"satisfied": True} if "satisfied" in item["properties"] else {"score": 8}),
        }
        for name, item in schema["checks"]["properties"].items()
    }
    return json.dumps({"checks": checks, "overall_reasoning": "It is kind and complete."})
