"""A version of litellm whose responses cannot be held is not asked without a word."""

from __future__ import annotations

import json
from pathlib import Path

from support.running.site import Site
from support.servers.hostile import answers, serving
from support.servers.loopback_model import THROUGH_LITELLM

#: Loaded by Python itself: takes the method out of its class as soon as it is loaded.
OTHER_VERSION = """
import importlib.machinery, sys

class Loader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module):
        super().exec_module(module)
        del module.LiteLLMAiohttpTransport.handle_async_request

class Finder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != "litellm.llms.custom_httpx.aiohttp_transport":
            return None
        spec = super().find_spec(name, path, target)
        spec.loader = Loader(name, spec.origin)
        return spec

sys.meta_path.insert(0, Finder)
"""
CASE = """
- {id: a, input: x, expected_outcome: y, evaluators: [{name: says, type: contains, value: Paris}]}
"""


def test_what_cannot_be_held_is_a_problem_of_the_environment(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.write("python/sitecustomize.py", OTHER_VERSION)
    site.suite(CASE)
    with serving(answers()) as server:
        entry = {
            "name": "there",
            "provider": "litellm",
            "model": "openai/any",
            "api_key": "none",
            "api_base": server.url,
            **THROUGH_LITELLM,
        }
        site.write("targets.yaml", json.dumps({"targets": [entry]}))
        ran = site.run(
            *("a.eval.yaml", "--target", "there", "--format", "jsonl"),
            env={"PYTHONPATH": str(tmp_path / "python")},
        )
        assert ran.code == 3
        assert server.asked == []
    error = ran.records["a"]["error"]
    assert "has no `LiteLLMAiohttpTransport.handle_async_request`" in error
    assert "pip install 'litellm" in error
