"""Providers that people have published: each becomes a target, or is refused with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.promptfoo.running.providers.settings import RunSettings
from suitecase.formats.promptfoo.running.targets import Refused, target_of
from suitecase.formats.promptfoo.suite.providers.prefixes import PREFIXES
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry, provider_entries
from suitecase.text.compose import compose
from suitecase.text.node import Mapping

CORPUS = Path(__file__).parents[4] / "shared/corpus/promptfoo"
MODES = [f"{name}:{mode}:m" for name, it in PREFIXES.items() for mode in it.modes]


def published() -> Iterator[tuple[ProviderEntry, Folder]]:
    for path in sorted(CORPUS.rglob("*.y*ml")):
        folder = Folder(Workspace(path.parent), path.parent)
        root = compose(path.read_text("utf-8")).root
        if isinstance(root, Mapping):
            for entry in provider_entries(root.get("providers") or root.get("targets"), folder):
                yield entry, folder


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the suites are not on this machine")
def test_each_published_provider_is_a_target_or_refused_with_a_reason() -> None:
    targets = refused = 0
    for entry, folder in published():
        found = target_of(entry, "ours", RunSettings(folder, {}))
        if isinstance(found, Refused):
            refused += 1
            assert found.message
        else:
            targets += 1
            assert found.name == "ours"
    assert targets > 3 * refused


def test_each_id_that_promptfoo_knows_is_a_target_or_refused(tmp_path: Path) -> None:
    folder = Folder(Workspace(tmp_path), tmp_path)
    settings = RunSettings(folder, {"AZURE_API_HOST": "x.openai.azure.com"})
    words = ("suitecase run", "names no", "needs")
    for identity in (*PREFIXES, *(f"{prefix}:m" for prefix in PREFIXES), *MODES):
        root = compose(f"providers: ['{identity}']").root
        assert isinstance(root, Mapping)
        (entry,) = provider_entries(root.get("providers"), folder)
        found = target_of(entry, "ours", settings)
        if isinstance(found, Refused):
            said = identity, found.message
            assert any(word in found.message for word in words), said
