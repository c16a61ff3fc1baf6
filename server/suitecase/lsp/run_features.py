"""The server's features for running cases, and how they are wired."""

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
from suitecase.lsp.test_states import TestStatePublisher
from suitecase.lsp.text_sync import TextSync


class RunFeatures:
    """The commands for runs, the requests for tests, and the updates of results."""

    def __init__(self, session: Session, publisher: Publisher, sync: TextSync) -> None:
        self.cursors = Cursors(
            lambda it: session.documents.find(it) is not None, publisher.cursor_moved
        )
        self._session = session
        self._sync = sync
        self._shown = results_publisher = ShownResults(session, publisher)
        self._previous = PreviousResults(
            session, results_publisher, StalenessChecker(session, results_publisher)
        )
        runs = Runs(session, results_publisher, TestStatePublisher(session))
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
            (names.SHOW_PROBLEM, commands.show_problem),
            (names.OPEN_REPORT, commands.open_report),
            (names.MIGRATE_SUITE, commands.migrate),
            (names.EXPLAIN_RULE, commands.explain_rule),
            (names.SHOW_AS_GRADED, commands.show_as_graded),
            (names.CREATE_SUITE, commands.create_suite),
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
        """Open a document, and read its results."""
        self._sync.did_open(params)
        self._previous.opened(params)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Check again, and compare results with their inputs."""
        self._sync.did_change(params)
        document = self._session.documents.find(params.text_document.uri)
        if document is not None:
            self._previous.changed(document)

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Close a document: from now on, the file on disk counts."""
        document = self._session.documents.find(params.text_document.uri)
        self._sync.did_close(params)
        if document is not None:
            self._previous.changed(document)
            self._previous.closed(document)
            self._shown.closed(document)
            self.cursors.forget(document.uri)
            self._previous.forget(document)

    def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """Check again, and compare results with the saved text."""
        self._sync.did_save(params)
        self._previous.saved(params)

    def files_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Check again, unless only results were written."""
        if not self._previous.files_changed(params):
            self._sync.files_changed(params)
