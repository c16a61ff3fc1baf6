"""Which workers of a Dask cluster can grade; the others are refused by name."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

import pytest

import suitecase
from suitecase.run.cluster import connection
from suitecase.run.cluster.connection import (
    Connection,
    Machine,
    RefusedMachine,
    Requirements,
)
from suitecase.run.cluster.errors import ClusterError
from suitecase_evaluators.answers.sandbox_level import Level
from support.system.dask_cluster import DaskCluster


async def looked_at(
    address: str, needed: Requirements | None = None
) -> list[Machine | RefusedMachine]:
    opened = await Connection.open(address)
    try:
        return await opened.machines(needed or Requirements())
    finally:
        await opened.close()


async def test_workers_with_the_same_versions_can_grade(dask_cluster: DaskCluster) -> None:
    found = await looked_at(dask_cluster.address)

    assert [type(it) for it in found] == [Machine, Machine]
    assert all(it.facts["levels"] == {} for it in found if isinstance(it, Machine))


async def test_a_worker_without_a_variable_is_refused_by_name(dask_cluster: DaskCluster) -> None:
    needed = Requirements(variables={"SUITECASE_TEST_KEY": "bot"})

    (first, *_) = await looked_at(dask_cluster.address, needed)

    assert isinstance(first, RefusedMachine)
    assert re.fullmatch(
        r"the worker `worker-[01]` \(tcp://127\.0\.0\.1:\d+\) is not used: its environment has no "
        r"SUITECASE_TEST_KEY \(needed by the target `bot`\)",
        first.message,
    )


async def test_a_worker_that_cannot_isolate_programs_is_refused_if_that_is_required(
    own_dask_cluster: DaskCluster, tmp_path: Path
) -> None:
    own_dask_cluster.add(env={"PATH": str(tmp_path)})  # without bubblewrap
    needed = Requirements(levels=("isolated",), least=Level.ISOLATED)

    (found,) = await looked_at(own_dask_cluster.address, needed)

    assert isinstance(found, RefusedMachine)
    assert "the sandbox level `isolated` is required, and programs would run with" in found.message


async def test_an_address_where_nobody_listens_is_named() -> None:
    with pytest.raises(ClusterError, match=r"no scheduler of Dask answers at tcp://127.0.0.1:9 "):
        await Connection.open("tcp://127.0.0.1:9")


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
async def test_an_address_where_something_else_listens_is_named(
    monkeypatch: pytest.MonkeyPatch, says: bytes
) -> None:
    monkeypatch.setattr(connection, "GREETING_SECONDS", 1.5)

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(says)
        await reader.read()
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as server:
        address = "tcp://{}:{}".format(*server.sockets[0].getsockname())
        with pytest.raises(ClusterError, match=f"{address} (within 1.5 s|cannot be used)"):
            async with asyncio.timeout(30):
                await Connection.open(address)


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("tls://127.0.0.1:9", "for `tls://`, Dask needs certificates"),
        ("nowhere", "an address has a port, as in `tcp://nowhere:8786`"),
        ("http://127.0.0.1:9", "it begins with `http://`"),
    ],
)
async def test_an_address_that_cannot_be_used_is_explained(address: str, why: str) -> None:
    with pytest.raises(ClusterError, match=f"the cluster {address} cannot be used: ") as caught:
        await Connection.open(address)

    assert why in caught.value.message


async def test_an_address_that_is_empty_is_explained() -> None:
    with pytest.raises(ClusterError, match="it needs one such as `tcp://HOST:8786`"):
        await Connection.open("")


async def test_workers_of_another_version_are_refused_by_name(
    own_dask_cluster: DaskCluster, tmp_path: Path
) -> None:
    # One with an older suitecase, one whose suitecase is so old that it knows nothing of clusters.
    installed = Path(suitecase.__file__).parent
    for name, version in (("older", "0.0.9"), ("oldest", "0.0.1")):
        copied = tmp_path / name / "suitecase"
        shutil.copytree(installed, copied)
        init = copied / "__init__.py"
        init.write_text(init.read_text().replace(f'"{suitecase.__version__}"', f'"{version}"'))
        if name == "oldest":
            shutil.rmtree(copied / "run" / "cluster")
            metadata = tmp_path / name / f"suitecase-{version}.dist-info" / "METADATA"
            metadata.parent.mkdir()
            metadata.write_text(f"Metadata-Version: 2.1\nName: suitecase\nVersion: {version}\n")
        own_dask_cluster.add(env={"PYTHONPATH": str(tmp_path / name)})

    refused = await looked_at(own_dask_cluster.address)

    assert sorted(re.sub(r":\d+\)", ")", it.message) for it in refused) == [  # type: ignore[union-attr]
        f"the worker `worker-{number}` (tcp://127.0.0.1) is not used: it has suitecase {version}, "
        f"and this machine has suitecase {suitecase.__version__}"
        for number, version in enumerate(("0.0.9", "0.0.1"))
    ]
