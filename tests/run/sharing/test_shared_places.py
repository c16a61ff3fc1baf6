"""The places of targets that several processes share are never exceeded, and nobody waits forever."""

from __future__ import annotations

import asyncio
import random

import pytest

from suitecase.run.sharing.messages import Granted, Message, Recalled, Returned, Wanted
from suitecase.run.sharing.places import PlacesOfTarget, SharedPlaces


class Delayed:
    """Delivers messages in their order, after rounds of the event loop whose number varies."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._messages: asyncio.Queue[Message] = asyncio.Queue()

    def put(self, *messages: Message) -> None:
        for it in messages:
            self._messages.put_nowait(it)

    async def next(self) -> Message:
        message = await self._messages.get()
        for _ in range(self._random.randrange(4)):
            await asyncio.sleep(0)
        return message


@pytest.mark.parametrize("seed", range(40))
async def test_calls_of_all_processes_keep_within_the_places(seed: int) -> None:
    chance = random.Random(seed)
    graders = chance.randrange(2, 5)
    places = chance.randrange(1, 6)
    to_coordinator = [Delayed(seed + it) for it in range(graders)]
    to_graders = [Delayed(seed - it) for it in range(graders)]
    sides = [SharedPlaces("t", it) for it in to_coordinator]  # type: ignore[arg-type]
    owned = PlacesOfTarget[int]("t", places, lambda it, message: to_graders[it].put(message))
    under_way = 0

    async def call(side: SharedPlaces) -> None:
        nonlocal under_way
        await side.acquire()
        under_way += 1
        assert under_way <= places
        try:
            for _ in range(chance.randrange(5)):
                await asyncio.sleep(0)
        finally:
            under_way -= 1
            side.release()

    async def coordinate(number: int) -> None:
        while True:
            match await to_coordinator[number].next():
                case Wanted(_, wanted):
                    owned.want(number, wanted)
                case Returned():
                    owned.give_back(number)
                case _:
                    raise AssertionError

    async def hear(number: int) -> None:
        while True:
            match await to_graders[number].next():
                case Granted():
                    sides[number].granted()
                case Recalled():
                    sides[number].recalled()
                case _:
                    raise AssertionError

    serving = [
        asyncio.create_task(it(number)) for number in range(graders) for it in (coordinate, hear)
    ]
    async with asyncio.timeout(20):
        async with asyncio.TaskGroup() as group:
            for _ in range(60):
                task = group.create_task(call(chance.choice(sides)))
                if chance.random() < 0.1:
                    asyncio.get_running_loop().call_later(0, task.cancel)
    for it in serving:
        it.cancel()
