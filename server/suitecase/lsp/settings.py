"""The editor's settings, as a model: their only definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from suitecase.editor.inlay_hints import HintKinds
from suitecase_evaluators.schema.validation_words import in_words

#: The section of an editor's settings for Suitecase.
SECTION = "suitecase"
Scope = Literal["openFilesOnly", "workspace"]


class _Settings(BaseModel):
    # Editors keep settings of their own in the same section: unknown ones are ignored.
    model_config = ConfigDict(
        alias_generator=to_camel, extra="ignore", frozen=True, strict=True, populate_by_name=True
    )


class InlayHintsSettings(_Settings):
    """Which kinds of inlay hints are shown."""

    defaults: bool = Field(default=True, description="`required`, for items that do not set it.")
    weights: bool = Field(default=True, description="The share that results from a weight.")
    judges: bool = Field(default=True, description="The target that will judge.")
    targets: bool = Field(
        default=True, description="The target that answers, if a case inherits it."
    )
    verdicts: bool = Field(default=True, description="The last result of a case.")
    gates: bool = Field(
        default=True,
        description="What a gate came to in the last run of the suite: the figure with its "
        "interval, and whether the gate holds.",
    )
    rows: bool = Field(
        default=True,
        description="In suites of other tools, how many rows the tests make: one for each provider, "
        "prompt and listed variable.",
    )
    inherited: bool = Field(
        default=True,
        description="In suites of other tools, what a test takes over from the default of all tests.",
    )

    @property
    def kinds(self) -> HintKinds:
        """The same settings in the type used by the hints."""
        return HintKinds(**self.model_dump())


class DiagnosticsSettings(_Settings):
    """Where and when findings are shown."""

    scope: Scope | None = Field(
        default=None,
        description="Which files to show findings for: `openFilesOnly`, or `workspace` for all "
        "that belong to suites. Default: `workspace` if the editor pulls diagnostics of the "
        "workspace, else `openFilesOnly`.",
    )
    pause: float = Field(
        default=0.8,
        ge=0,
        le=3600,
        description="The pause in typing, in seconds, after which findings caused by half-written "
        "text are shown, such as half a key or a value that is still missing. Saving, or "
        "editing elsewhere, shows them at once. With 0 they are never delayed.",
    )
    limit: int = Field(
        default=1000,
        ge=0,
        description="How many findings and results are shown in a file at most: errors first, then "
        "those nearest the cursor. One more says how many are left out; `suitecase check` prints "
        "all. With 0 there is no limit.",
    )
    misses: Literal["hint", "information", "off"] = Field(
        default="hint",
        description="How to show what a case missed that passed all the same: `hint`, which editors "
        "show in the text but not among problems, `information`, or `off`. The hover has it in any "
        "case.",
    )


class RunSettings(_Settings):
    """How cases are run from the editor."""

    target: str | None = Field(
        default=None,
        min_length=1,
        description="The target to use instead of the ones that suites name, as with "
        "`suitecase run --target`.",
    )


class Settings(_Settings):
    """The settings of an editor for a folder."""

    inlay_hints: InlayHintsSettings = Field(
        default_factory=InlayHintsSettings,
        description="Which hints are shown; true or false applies to all kinds.",
    )
    code_lens: bool = Field(
        default=True,
        description="Whether to show lenses to run suites and cases. Code actions offer the same.",
    )
    diagnostics: DiagnosticsSettings = Field(
        default_factory=DiagnosticsSettings, description="Where and when findings are shown."
    )
    run: RunSettings = Field(
        default_factory=RunSettings, description="How cases are run from the editor."
    )
    trusted: bool = Field(
        default=True,
        description="Whether cases may be run, which may start programs that a workspace names. "
        "If it is false when the server starts, only the editor itself can change it, "
        "with the request `suitecase/trust`: a workspace cannot declare itself trusted.",
    )

    @field_validator("inlay_hints", mode="before")
    @classmethod
    def _all_hints(cls, value: Any) -> Any:
        """Apply true or false to all kinds."""
        names = InlayHintsSettings.model_fields
        return dict.fromkeys(names, value) if isinstance(value, bool) else value

    @staticmethod
    def with_trust(settings: Any, *, trusted: bool) -> dict[str, Any]:
        """Return the client's settings with another value of `trusted`."""
        inner = settings.get(SECTION, settings) if isinstance(settings, Mapping) else None
        return {**(inner if isinstance(inner, Mapping) else {}), "trusted": trusted}

    @classmethod
    def of(cls, *sources: Any) -> tuple[Settings, list[str]]:
        """Parse settings as clients send them, such as `{"codeLens": false}`.

        Args:
            sources: settings in order of increasing precedence. Each may be nested under
                `suitecase`; null is empty.

        Returns:
            the settings, without invalid ones, and messages about those for the user. An invalid
            `trusted` is false.
        """
        merged: dict[str, Any] = {}
        problems: list[str] = []
        for source in sources:
            inner = source.get(SECTION, source) if isinstance(source, Mapping) else source
            if isinstance(inner, Mapping):
                merged = _merged(merged, inner)
            elif inner is not None:
                problems.append(f"the settings must be a mapping; got {_quoted(inner)}")
        problems += _misspelt(merged, cls)
        while True:
            try:
                return cls.model_validate(merged), problems
            except ValidationError as error:
                for issue in error.errors(include_url=False):
                    place = _place(merged, issue["loc"])
                    message = in_words(issue["type"], issue["msg"], issue.get("ctx", {}))
                    problems.append(
                        _problem(".".join(place), issue["type"], message, issue["input"])
                    )
                    merged = _without(merged, place)
                    if "trusted" in place:
                        merged = cls.with_trust(merged, trusted=False)


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two mappings; null means unset, as editors send it."""
    merged = dict(under)
    for name, value in over.items():
        before = merged.get(name)
        if isinstance(value, Mapping):
            merged[name] = _merged(before if isinstance(before, Mapping) else {}, value)
        elif value is not None:
            merged[name] = value
    return merged


def _misspelt(settings: Mapping[str, Any], model: type[BaseModel], at: str = "") -> Iterator[str]:
    """Yield messages about names similar to those of settings; other names belong to other tools."""
    known = {it.alias or name: it for name, it in model.model_fields.items()}
    for name, value in settings.items():
        field = known.get(name)
        if field is None:
            similar = [
                close_match
                for close_match in get_close_matches(name, known, 1, 0.8)
                if close_match not in settings
            ]
            if similar:
                yield f"unknown setting `{at}{name}`; did you mean `{at}{similar[0]}`?"
        elif isinstance(value, Mapping) and (inner := _group(field)) is not None:
            yield from _misspelt(value, inner, f"{at}{name}.")


def _group(field: FieldInfo) -> type[BaseModel] | None:
    """Return the model of a setting that is a group of settings."""
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def each_setting(
    model: type[BaseModel] = Settings, at: str = ""
) -> Iterator[tuple[str, FieldInfo]]:
    """Yield the settings by their full names, such as `run.target`."""
    for name, field in model.model_fields.items():
        whole = f"{at}{field.alias or name}"
        inner = _group(field)
        if inner is None:
            yield whole, field
        else:
            yield from each_setting(inner, f"{whole}.")


def _place(settings: Mapping[str, Any], path: tuple[int | str, ...]) -> list[str]:
    """Return the part of a path that exists in the settings."""
    place: list[str] = []
    value: Any = settings
    for key in path:
        if not isinstance(value, Mapping) or key not in value:
            break
        place.append(str(key))
        value = value[key]
    return place


def _without(settings: Mapping[str, Any], place: list[str]) -> dict[str, Any]:
    name, *rest = place
    remaining = {it: value for it, value in settings.items() if it != name or rest}
    if rest and isinstance(settings.get(name), Mapping):
        remaining[name] = _without(settings[name], rest)
    return remaining


def _problem(name: str, kind: str, message: str, value: Any) -> str:
    if kind == "bool_type":
        expected = "must be true or false"
    elif name.endswith("diagnostics.limit"):
        expected = "must be a whole number, or 0 for no limit"
    elif kind in ("float_type", "finite_number", "greater_than_equal", "less_than_equal"):
        expected = "must be a number of seconds, from 0 to 3600"
    elif kind in ("string_type", "string_too_short"):
        expected = "must be a string"
    elif kind in ("literal_error", "value_error"):
        expected = message
    else:
        expected = "must be a mapping"
    return f"`{name}` {expected}; got {_quoted(value)}"


def _quoted(value: Any) -> str:
    import json

    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = type(value).__name__
    return f"`{text[:60]}…`" if len(text) > 60 else f"`{text}`"
