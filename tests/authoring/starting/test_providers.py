"""The providers that `suitecase init` knows are those of litellm."""

from __future__ import annotations

import pytest

from suitecase.format.starting.providers import KEY_VARIABLES, OTHER
from suitecase_evaluators.targets.litellm_library import load


def test_providers_and_the_variables_of_their_keys_are_those_of_litellm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    litellm = load()
    for names in KEY_VARIABLES.values():
        for name in names:
            monkeypatch.delenv(name, raising=False)
    known = {getattr(provider, "value", provider) for provider in litellm.provider_list}
    assert {*KEY_VARIABLES, *OTHER} - known == set()
    for provider, named in KEY_VARIABLES.items():
        missing = litellm.validate_environment(f"{provider}/x")["missing_keys"]
        # litellm names every variable of which one is enough, and the address of some servers.
        assert not missing or not named or set(named) & set(missing), provider
