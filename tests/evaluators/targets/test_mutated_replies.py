"""Replies with random damage: no failure becomes an answer, and nothing but a reply or an error comes of any.

Tries a few with the same damage each time; `make mutated-replies` tries as many as `SUITECASE_MUTATIONS`
says, of each way to a model.
"""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

from suitecase_evaluators.answers.reply_meaning import ReplyMeaning
from suitecase_evaluators.targets.reply_body import ReplyBody, body_of
from suitecase_evaluators.targets.target import Reply
from support.servers.openai import Answer, OpenAiServer
from support.servers.provider_replies import FORMS, REPLIES
from support.servers.provider_ways import asked, read_as, ways_to

MUTATIONS = int(os.environ.get("SUITECASE_MUTATIONS", "0"))
#: How many are tried on each way by default: litellm takes its time.
_BY_DEFAULT = {"direct": 80, "http": 80, "litellm": 25}
#: What says that a call failed; without it, a reply is another.
_SAYS_SO = frozenset(
    {
        "finish_reason", "finishReason", "stopReason", "stop_reason", "done_reason", "error", "object", "type", "code",
        "provider_specific_fields", "status",
    }
)  # fmt: skip
#: What replaces a value: nothing that an answer may be.
_JUNK: tuple[Any, ...] = (
    None, [], {}, "", " \n", 0, -1, True, False, 1e308, 2**70, [[]], [None], [{}], {"x": None}, [0], {"type": "text"},
    [{"type": "text", "text": ""}], [{"type": "image_url", "image_url": {"url": "x"}}],
)  # fmt: skip


def _places(value: Any, *, keep: frozenset[str]) -> Iterator[tuple[Any, Any]]:
    """Yield each place in a value, as what it is in and its key there."""
    entries = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in list(entries):
        if key not in keep:
            yield value, key
            yield from _places(inner, keep=keep)


def mutated(body: Any, chance: random.Random, *, keep: frozenset[str] = frozenset()) -> bytes:
    """Return a body with random damage.

    Args:
        keep: keys whose values stay.
    """
    damaged = copy.deepcopy(body)
    for _ in range(chance.randint(1, 4)):
        places = list(_places(damaged, keep=keep))
        if not places:
            break
        inside, key = chance.choice(places)
        match chance.randrange(4):
            case 0:
                del inside[key]
            case 1:
                inside[key] = copy.deepcopy(chance.choice(_JUNK))
            case 2:
                inside[key] = [inside[key]]
            case _ if isinstance(inside, dict):
                inside[chance.choice(["x", "usage", "id", "model", "role", "index"])] = (
                    copy.deepcopy(chance.choice(_JUNK))
                )
            case _:
                inside.append(copy.deepcopy(chance.choice(_JUNK)))
    written = json.dumps(damaged).encode()
    return written[: chance.randrange(len(written))] if chance.random() < 0.03 else written


_ALL = [(provider, form) for provider, forms in REPLIES.items() for form in forms]
_FAILED = [
    (provider, form)
    for provider, forms in REPLIES.items()
    for form in forms
    if FORMS[form] is ReplyMeaning.FAILED
]


@pytest.mark.parametrize("provider", REPLIES)
def test_whatever_stands_at_a_place_is_read_or_left(provider: str) -> None:
    for form, reply in REPLIES[provider].items():
        body = copy.deepcopy(reply)
        for inside, key in list(_places(body, keep=frozenset())):
            kept = inside[key]
            for junk in (*_JUNK, [kept], {"text": kept}):
                inside[key] = junk
                read = body_of(body)
                assert read is None or isinstance(read, ReplyBody), (form, key, junk)
            inside[key] = kept


@pytest.mark.parametrize("way", _BY_DEFAULT)
async def test_no_failure_becomes_an_answer(openai_server: OpenAiServer, way: str) -> None:
    chance = random.Random(f"failures {way}")
    targets = {provider: ways_to(provider, openai_server.url) for provider in REPLIES}
    taken: list[tuple[str, str, bytes, Reply]] = []
    for number in range(MUTATIONS or _BY_DEFAULT[way]):
        provider, form = (
            _FAILED[number % len(_FAILED)] if number < len(_FAILED) else chance.choice(_FAILED)
        )
        target = targets[provider].get(way)
        if target is None:
            continue
        body = mutated(REPLIES[provider][form], chance, keep=_SAYS_SO)
        openai_server.default = Answer(body=body)
        reply = await asked(target)
        if isinstance(reply, Reply) and read_as(reply) is not ReplyMeaning.FAILED:
            taken.append((provider, form, body, reply))
    for ways in targets.values():
        for target in ways.values():
            await target.close()
    assert taken == []


@pytest.mark.parametrize("way", _BY_DEFAULT)
async def test_whatever_comes_is_a_reply_or_an_error(openai_server: OpenAiServer, way: str) -> None:
    chance = random.Random(f"anything {way}")
    targets = {provider: ways_to(provider, openai_server.url) for provider in REPLIES}
    for _ in range(MUTATIONS or _BY_DEFAULT[way]):
        provider, form = chance.choice(_ALL)
        target = targets[provider].get(way)
        if target is None:
            continue
        openai_server.default = Answer(body=mutated(REPLIES[provider][form], chance))
        reply = await asked(target)  # anything but a TargetError is raised
        if read_as(reply) is ReplyMeaning.ANSWERED:
            assert isinstance(reply, Reply)
            # What is in no form of a model's interface may be an application's, whose answer may be empty.
            assert way == "http" or not reply.is_empty
    for ways in targets.values():
        for target in ways.values():
            await target.close()
