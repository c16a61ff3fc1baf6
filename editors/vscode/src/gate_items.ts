// Gates among the tests of a suite. A gate is decided by a run of all cases.

import type * as vscode from "vscode";

/** No id of a case begins so. The editor itself uses U+0000. */
const GATE = "\u0001gate ";

/** The id of the test that stands for a gate. */
export function gateId(label: string): string {
  return `${GATE}${label}`;
}

/** Whether a test stands for a gate, not for a case. */
export function isGate(item: vscode.TestItem): boolean {
  return item.id.startsWith(GATE);
}
