// The client of the server: which documents it is told of, and how its commands are sent.

import * as vscode from "vscode";
import {
  type ExecuteCommandParams,
  ExecuteCommandRequest,
  LanguageClient,
  RevealOutputChannelOn,
  TransportKind,
} from "vscode-languageclient/node";
import type { Server } from "./find_server";

/** Commands of the server that are about a document: the one of the active editor, if none is named. */
const ABOUT_A_DOCUMENT = [
  "suitecase.runCase",
  "suitecase.runSelection",
  "suitecase.runSuite",
  "suitecase.runFailed",
  "suitecase.clearResults",
];

/** Suites, what stands beside them, and the prompts of judges; of others the server says nothing. */
const DOCUMENTS = ["suitecase", "yaml", "jsonl", "markdown", "plaintext"].flatMap((language) => [
  { language, scheme: "file" },
  { language, scheme: "untitled" },
]);

/** Return a client that has not been started. */
export function languageClient(server: Server, output: vscode.LogOutputChannel): LanguageClient {
  const client: LanguageClient = new LanguageClient(
    "suitecase", // `suitecase.trace.server` is read by this name
    "Suitecase",
    { command: server.path, args: ["lsp"], transport: TransportKind.stdio },
    {
      documentSelector: [...DOCUMENTS, { pattern: "**/*.jsonl", scheme: "file" }],
      outputChannel: output,
      traceOutputChannel: output,
      initializationOptions: { trusted: vscode.workspace.isTrusted },
      // Whoever started it is told once; the library would pop up each step of a failure.
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      middleware: {
        executeCommand: async (command, args) => {
          try {
            return await client.sendRequest(
              ExecuteCommandRequest.type,
              withDocument(client, command, args),
            );
          } catch (error) {
            void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
            return undefined;
          }
        },
      },
    },
  );
  return client;
}

/** Name the document of the active editor, and what is selected in it, to a command that needs it. */
function withDocument(
  client: LanguageClient,
  command: string,
  args: unknown[],
): ExecuteCommandParams {
  const editor = vscode.window.activeTextEditor;
  // Lenses and code actions name their document as a text; buttons and the palette do not.
  if (typeof args[0] === "string" || !ABOUT_A_DOCUMENT.includes(command)) {
    return { command, arguments: args };
  }
  if (editor === undefined) {
    return { command, arguments: [] };
  }
  const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
  if (command === "suitecase.runSelection") {
    return { command, arguments: [uri, client.code2ProtocolConverter.asRange(editor.selection)] };
  }
  if (command === "suitecase.runCase") {
    // Left to itself the server takes the place of the last hover for the cursor.
    const range = client.code2ProtocolConverter.asRange(atCursor(editor));
    return { command: "suitecase.runSelection", arguments: [uri, range] };
  }
  return { command, arguments: [uri] };
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
