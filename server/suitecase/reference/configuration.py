"""The settings of `suitecase.toml`."""

from __future__ import annotations

from suitecase.format.settings import Configuration, RunSettings, SandboxSettings
from suitecase.reference.models import Wording, sections_of
from suitecase.reference.topic import Topic

_TEXT = """\
Settings are in `suitecase.toml`, or under `[tool.suitecase]` in `pyproject.toml`. For each file, the configuration that is
nearest to it counts: the one in its folder, or in the first folder above it that has one, up to the root of the workspace.

```toml
ignore = ["SC106"]
severity = { "script-missing" = "error" }
exclude = ["archive/**"]
per-file-ignores = { "drafts/*" = ["SC214"] }

[sandbox]
scripts = "isolated"
```

The user's own configuration, `suitecase/suitecase.toml` in the configuration folder of the system (`~/.config` on Linux), has
only the table `[sandbox]`, so that what is found does not depend on who looks. The settings of editors are in
[settings](../editors/settings.md)."""


def configuration_topic() -> Topic:
    """Return the page of the configuration."""
    wording = Wording(
        titles={Configuration: "Settings", RunSettings: "`[run]`", SandboxSettings: "`[sandbox]`"},
        language="toml",
    )
    return Topic(
        name="configuration",
        title="Configuration",
        summary="the settings of `suitecase.toml`",
        text=_TEXT,
        sections=tuple(sections_of(Configuration, wording)),
    )
