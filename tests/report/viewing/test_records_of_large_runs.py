"""Pages of runs with many answers ask the server of `suitecase view` for records, a block at a time."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urljoin

import pytest

from suitecase.cli.view import _page_of_comparison, _page_of_run
from suitecase.report.history import find_past_runs
from suitecase.report.viewing.catalogue import Catalogue
from suitecase.report.viewing.pages import RunPages
from suitecase.report.viewing.server import ViewServer
from support.report_pages import Page, record, write_results

MANY = 1_100


class Viewed:
    """A server over two runs of many cases, of which the later one is not finished."""

    def __init__(self, root: Path) -> None:
        self.paths = [root / "a.jsonl", root / "b.jsonl"]
        for day, path in enumerate(self.paths, 1):
            at = f"2026-01-0{day}T00:00:00Z"
            lines = (record(f"case-{it}", timestamp=at, planned=MANY + 1) for it in range(MANY))
            write_results(path, *lines)
        self.root = root
        pages = RunPages(_page_of_run, _page_of_comparison)
        self.server = ViewServer(Catalogue(find_past_runs(root)), pages, "x")
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self.thread.start()

    def ask(self, path: str) -> tuple[int, str, str]:
        """Return the status, the policy and the text of an answer to an address below the token."""
        connection = HTTPConnection("127.0.0.1", self.server.access.port, timeout=60)
        connection.request("GET", f"/{self.server.access.token}/{path}")
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, response.headers["Content-Security-Policy"], text

    def forget(self) -> None:
        """Let the server look at its folder again at once."""
        self.server.catalogue = Catalogue(find_past_runs(self.root))

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def viewed(tmp_path: Path) -> Iterator[Viewed]:
    found = Viewed(tmp_path)
    yield found
    found.close()


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Viewed]:
    """Runs whose files no test changes."""
    found = Viewed(tmp_path_factory.mktemp("unchanged"))
    yield found
    found.close()


def addresses_of(page: str) -> list[str]:
    found: list[str] = Page(page).json("index")["large"]["addresses"]
    return found


def test_a_page_has_the_addresses_of_its_records_and_not_the_records(unchanged: Viewed) -> None:
    later, earlier = unchanged.server.catalogue.list().runs
    status, policy, page = unchanged.ask(f"run/{later}")
    assert status == 200
    assert "; connect-src 'self';" in policy
    assert "Hello from" not in page
    assert not [
        it for it in Page(page).named("script") if (it.attributes.get("id") or "")[0:1] == "r"
    ]
    (address,) = addresses_of(page)
    assert address.startswith(f"{later}/records/")
    lines = unchanged.paths[1].read_text().splitlines()
    for block, start, end in ((0, 0, 50), (21, 1_050, 1_100)):
        status, policy, text = unchanged.ask(f"run/{address}{block}")
        assert status == 200
        for line, kept in zip(text.split("\n"), lines[start:end], strict=True):
            assert line.startswith(kept.removesuffix("}") + ',"shown_as":{"status":')
        assert policy.startswith("default-src 'none'")
    # A comparison leads to those of both runs.
    _, _, page = unchanged.ask(f"compare/{earlier}/{later}")
    for path, address in zip(unchanged.paths, addresses_of(page), strict=True):
        _, _, text = unchanged.ask(urljoin(f"/compare/{earlier}/{later}", f"{address}1")[1:])
        first = json.loads(text.split("\n")[0])
        del first["shown_as"]
        assert first == json.loads(path.read_text().splitlines()[50])


@pytest.mark.parametrize("block", ["22", "-1", "1.5", "x", "", "9999999999", "%D9%A1"])
def test_there_are_no_other_blocks(unchanged: Viewed, block: str) -> None:
    later, _ = unchanged.server.catalogue.list().runs
    (address,) = addresses_of(unchanged.ask(f"run/{later}")[2])
    status, _, text = unchanged.ask(f"run/{address}{block}")
    assert (status, "Hello" in text) == (404, False)


def test_records_of_a_page_stay_while_the_run_goes_on(viewed: Viewed) -> None:
    later, _ = viewed.server.catalogue.list().runs
    (address,) = addresses_of(viewed.ask(f"run/{later}")[2])
    before = viewed.ask(f"run/{address}3")
    with viewed.paths[1].open("a") as file:
        file.write(json.dumps(record("case-150", 0.0)) + "\n")
    viewed.forget()
    assert viewed.ask(f"run/{address}3") == before
    (newer,) = addresses_of(viewed.ask(f"run/{later}")[2])
    assert newer != address
    text = viewed.ask(f"run/{newer}3")[2]
    assert json.loads(text.split("\n")[0])["eval_id"] == "case-151"


def test_a_page_of_results_that_were_replaced_gets_none_of_the_others(viewed: Viewed) -> None:
    later, _ = viewed.server.catalogue.list().runs
    (address,) = addresses_of(viewed.ask(f"run/{later}")[2])
    write_results(viewed.paths[1], record("another", candidate_answer="x"))
    viewed.forget()
    assert viewed.ask(f"run/{address}3")[0] == 404
    viewed.paths[1].unlink()
    assert viewed.ask(f"run/{address}0")[0] == 404
    viewed.forget()
    assert viewed.ask(f"run/{address}0")[0] == 404


def test_a_server_that_has_forgotten_a_page_reads_its_run_again(viewed: Viewed) -> None:
    later, _ = viewed.server.catalogue.list().runs
    (address,) = addresses_of(viewed.ask(f"run/{later}")[2])
    found = viewed.ask(f"run/{address}7")
    viewed.server.pages.answers._runs.clear()
    assert viewed.ask(f"run/{address}7") == found
    assert found[0] == 200
