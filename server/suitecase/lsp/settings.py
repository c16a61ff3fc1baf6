"""What a person has set in the editor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from suitecase.ide.inlay_hints import HintKinds


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a session.

    Attributes:
        inlay_hints: which kinds of inlay hints are shown.
    """

    inlay_hints: HintKinds = field(default_factory=HintKinds)

    @classmethod
    def of(cls, options: Any) -> Settings:
        """Read settings as a client sends them, such as `{"inlayHints": {"weights": false}}`.

        `"inlayHints": false` switches all of them off. What is not there, or is no truth value,
        is as if nothing had been said.
        """
        hints = options.get("inlayHints") if isinstance(options, Mapping) else None
        if isinstance(hints, bool):
            hints = {it.name: hints for it in fields(HintKinds)}
        said = hints if isinstance(hints, Mapping) else {}
        names = [it.name for it in fields(HintKinds) if isinstance(said.get(it.name), bool)]
        return cls(inlay_hints=HintKinds(**{name: said[name] for name in names}))
