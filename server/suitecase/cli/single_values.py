"""Commands that refuse an option which is given twice, where only the last value would count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

import click


class SingleValueCommand(click.Command):
    """Refuses a second value of an option that takes one.

    click takes the last one and drops the others without a word.
    """

    #: What to do instead, by the option's parameter name, where there is more to say than to
    #: leave one out.
    instead: ClassVar[Mapping[str, str]] = {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            self._refuse_second_values(ctx, args)
        return super().parse_args(ctx, args)

    def _refuse_second_values(self, ctx: click.Context, args: list[str]) -> None:
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        times = Counter(it for it in given if isinstance(it, click.Option))
        for option, number in times.items():
            if number > 1 and not (option.multiple or option.is_flag or option.count):
                flag = max(option.opts, key=len)
                how_often = "twice" if number == 2 else f"{number} times"
                instead = self.instead.get(option.name or "", "give it once")
                raise click.UsageError(
                    f"{flag} is given {how_often} and takes one value; {instead}", ctx
                )
