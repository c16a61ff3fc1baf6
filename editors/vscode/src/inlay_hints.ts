// Inlay hints beside the messages of tests.

import type * as vscode from "vscode";
import type { Suites } from "./suites";

/**
 * Leave out the hints of lines at whose end the editor writes a message of the last run: it would
 * be written over them.
 */
export function withoutCovered(
  hints: readonly vscode.InlayHint[],
  suites: Suites,
  uri: vscode.Uri,
): vscode.InlayHint[] {
  const covered = new Set(
    (suites.get(uri)?.cases ?? []).flatMap((it) =>
      (it.result?.messages ?? []).map((message) => message.range?.start.line),
    ),
  );
  return hints.filter((it) => !covered.has(it.position.line));
}
