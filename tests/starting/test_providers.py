"""The providers that `suitecase init` knows are those of litellm."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from suitecase.starting.providers import KEY_VARIABLES, OTHER

_ASK = """\
import json, sys, litellm
names = [getattr(it, "value", it) for it in litellm.provider_list]
keys = {it: litellm.validate_environment(f"{it}/x")["missing_keys"] for it in sys.argv[1:]}
print(json.dumps([names, keys]))
"""


def test_providers_and_the_variables_of_their_keys_are_those_of_litellm() -> None:
    variables = {it for names in KEY_VARIABLES.values() for it in names}
    environ = {name: value for name, value in os.environ.items() if name not in variables}
    done = subprocess.run(
        [sys.executable, "-c", _ASK, *KEY_VARIABLES],
        env={**environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        stdout=subprocess.PIPE,
        check=True,
    )
    names, keys = json.loads(done.stdout)
    assert {*KEY_VARIABLES, *OTHER} - set(names) == set()
    for provider, missing in keys.items():
        # litellm names every variable of which one is enough, and the address of some servers.
        named = KEY_VARIABLES[provider]
        assert not missing or not named or set(named) & set(missing), provider
