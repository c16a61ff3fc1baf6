"""The keys of targets: those that all have, and those of each provider."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import get_args

from suitecase.format.target_places import PLACES
from suitecase.reference.models import Wording, keys_below, keys_of, sections_of
from suitecase.reference.older_names import in_targets
from suitecase.reference.topic import Section, Topic
from suitecase.schema.fields import role_of
from suitecase_evaluators.targets.config.cli import PLACEHOLDERS
from suitecase_evaluators.targets.config.file import TargetsFile, models
from suitecase_evaluators.targets.config.llm import LlmConfig
from suitecase_evaluators.targets.config.target import TargetConfig

_NAMES = ", ".join(f"`{place}`" for place in PLACES)
#: The titles of the sections of keys that several providers have.
_TARGETS, _MODELS = "Every target", "Every model"
_TEXT = f"""\
A target is what answers: a model, a program, or a file of earlier answers. Judges are targets, too. Targets are listed in a
targets file, the first of {_NAMES} that is found in the suite's folder or in one above it, up to the root of the workspace.

```yaml
targets:
  - name: support-bot
    provider: openai
    model: gpt-4.1-mini
    api_key: ${{{{ OPENAI_API_KEY }}}}
    judge_target: judge
  - name: judge
    provider: anthropic
    model: claude-sonnet-4-5
    api_key: ${{{{ ANTHROPIC_API_KEY }}}}
```

A suite names its target with `execution.target`; `suitecase run --target NAME` takes another one.

`${{{{ NAME }}}}` stands for the environment variable `NAME`, in any text, and as the whole value of a number or of `true` and
`false`. A variable that is not set, or is empty, ends the run before the first call, with its name."""


def targets_topic() -> Topic:
    """Return the page of targets."""
    return Topic(
        name="targets",
        title="Targets",
        summary="the targets file: what every target has, and each provider",
        text=_TEXT,
        sections=(*_shared(), *(provider_section(model) for model in models())),
    )


def _shared() -> Iterator[Section]:
    whole = Wording(
        titles={TargetsFile: "The targets file"},
        texts={TargetsFile: "What is at the top of the file."},
    )
    yield from sections_of(TargetsFile, whole)
    yield Section(
        title=_TARGETS,
        text="These keys can be set for each target, whatever its provider is.",
        keys=tuple(keys_of(TargetConfig, older=in_targets(""))),
        place="targets[]",
    )
    yield Section(
        title=_MODELS,
        text="These keys can be set for each target that is a model: "
        + ", ".join(f"`{_names(model)[0]}`" for model in models() if issubclass(model, LlmConfig))
        + ".",
        keys=tuple(keys_of(LlmConfig, without=TargetConfig.model_fields.keys())),
        place="targets[]",
    )
    nested = Wording(left_out=(TargetConfig, LlmConfig))
    for section in sections_of(LlmConfig, nested):
        yield replace(section, place=f"targets[].{section.place}")


def provider_section(model: type[TargetConfig]) -> Section:
    """Return the section of a provider, with the keys that only its targets have."""
    names = _names(model)
    shared = LlmConfig if issubclass(model, LlmConfig) else TargetConfig
    other_names = f" The provider may also be written {_listed(names[1:])}." if names[1:] else ""
    parts = [(inspect.getdoc(model) or "") + other_names]
    also = (_MODELS, _TARGETS) if shared is LlmConfig else (_TARGETS,)
    parts.append(f"It also has the keys of {' and of '.join(it.lower() for it in also)}.")
    parts += [
        _placeholders(name, PLACEHOLDERS[role])
        for name, info in model.model_fields.items()
        if (role := role_of(info)) is not None and role in PLACEHOLDERS
    ]
    without = {*shared.model_fields} - {"provider"}
    keys = [*keys_of(model, without=without, older=in_targets(names[0]))]
    keys += [it for it in keys_below(model) if it.name.startswith("healthcheck")]
    return Section(
        title=f"`{names[0]}`", text="\n\n".join(parts), keys=tuple(keys), names=names, also=also
    )


def _names(model: type[TargetConfig]) -> tuple[str, ...]:
    return tuple(str(argument) for argument in get_args(model.model_fields["provider"].annotation))


def _listed(names: tuple[str, ...]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _placeholders(key: str, meanings: Mapping[str, str]) -> str:
    rows = "\n".join(f"- `{{{name}}}`: {meaning}" for name, meaning in meanings.items())
    return f"What `{key}` may contain:\n\n{rows}"
