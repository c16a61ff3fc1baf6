"""Pages that take long to make are kept for those who come back to them, as long as they are current."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from suitecase.report.history import find_past_runs
from suitecase.report.viewing.catalogue import Catalogue
from suitecase.report.viewing.pages import RunPages
from suitecase.report.viewing.server import PageCache, ViewServer
from support.report_pages import record, write_results


class Pages:
    """Counts the pages that are made."""

    def __init__(self) -> None:
        self.made = 0

    def page(self, *_: Any) -> Any:
        self.made += 1
        yield b"begin"
        yield b"end"


def read(server: ViewServer, name: str) -> bytes:
    return b"".join(server.answer(f"/{server.access.token}/run/{name}", "").pieces)


def served(root: Path, *, slow: float) -> tuple[ViewServer, Pages, str]:
    write_results(root / "a.jsonl", record("one", planned=1))
    pages = Pages()
    catalogue = Catalogue(find_past_runs(root))
    server = ViewServer(catalogue, RunPages(pages.page, pages.page), "x")
    server.cache = PageCache(slow=slow)
    server.server_close()
    return server, pages, next(iter(catalogue.list().runs))


def test_a_slow_page_is_made_once(tmp_path: Path) -> None:
    server, pages, name = served(tmp_path, slow=0)
    assert read(server, name) == read(server, name) == b"beginend"
    assert pages.made == 1


def test_a_fast_page_is_made_each_time(tmp_path: Path) -> None:
    server, pages, name = served(tmp_path, slow=60)
    assert read(server, name) == read(server, name)
    assert pages.made == 2


def test_a_page_of_results_that_have_changed_is_made_again(tmp_path: Path) -> None:
    server, pages, name = served(tmp_path, slow=0)
    read(server, name)
    write_results(tmp_path / "a.jsonl", record("one", planned=2), record("two", planned=2))
    server.catalogue = Catalogue(find_past_runs(tmp_path))
    read(server, name)
    assert pages.made == 2


def test_a_page_that_was_not_read_to_its_end_is_not_kept(tmp_path: Path) -> None:
    server, pages, name = served(tmp_path, slow=0)
    next(server.cache.kept("key", pages.page()))
    assert server.cache.find("key") is None
    assert name
