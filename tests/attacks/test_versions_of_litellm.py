"""A version of litellm whose responses cannot be held is not asked without a word."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from support.running.site import Ran, Site
from support.servers.hostile import HostileServer, answers, serving
from support.servers.loopback_model import THROUGH_LITELLM

#: Loaded by Python itself: makes litellm ask over connections of its own, whatever it is given.
OTHER_VERSION = """
import importlib.machinery, sys

class Loader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module):
        super().exec_module(module)
        own = module.AsyncHTTPHandler.__init__

        def __init__(self, *given, shared_session=None, **named):
            own(self, *given, **named)

        module.AsyncHTTPHandler.__init__ = __init__

class Finder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != "litellm.llms.custom_httpx.http_handler":
            return None
        spec = super().find_spec(name, path, target)
        spec.loader = Loader(name, spec.origin)
        return spec

sys.meta_path.insert(0, Finder)
"""
CASE = """
- {id: a, input: x, expected_outcome: y, evaluators: [{name: says, type: contains, value: Paris}]}
"""


def ran(site: Site, server: HostileServer, env: dict[str, str], **more: object) -> Ran:
    entry = {
        "name": "there",
        "provider": "litellm",
        "model": "openai/any",
        "api_key": "none",
        "api_base": server.url,
        **more,
    }
    site.suite(CASE)
    site.write("targets.yaml", json.dumps({"targets": [entry]}))
    return site.run("a.eval.yaml", "--target", "there", "--format", "jsonl", env=env)


@pytest.mark.parametrize("how", ["version", "DISABLE_AIOHTTP_TRANSPORT"])
def test_what_cannot_be_held_is_a_problem_of_the_environment(tmp_path: Path, how: str) -> None:
    site = Site(tmp_path)
    if how == "version":
        site.write("python/sitecustomize.py", OTHER_VERSION)
        path = [str(tmp_path / "python"), os.environ.get("PYTHONPATH", "")]
        env = {"PYTHONPATH": os.pathsep.join(filter(None, path))}
    else:
        env = {how: "True"}
    with serving(answers()) as server:
        refused = ran(site, server, env, **THROUGH_LITELLM)
        assert refused.code == 3
        assert server.asked == []
        error = refused.records["a"]["error"]
        assert "does not ask over the connections it is given" in error
        assert "pip install 'litellm>=" in error
        # What needs no litellm is asked as ever.
        assert ran(site, server, env).code == 0
