// The language client: which documents it sends to the server, and how it sends commands.

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";
import type { ServerProcess } from "./server_process";

/** Suites, what stands beside them, and the prompts of judges; of others the server says nothing. */
const DOCUMENTS = ["suitecase", "yaml", "jsonl", "markdown", "plaintext"].flatMap((language) => [
  { language, scheme: "file" },
  { language, scheme: "untitled" },
]);

/** Data sets and the label files of people, whatever language other extensions take them for. */
const NAMED = "**/*.{jsonl,csv,tsv,json}";

/** What is done with commands before the server sees them, and with its answers. */
export interface Middleware {
  /** Carry out a command of the server; `send` has the server do it, and may name another one. */
  execute(
    client: LanguageClient,
    command: string,
    args: unknown[],
    send: (filled: { command?: string; arguments: unknown[] }) => Promise<unknown>,
  ): Promise<unknown>;
  /** Choose among the inlay hints of a document. */
  hints(uri: vscode.Uri, hints: vscode.InlayHint[]): vscode.InlayHint[];
}

/** A client that tells its channel what fails, and pops nothing up: whoever started it tells people. */
class QuietClient extends LanguageClient {
  override error(text: string, data?: unknown): void {
    super.error(text, data, false);
  }
}

/**
 * Return a client that has not been started.
 *
 * @param process the server that it is to start.
 * @param middleware what stands between the editor and the server.
 * @param closed called when the server ends or closes its output, asked to or not.
 */
export function languageClient(
  process: ServerProcess,
  output: vscode.LogOutputChannel,
  middleware: Middleware,
  closed: () => void,
): LanguageClient {
  const client: LanguageClient = new QuietClient(
    "suitecase", // `suitecase.trace.server` is read by this name
    "Suitecase",
    () => process.start(),
    {
      documentSelector: [...DOCUMENTS, { pattern: NAMED, scheme: "file" }],
      outputChannel: output,
      traceOutputChannel: output,
      initializationOptions: { trusted: vscode.workspace.isTrusted, testExplorer: true },
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      errorHandler: {
        // Also after an error the server is listened to, until it ends.
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          closed();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
      middleware: {
        provideInlayHints: async (document, range, token, next) =>
          middleware.hints(document.uri, (await next(document, range, token)) ?? []),
        executeCommand: (command, args) =>
          middleware.execute(client, command, args, (filled) =>
            client.sendRequest(ExecuteCommandRequest.type, { command, ...filled }),
          ),
      },
    },
  );
  return client;
}
