"""A target that is a program which writes down each question, so that a test can count them."""

from __future__ import annotations

import json
import sys
from collections import Counter

from support.running.site import Site

_AGENT = """
import json, pathlib, sys
case, log, prompt = sys.argv[1], pathlib.Path(sys.argv[2]), sys.stdin.read()
with log.open("a") as asked:
    asked.write(json.dumps([case, prompt]) + "\\n")
control = json.loads(log.with_name("control.json").read_text())
if case in control.get("fail", []):
    sys.exit("out of order")
print(json.dumps({"text": prompt, "cost_usd": control.get("cost_usd")}))
"""


class CountedAgent:
    """Repeats what it is asked, unless it is told to fail; `execution: {target: agent}`."""

    def __init__(self, site: Site, **more: object) -> None:
        self._site = site
        self._log = site.root / "asked.jsonl-log"
        site.write("agent.py", _AGENT)
        command = f"{sys.executable} {site.root / 'agent.py'} {{EVAL_ID}} {self._log}"
        targets = [{"name": "agent", "provider": "cli", "command_template": command, **more}]
        site.write("targets.yaml", json.dumps({"targets": targets}))
        self.behave()

    def behave(self, *, fail: tuple[str, ...] = (), cost_usd: float | None = None) -> None:
        """Say which cases it fails at from now on, and what it says each answer cost."""
        self._site.write("control.json", json.dumps({"fail": fail, "cost_usd": cost_usd}))

    def asked(self) -> Counter[str]:
        """Return how often each case was asked since the last time this was called."""
        if not self._log.exists():
            return Counter()
        lines = self._log.read_text().splitlines()
        self._log.unlink()
        return Counter(json.loads(line)[0] for line in lines)
