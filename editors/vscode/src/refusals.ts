// What the server refuses, and what the person can do about it.

import * as vscode from "vscode";

const TRUST = "Manage Workspace Trust";

/** Say why the server did not do what it was asked for. */
export function refusedMessage(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  void show(reason);
  return reason;
}

async function show(reason: string): Promise<void> {
  const choices = vscode.workspace.isTrusted ? [] : [TRUST];
  const chosen = await vscode.window.showErrorMessage(reason, ...choices);
  if (chosen === TRUST) {
    await vscode.commands.executeCommand("workbench.trust.manage");
  }
}
