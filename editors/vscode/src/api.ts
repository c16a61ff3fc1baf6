// What other extensions can use; README.md describes it.

import * as vscode from "vscode";
import type { LanguageServer } from "./language_server";
import type { Result } from "./protocol";
import type { State } from "./status";
import type { Suites } from "./suites";
import type { CaseFinished } from "./test_runs";
import type { TestingView } from "./testing_view";

/** What `extensions.getExtension("suitecase.suitecase").activate()` gives. */
export interface Api {
  /** How the server does. */
  readonly server: State;
  readonly onDidChangeServer: vscode.Event<State>;
  /** The items of the Testing view: folders and suites by their address, cases by their id. */
  readonly tests: vscode.TestItemCollection;
  /** The item of a suite in the Testing view; its cases are its children. */
  test(suite: vscode.Uri): vscode.TestItem | undefined;
  /** The cases of a suite, or their results, are others, or it is gone. */
  readonly onDidChangeSuite: vscode.Event<vscode.Uri>;
  /** The last result of a case; undefined where it has none, or is not known. */
  result(suite: vscode.Uri, id: string): Result | undefined;
  /** A case came out of a run, whoever began that. */
  readonly onDidFinishCase: vscode.Event<CaseFinished>;
}

export function api(server: LanguageServer, suites: Suites, view: TestingView): Api {
  return {
    get server() {
      return server.state;
    },
    onDidChangeServer: server.onDidChangeState,
    tests: view.controller.items,
    test: (suite) => view.tree.get(suite),
    onDidChangeSuite: suites.onDidChange,
    result: (suite, id) => suites.get(suite)?.cases.find((it) => it.id === id)?.result ?? undefined,
    onDidFinishCase: view.runs.onDidFinishCase,
  };
}
