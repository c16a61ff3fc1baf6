"""The places of targets that several processes share are never exceeded, and nobody waits forever."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from suitecase.run.sharing.messages import Granted, Message, Recalled, Returned, Wanted
from suitecase.run.sharing.places import PlacesOfTarget, SharedPlaces


class Delayed:
    """Delivers messages in their order, after rounds of the event loop whose number varies."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._messages: asyncio.Queue[Message] = asyncio.Queue()
        #: The number of messages so far.
        self.sent = 0

    def put(self, *messages: Message) -> None:
        for it in messages:
            self.sent += 1
            self._messages.put_nowait(it)

    async def next(self) -> Message:
        message = await self._messages.get()
        for _ in range(self._random.randrange(4)):
            await asyncio.sleep(0)
        return message


@asynccontextmanager
async def connected(
    places: int, to_coordinator: list[Delayed], to_graders: list[Delayed]
) -> AsyncIterator[list[SharedPlaces]]:
    """Connect graders with a coordinator that has the places; yields their sides."""
    sides = [SharedPlaces("t", it) for it in to_coordinator]  # type: ignore[arg-type]
    owned = PlacesOfTarget[int]("t", places, lambda it, message: to_graders[it].put(message))

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
                case Recalled(_, at_once):
                    sides[number].recalled(at_once=at_once)
                case _:
                    raise AssertionError

    serving = [
        asyncio.create_task(it(number)) for number in range(len(sides)) for it in (coordinate, hear)
    ]
    async with asyncio.timeout(20):
        yield sides
    for it in serving:
        it.cancel()


@pytest.mark.parametrize("seed", range(40))
async def test_calls_of_all_processes_keep_within_the_places(seed: int) -> None:
    chance = random.Random(seed)
    graders = chance.randrange(2, 5)
    places = chance.randrange(1, 6)
    to_coordinator = [Delayed(seed + it) for it in range(graders)]
    to_graders = [Delayed(seed - it) for it in range(graders)]
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

    async with connected(places, to_coordinator, to_graders) as sides, asyncio.TaskGroup() as group:
        for _ in range(60):
            task = group.create_task(call(chance.choice(sides)))
            if chance.random() < 0.1:
                asyncio.get_running_loop().call_later(0, task.cancel)


@pytest.mark.parametrize("seed", range(10))
async def test_where_calls_wait_in_all_processes_each_keeps_its_share(seed: int) -> None:
    to_coordinator, to_graders = [Delayed(seed), Delayed(seed + 1)], [Delayed(-seed), Delayed(2)]
    under_way = [0, 0]
    #: How many calls of each process were under way, once both had some.
    seen: list[tuple[int, ...]] = []

    async def call(side: SharedPlaces, number: int) -> None:
        await side.acquire()
        under_way[number] += 1
        if all(under_way):
            seen.append(tuple(under_way))
        for _ in range(6):
            await asyncio.sleep(0)
        under_way[number] -= 1
        side.release()

    async with connected(4, to_coordinator, to_graders) as sides, asyncio.TaskGroup() as group:
        for number in (0, 1):
            for _ in range(200):
                group.create_task(call(sides[number], number))
            for _ in range(20):  # the first one has all places, and calls that wait
                await asyncio.sleep(0)
    middle = seen[len(seen) // 4 : len(seen) // 2]
    assert {it for it in middle if sum(it) == 4} == {(2, 2)}
    # Besides one for each call that begins to wait, which asks for a place.
    assert sum(it.sent for it in (*to_coordinator, *to_graders)) < 2 * (400 + 60)
