"""The option `--gate`, whose texts are parsed before anything is run."""

from __future__ import annotations

from typing import Any

import click

from suitecase.suite.gates.parsing import GateProblem, parse_gate


class GateText(click.ParamType[str]):
    """A gate, such as `pass_rate >= 90%`; the names in it are looked up when the suite is read."""

    name = "gate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text as it is given.

        Raises:
            click.BadParameter: it is no gate; points at the mistake.
        """
        text = str(value)
        parsed = parse_gate(text)
        if isinstance(parsed, GateProblem):
            mark = " " * parsed.start + "^" * max(parsed.end - parsed.start, 1)
            self.fail(f"{parsed.message}\n  {text}\n  {mark}", param, ctx)
        return text
