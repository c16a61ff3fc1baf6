// What the server refuses, and what the person can do about it.

import * as vscode from "vscode";
import { ErrorCodes, ResponseError } from "vscode-languageclient/node";

/** The errors of requests that a server took with it. */
const ENDED: readonly number[] = [
  ErrorCodes.PendingResponseRejected,
  ErrorCodes.ConnectionInactive,
  ErrorCodes.MessageWriteError,
];
const TRUST = "Manage Workspace Trust";

/** Say why the server did not do what it was asked for; returns what was said. */
export function refusedMessage(error: unknown): string {
  if (error instanceof ResponseError && ENDED.includes(error.code)) {
    return "Suitecase's server stopped before it answered."; // a notification of its own says why
  }
  const said = error instanceof Error ? error.message : String(error);
  const forTrust = !vscode.workspace.isTrusted && said.includes("not trusted");
  // The server's words are for editors that have no place to give trust in.
  const reason = forTrust
    ? "Nothing was run, because this workspace is not trusted: a suite may name programs to start."
    : said;
  void show(reason, forTrust);
  return reason;
}

async function show(reason: string, forTrust: boolean): Promise<void> {
  const choices = forTrust ? [TRUST] : [];
  const chosen = await vscode.window.showErrorMessage(reason, ...choices);
  if (chosen === TRUST) {
    await vscode.commands.executeCommand("workbench.trust.manage");
  }
}
