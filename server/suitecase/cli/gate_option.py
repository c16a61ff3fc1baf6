"""The option `--gate`, whose values are parsed before anything runs."""

from __future__ import annotations

from typing import Any

import click


class GateText(click.ParamType[str]):
    """A gate, such as `pass_rate >= 90%`; its names are resolved when the suite is read."""

    name = "gate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the gate as written.

        Raises:
            click.BadParameter: it is not a valid gate; the message points at the mistake.
        """
        from suitecase.figures.gates.parsing import GateProblem, parse_gate

        text = str(value)
        parsed = parse_gate(text)
        if isinstance(parsed, GateProblem):
            mark = " " * parsed.start + "^" * max(parsed.end - parsed.start, 1)
            self.fail(f"{parsed.message}\n  {text}\n  {mark}", param, ctx)
        return text
