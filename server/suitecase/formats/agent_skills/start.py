"""The first evals of an Agent Skill."""

from __future__ import annotations

import json
import re

from suitecase.format.starting.starter_file import StarterFile
from suitecase.format.starting.target import StarterTarget

_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
_SKILL = """\
---
name: {name}
description: Answers the customers of a shoe shop. Use it for questions about parcels, refunds and opening hours.
---

# Answers to customers

- The shop is open from 9:00 to 18:00, Monday to Saturday.
- If a parcel comes late, say sorry; the full price is refunded within 5 working days.
"""


def start_files(target: StarterTarget, folder_name: str) -> tuple[StarterFile, ...]:
    """Return a skill and its evals; the agent that reads them answers, whatever the target."""
    name = _NOT_IN_NAMES.sub("-", folder_name.lower()).strip("-") or "support"
    evals = {
        "skill_name": name,
        "evals": [
            {
                "id": 1,
                "prompt": "When do you open on Monday?",
                "expected_output": "Says that the shop opens at 9:00",
                "files": [],
                "expectations": ["Names 9:00 as the time"],
            },
            {
                "id": 2,
                "prompt": "My parcel came two weeks late. I want my money back.",
                "expected_output": "Apologises, and says how the refund works",
                "files": [],
                "expectations": [
                    "Says sorry that the parcel came late",
                    "Says that the full price is refunded within 5 working days",
                ],
            },
        ],
    }
    return (
        StarterFile("evals/evals.json", json.dumps(evals, indent=2) + "\n"),
        StarterFile("SKILL.md", _SKILL.format(name=name)),
    )
