"""All of the server that has to do with running cases, and how it hangs together."""

from __future__ import annotations

from functools import partial

from lsprotocol import types

from suitecase.lsp import command_names as names
from suitecase.lsp import test_controller as explorer
from suitecase.lsp.as_graded import AS_GRADED
from suitecase.lsp.commands import Commands
from suitecase.lsp.cursors import Cursors
from suitecase.lsp.previous_results import PreviousResults
from suitecase.lsp.publishing import Publisher
from suitecase.lsp.runs import Runs
from suitecase.lsp.session import Session
from suitecase.lsp.shown_results import ShownResults
from suitecase.lsp.staleness import StalenessChecker
from suitecase.lsp.text_sync import TextSync


class RunFeatures:
    """The commands on runs, the requests on tests, and what keeps results up to date."""

    def __init__(self, session: Session, publisher: Publisher, sync: TextSync) -> None:
        self.cursors = Cursors()
        self._session = session
        self._sync = sync
        shown = ShownResults(session, publisher)
        self._previous = PreviousResults(session, shown, StalenessChecker(session, shown))
        runs = Runs(session, shown, explorer.TestStatePublisher(session))
        commands = Commands(session, runs, self.cursors, self._previous)
        tests = explorer.TestController(session, runs, self._previous)
        for name, command in (
            (names.RUN_CASE, commands.run_case),
            (names.RUN_SELECTION, commands.run_selection),
            (names.RUN_SUITE, commands.run_suite),
            (names.RUN_FAILED, commands.run_failed),
            (names.CANCEL_RUN, commands.cancel_run),
            (names.RESTART_WORKER, commands.restart_worker),
            (names.CLEAR_RESULTS, commands.clear_results),
            (names.OPEN_LOG, commands.open_log),
            (names.OPEN_REPORT, commands.open_report),
            (names.MIGRATE_SUITE, commands.migrate),
            (names.EXPLAIN_RULE, commands.explain_rule),
            (names.SHOW_AS_GRADED, commands.show_as_graded),
            (names.DISCOVER_TESTS, tests.discover_by_command),
            (names.RUN_TESTS, tests.run_by_command),
        ):
            session.command(name)(partial(command))
        for method, answer in (
            (AS_GRADED, commands.as_graded),
            (explorer.LIST_SUITES, tests.list_suites),
            (explorer.DISCOVER, tests.discover),
            (explorer.RUN, tests.run),
            (explorer.CANCEL, tests.cancel),
            (explorer.REPORT, tests.report),
        ):
            session.feature(method)(partial(answer))

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Take a document in, and read its results."""
        self._sync.did_open(params)
        self._previous.opened(params)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Check again, and compare results with what they depend on."""
        self._sync.did_change(params)
        document = self._session.documents.find(params.text_document.uri)
        if document is not None:
            self._previous.changed(document)

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Let a document go: what lies on the disk counts from now on."""
        document = self._session.documents.find(params.text_document.uri)
        self._sync.did_close(params)
        if document is not None:
            self._previous.changed(document)

    def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """Check again, and compare results with what was saved."""
        self._sync.did_save(params)
        self._previous.saved(params)

    def files_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Check again, unless it is only results that were written."""
        if not self._previous.files_changed(params):
            self._sync.files_changed(params)
