// Places as the server says them, in the editor's words.

import * as vscode from "vscode";
import type { Range } from "vscode-languageserver-protocol";

export function asRange({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
