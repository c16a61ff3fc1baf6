"""`suitecase view` in a real Chromium: the list of runs, a run, a comparison, and runs that go on."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from support.editors.viewed_pages import (
    browser,
    is_too_wide,
    needs_driven_browser,
    picture,
    tab,
    viewing,
)
from support.editors.vscode import PATIENCE
from support.report_pages import HOSTILE, record, write_results
from support.running.processes import COMMAND_LINE
from support.running.site import Site

pytestmark = needs_driven_browser

FOLDER = Path(".suitecase", "results")
RUNS = "table.runs tbody tr"
CASES = "table.cases tbody tr.row"
#: A name that leads to this machine, as an attacker's may from one moment to the next.
REBOUND = "rebound.example"
#: Waits for the file that is named after its case, and then answers.
AGENT = """
import pathlib, sys, time
wanted = pathlib.Path(sys.argv[2]) / sys.argv[1]
while not wanted.exists():
    time.sleep(0.02)
print("x")
"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser(f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1") as started:
        yield started


def write_runs(root: Path, numbers: Iterable[int], cases: int) -> None:
    """Write runs of two suites and two targets, each of which is better than the one before."""
    for at in numbers:
        suite, target = ("refunds", "routing")[at % 2], ("small", "large")[at // 2 % 2]
        write_results(
            root / FOLDER / f"{suite}-{at:04}.jsonl",
            *(
                record(
                    f"case-{case:05}",
                    1.0 if case % 7 < 3 + at % 5 else 0.3,
                    suite_path=f"evals/{suite}.eval.yaml",
                    dataset=suite,
                    target=target,
                    reported_model=f"vendor/{target}-model",
                    timestamp=f"2026-01-{1 + at % 28:02}T{at // 28 % 24:02}:00:{case % 60:02}Z",
                    tags=["smoke"] if case % 2 else ["slow"],
                    planned=cases,
                )
                for case in range(cases)
            ),
        )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a workspace with ten runs of ten cases."""
    root = tmp_path_factory.mktemp("shop")
    write_runs(root, range(10), 10)
    with viewing(root) as (_, address):
        yield address


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a workspace with two runs of 10,000 cases."""
    root = tmp_path_factory.mktemp("large")
    write_runs(root, (0, 4), 10_000)
    with viewing(root) as (_, address):
        yield address


def case(page: Any, name: str) -> Any:
    """Return the button that opens a case in the table."""
    return page.locator(f"{CASES} button.open", has_text=re.compile(f"^{name}$"))


def test_runs_are_filtered_and_sorted_and_a_reload_keeps_that(chromium: Any, shop: str) -> None:
    with tab(chromium) as page:
        page.goto(shop)
        rows = page.locator(RUNS)
        assert rows.count() == 10
        page.locator("#suite").select_option("evals/routing.eval.yaml")
        assert rows.count() == 5
        page.get_by_label("Search").fill("large-model")
        page.locator(".shown", has_text=re.compile("^2 of 10 runs$")).wait_for()
        page.get_by_label("Search").fill("")
        page.get_by_role("button", name="with failures").click()
        page.locator(".shown", has_text=re.compile("^[1-4] of 10 runs$")).wait_for()
        page.get_by_role("button", name="Mean").click()
        shown = rows.locator("th a").evaluate_all("them => them.map(it => it.getAttribute('href'))")
        means = [
            float(it)
            for it in rows.locator("td.number").all_inner_texts()
            if re.fullmatch(r"0\.\d\d", it)
        ]
        assert means == sorted(means, reverse=True)
        page.reload()
        assert (
            page.locator(f"{RUNS} th a").evaluate_all(
                "them => them.map(it => it.getAttribute('href'))"
            )
            == shown
        )


def test_a_case_can_be_opened_and_its_address_leads_to_it(chromium: Any, shop: str) -> None:
    with tab(chromium) as page:
        page.goto(shop)
        page.locator(f"{RUNS} th a").first.click()
        case(page, "case-00004").click()
        page.get_by_text("Hello from case-00004").wait_for()
        address = page.url
        picture(page, "view-case")
        page.get_by_role("link", name="All runs").click()
        page.locator(RUNS).first.wait_for()
        page.goto(address)
        page.get_by_text("Hello from case-00004").wait_for()


def test_two_runs_are_compared(chromium: Any, shop: str) -> None:
    with tab(chromium) as page:
        page.goto(shop)
        page.locator("#suite").select_option("evals/refunds.eval.yaml")
        boxes = page.locator(f"{RUNS} input")
        boxes.nth(0).check()
        page.get_by_text("select another run to compare it with").wait_for()
        boxes.nth(1).check()
        picture(page, "view-picked")
        page.get_by_role("link", name="Compare", exact=True).click()
        page.get_by_role("heading", name="Differences", exact=True).wait_for()
        before, after = re.findall(r"refunds-\d+\.jsonl", page.locator("header").inner_text())
        assert before < after
        picture(page, "view-comparison")
        page.get_by_role("link", name="The other way round").click()
        page.locator("header dd", has_text=after).first.wait_for()
        assert re.findall(r"refunds-\d+\.jsonl", page.locator("header").inner_text())[0] == after
        page.get_by_role("link", name="All runs").click()
        page.locator(f"{RUNS} input").first.check()
        page.get_by_role("link", name="Compare with the run before").click()
        page.get_by_role("heading", name="Differences", exact=True).wait_for()


@pytest.mark.parametrize("width", [1280, 420])
@pytest.mark.parametrize("scheme", ["light", "dark", "contrast"])
def test_pages_fit_the_window_in_all_colors(
    chromium: Any, shop: str, scheme: str, width: int
) -> None:
    with tab(chromium, width=width, scheme=scheme) as page:
        page.goto(shop)
        page.locator(RUNS).first.wait_for()
        page.locator(f"{RUNS} input").first.check()
        assert not is_too_wide(page)
        picture(page, f"view-list-{scheme}-{width}")
        link = page.locator(f"{RUNS} th a").first
        assert link.bounding_box()["width"] > 30
        link.click()
        page.locator(".trend").scroll_into_view_if_needed()
        assert not is_too_wide(page)
        picture(page, f"view-run-{scheme}-{width}")


def test_a_run_of_10_000_cases_is_searched_and_opened(chromium: Any, large: str) -> None:
    with tab(chromium) as page:
        # The server reads and compares 20,000 records: on a busy machine that takes longer than any other page.
        page.set_default_timeout(4 * PATIENCE * 1000)
        page.goto(large)
        page.locator(f"{RUNS} th a").first.click()
        page.locator(CASES).first.wait_for()
        page.get_by_label("Search").fill("09999")
        case(page, "case-09999").click()
        page.get_by_text("Hello from case-09999").wait_for()
        page.get_by_role("link", name="Compare with the run before").click()
        page.locator(CASES).first.wait_for()


def test_a_list_of_200_runs_is_whole(chromium: Any, tmp_path: Path) -> None:
    write_runs(tmp_path, range(210), 2)
    with viewing(tmp_path) as (_, address), tab(chromium) as page:
        page.goto(address)
        rows = page.locator(RUNS)
        assert rows.count() == 200
        page.get_by_role("button", name="Show 10 more").click()
        assert rows.count() == 210


def test_the_end_of_the_command_is_noticed(chromium: Any, tmp_path: Path) -> None:
    write_runs(tmp_path, (0,), 2)
    with viewing(tmp_path) as (process, address), tab(chromium, quiet=False) as page:
        page.goto(address)
        process.kill()
        page.get_by_text("`suitecase view` has ended").wait_for()
        assert page.locator(RUNS).count() == 1


@pytest.fixture
def slow(site: Site) -> Site:
    """A suite whose target answers a case once there is a file of its name in `go`."""
    site.program("agent.py", AGENT)
    (site.root / "go").mkdir()
    command = f"{sys.executable} {site.root / 'agent.py'} {{EVAL_ID}} {site.root / 'go'}"
    site.write(
        "targets.yaml", f"targets: [{{name: agent, provider: cli, command_template: '{command}'}}]"
    )
    evaluators = "[{name: e, type: contains, value: x}]"
    site.suite(
        "\n".join(
            f"- {{id: case-{it}, expected_outcome: x, input: x, evaluators: {evaluators}}}"
            for it in range(6)
        ),
        "name: slowly\nexecution: {target: agent}",
        name="slow.eval.yaml",
    )
    return site


def test_a_run_is_followed_while_it_goes_on(chromium: Any, slow: Site) -> None:
    def go(*cases: int) -> None:
        for case in cases:
            (slow.root / "go" / f"case-{case}").touch()

    run = subprocess.Popen(
        [*COMMAND_LINE, "run", "slow.eval.yaml", "--concurrency", "1"],
        cwd=slow.root,
        stdout=subprocess.DEVNULL,
    )
    try:
        with viewing(slow.root) as (_, address), tab(chromium) as page:
            page.goto(address)
            page.get_by_text("No runs yet.").wait_for()
            go(0)
            page.get_by_text("running: 1 of 6").first.wait_for()
            go(1)
            page.get_by_text("running: 2 of 6").first.wait_for()
            picture(page, "view-list-running")
            page.locator(f"{RUNS} th a").click()
            page.get_by_text("Running: 2 of 6 answers so far.").wait_for()
            # A reload would forget this; what somebody has typed stays, too.
            page.evaluate("self.loadedOnce = true")
            page.get_by_role("searchbox").fill("case")
            page.get_by_role("heading", name="Cases").click()
            go(2)
            page.get_by_text("Running: 3 of 6 answers so far.").wait_for()
            case(page, "case-2").wait_for()
            assert page.get_by_role("searchbox").input_value() == "case"
            # Somebody reads a case: nothing moves until they want it to.
            case(page, "case-1").click()
            go(3)
            page.get_by_text("There are newer answers.").wait_for()
            assert case(page, "case-3").count() == 0
            assert page.locator("tr.detail").count() == 1
            picture(page, "view-run-running")
            page.get_by_role("button", name="Show them").click()
            case(page, "case-3").wait_for()
            go(4, 5)
            page.get_by_role("heading", name="Figures").wait_for()
            case(page, "case-5").wait_for()
            assert page.get_by_text("Running:").count() == 0
            assert page.evaluate("self.loadedOnce") is True
            assert run.wait(timeout=60) == 0
    finally:
        run.kill()
        run.wait()


class _Elsewhere(BaseHTTPRequestHandler):
    """A page of another origin that tries to read the page of runs in every way that it has."""

    address = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        page = f"""<!doctype html><title>elsewhere</title>
        <iframe src="{self.address}"></iframe>
        <script>
        self.learned = [];
        const tries = [];
        for (const mode of ["cors", "no-cors"])
          tries.push(fetch("{self.address}runs.json", {{mode}}).then(it => it.text())
            .then(it => learned.push(it), it => learned.push("")));
        Promise.all(tries).then(() => document.title = "tried");
        </script>"""
        self.wfile.write(page.encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in the base
        """Log nothing."""


def test_a_page_of_another_origin_learns_nothing_even_with_the_token(
    chromium: Any, shop: str
) -> None:
    server = HTTPServer(("127.0.0.1", 0), type("Page", (_Elsewhere,), {"address": shop}))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        for host in ("127.0.0.1", "localhost"):
            with tab(chromium, quiet=False) as page:
                answers: list[tuple[str, int]] = []
                page.on("response", lambda it, to=answers: to.append((it.url, it.status)))
                page.goto(f"http://{host}:{server.server_address[1]}/")
                page.wait_for_function("document.title === 'tried'")
                assert page.evaluate("learned") == ["", ""]
                assert {status for url, status in answers if url.startswith(shop)} <= {403}
                (frame,) = page.frames[1:]
                assert "refunds" not in frame.content()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_host_name_that_leads_here_is_refused(chromium: Any, shop: str) -> None:
    with tab(chromium, quiet=False) as page:
        answer = page.goto(shop.replace("127.0.0.1", REBOUND))
        assert answer.status == 403
        assert "refunds" not in page.content()


def test_names_and_answers_of_others_are_shown_as_text(chromium: Any, tmp_path: Path) -> None:
    hostile: dict[str, Any] = {
        "suite_path": HOSTILE,
        "dataset": HOSTILE,
        "target": HOSTILE,
        "reported_model": HOSTILE,
        "candidate_answer": HOSTILE,
    }
    for day in (1, 2):
        at = f"2026-01-{day:02}T00:00:00Z"
        write_results(
            tmp_path / FOLDER / f"{day}.jsonl", record(HOSTILE, timestamp=at, planned=2, **hostile)
        )
    with viewing(tmp_path) as (_, address), tab(chromium) as page:
        page.goto(address)
        page.locator(f"{RUNS} input").first.check()
        assert "onerror=" in page.locator(f"{RUNS} th a").first.inner_text()
        assert "[U+202E]" in page.locator(".compare").inner_text()
        page.locator(f"{RUNS} th a").first.click()
        page.get_by_text("This run was stopped: it has 1 of 2 answers.").wait_for()
        page.locator(f"{CASES} button.open").click()
        assert page.title() != "owned"
        assert page.locator("img").count() == 0
        page.get_by_role("link", name="Compare with the run before").click()
        page.locator(CASES).first.wait_for()
        assert page.title() != "owned"
        assert page.locator("img").count() == 0
