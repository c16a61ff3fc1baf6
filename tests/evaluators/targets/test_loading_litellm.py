"""How litellm is loaded: none of it is left for the first call, whose time is that of the model."""

from __future__ import annotations

import json
import subprocess
import sys

from support.servers.openai import OpenAiServer

_LOADED_BY_A_CALL = """
import asyncio, json, sys
from suitecase_evaluators.targets.litellm_library import Library

async def main():
    litellm = await Library().get()
    before = set(sys.modules)
    await litellm.acompletion(
        model="openai/gpt-4o-mini", messages=[{"role": "user", "content": "Hi"}],
        api_base=sys.argv[1], api_key="none",
    )
    print(json.dumps(sorted(set(sys.modules) - before)))

asyncio.run(main())
"""


def test_the_first_call_loads_no_large_part_of_a_library(openai_server: OpenAiServer) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _LOADED_BY_A_CALL, openai_server.url],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = json.loads(ended.stdout.splitlines()[-1])
    assert [it for it in loaded if it.startswith(("openai.", "jiter", "litellm.types.llms."))] == []
    assert len(openai_server.requests) == 1  # loading asks nobody
