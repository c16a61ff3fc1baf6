// The server's commands: what the palette and buttons leave out is filled in, and what the editor
// shows by itself is kept here.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { FrontDocument } from "./front_document";
import type { GradedView } from "./graded_view";
import type { Middleware } from "./language_client";
import { refusedMessage } from "./refusals";
import type { ReportView } from "./report_view";
import type { Suites } from "./suites";
import { SIGNS, worded } from "./verdicts";

/** Commands that are about a document: the one in front, if none is named. */
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

export function serverCommands(
  suites: Suites,
  front: FrontDocument,
  reports: ReportView,
  graded: GradedView,
): Middleware["execute"] {
  return async (client, command, args, send) => {
    try {
      if (command === "suitecase.explainRule" && typeof args[0] !== "string") {
        const rule = ruleAtCursor() ?? (await askedRule());
        return rule === undefined ? undefined : await send({ arguments: [rule] });
      }
      const filled = withDocument(client, suites, front, command, args);
      if (command === "suitecase.openLog" && filled !== undefined && typeof filled.arguments[1] !== "string") {
        const uri = client.protocol2CodeConverter.asUri(String(filled.arguments[0]));
        filled.arguments[1] = await askedCase(suites, uri);
        if (filled.arguments[1] === undefined) {
          return undefined;
        }
      }
      if (filled === undefined) {
        return undefined;
      }
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

/** Name the document in front, and what is selected in it, to a command that needs it; undefined if there is none. */
function withDocument(
  client: LanguageClient,
  suites: Suites,
  front: FrontDocument,
  command: string,
  args: unknown[],
): { command?: string; arguments: unknown[] } | undefined {
  // Lenses and code actions name their document as a text; buttons and the palette do not.
  if (typeof args[0] === "string" || !ABOUT_A_DOCUMENT.includes(command)) {
    return { arguments: args };
  }
  const { editor } = front;
  if (editor === undefined) {
    return undefined;
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

/** The id of a case that has a result, which the person chooses. */
async function askedCase(suites: Suites, uri: vscode.Uri): Promise<string | undefined> {
  const cases = (suites.get(uri)?.cases ?? []).flatMap(({ id, result }) =>
    result === null ? [] : [{ label: `${SIGNS[result.verdict]} ${id}`, description: worded(result), id }],
  );
  if (cases.length === 0) {
    void vscode.window.showInformationMessage("There are no results yet. Run a case first.");
    return undefined;
  }
  return (await vscode.window.showQuickPick(cases, { placeHolder: "The result of which case?" }))?.id;
}

async function askedRule(): Promise<string | undefined> {
  const said = await vscode.window.showInputBox({
    prompt: "Code or name of the rule",
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
