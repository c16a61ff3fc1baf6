// The server's commands: what the palette and buttons leave out is filled in, and what the editor
// shows by itself is kept here.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { GradedView } from "./graded_view";
import type { Middleware } from "./language_client";
import { refusedMessage } from "./refusals";
import type { ReportView } from "./report_view";
import type { Suites } from "./suites";

/** Commands that are about a document: the one of the active editor, if none is named. */
const ABOUT_A_DOCUMENT = [
  "suitecase.runCase",
  "suitecase.runSelection",
  "suitecase.runSuite",
  "suitecase.runFailed",
  "suitecase.clearResults",
  "suitecase.openLog",
  "suitecase.openReport",
  "suitecase.migrateSuite",
  "suitecase.showAsGraded",
];
/** The source of what is found in a text, as the server names it. */
const FINDINGS = "suitecase";

export function serverCommands(suites: Suites, reports: ReportView, graded: GradedView): Middleware["execute"] {
  return async (client, command, args, send) => {
    try {
      if (command === "suitecase.explainRule" && typeof args[0] !== "string") {
        const rule = ruleAtCursor() ?? (await askedRule());
        return rule === undefined ? undefined : await send({ arguments: [rule] });
      }
      const filled = withDocument(client, suites, command, args);
      const uri = filled.arguments[0];
      if (command === "suitecase.openReport" && typeof uri === "string") {
        return await reports.open(client.protocol2CodeConverter.asUri(uri));
      }
      if (command === "suitecase.showAsGraded" && typeof uri === "string") {
        const id = filled.arguments[1];
        const suite = client.protocol2CodeConverter.asUri(uri);
        return await graded.open(suite, typeof id === "string" && id !== "" ? id : null);
      }
      return await send(filled);
    } catch (error) {
      refusedMessage(error);
      return undefined;
    }
  };
}

/** Name the document of the active editor, and what is selected in it, to a command that needs it. */
function withDocument(
  client: LanguageClient,
  suites: Suites,
  command: string,
  args: unknown[],
): { command?: string; arguments: unknown[] } {
  const editor = vscode.window.activeTextEditor;
  // Lenses and code actions name their document as a text; buttons and the palette do not.
  if (typeof args[0] === "string" || !ABOUT_A_DOCUMENT.includes(command)) {
    return { arguments: args };
  }
  if (editor === undefined) {
    return { arguments: [] };
  }
  const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
  switch (command) {
    case "suitecase.runSelection":
      return { arguments: [uri, client.code2ProtocolConverter.asRange(editor.selection)] };
    case "suitecase.runCase":
      // Left to itself the server takes the place of the last hover for the cursor.
      return {
        command: "suitecase.runSelection",
        arguments: [uri, client.code2ProtocolConverter.asRange(atCursor(editor))],
      };
    case "suitecase.openLog":
    case "suitecase.showAsGraded":
      return { arguments: [uri, suites.caseAt(editor.document.uri, editor.selection.active)?.id ?? null] };
    default:
      return { arguments: [uri] };
  }
}

/** The code of what is found at the cursor of the active editor. */
function ruleAtCursor(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return undefined;
  }
  const found = vscode.languages
    .getDiagnostics(editor.document.uri)
    .find((it) => it.source === FINDINGS && it.range.contains(editor.selection.active));
  return typeof found?.code === "object" ? String(found.code.value) : found?.code?.toString();
}

async function askedRule(): Promise<string | undefined> {
  const said = await vscode.window.showInputBox({
    prompt: "Which rule? Its code or its name",
    placeHolder: "SC201",
  });
  return said?.trim() || undefined;
}

/** The cursor as a range; behind the last character it is taken to be at that. */
function atCursor(editor: vscode.TextEditor): vscode.Range {
  const { document, selection } = editor;
  const end = document.lineAt(document.lineCount - 1).range.end;
  const cursor = selection.active.isEqual(end)
    ? document.positionAt(Math.max(0, document.offsetAt(end) - 1))
    : selection.active;
  return new vscode.Range(cursor, cursor);
}
