// The language client: which documents it sends to the server, and how it sends commands.

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";
import { RunTests } from "./protocol";
import type { ServerProcess } from "./server_process";

/** Suites, what stands beside them, and the prompts of judges; of others the server says nothing. */
const DOCUMENTS = ["suitecase", "yaml", "jsonl", "markdown", "plaintext"].flatMap((language) => [
  { language, scheme: "file" },
  { language, scheme: "untitled" },
]);

/** Data sets and the label files of people, whatever language other extensions take them for. */
const NAMED = "**/*.{jsonl,csv,tsv,json}";

/** Requests for which cases are run. */
const RUNS = new Set(["suitecase.runCase", "suitecase.runSelection", "suitecase.runSuite", "suitecase.runFailed"]);

/** What is done with commands before the server sees them, and with its answers. */
export interface Middleware {
  /** Carry out a command of the server; `send` has the server do it, and may name another one. */
  execute(
    client: LanguageClient,
    command: string,
    args: unknown[],
    send: (filled: { command?: string; arguments: unknown[] }) => Promise<unknown>,
  ): Promise<unknown>;
  /** The inlay hints of a document, which `ask` asks the server for. */
  hints(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
    ask: () => vscode.ProviderResult<vscode.InlayHint[]>,
  ): Promise<vscode.InlayHint[]>;
  /** Show a document that the server wrote, in another way than as a text; whether that was done. */
  show(uri: vscode.Uri): Promise<boolean>;
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
 * @param beforeRuns what is done before the server is asked to run cases.
 */
export function languageClient(
  process: ServerProcess,
  output: vscode.LogOutputChannel,
  middleware: Middleware,
  closed: () => void,
  beforeRuns: () => Promise<void>,
): LanguageClient {
  const client: LanguageClient = new QuietClient(
    "suitecase", // `suitecase.trace.server` is read by this name
    "Suitecase",
    () => process.start(),
    {
      documentSelector: [...DOCUMENTS, { pattern: NAMED, scheme: "file" }],
      outputChannel: output,
      traceOutputChannel: output,
      initializationOptions: {
        ...firstSettings(),
        trusted: vscode.workspace.isTrusted,
        testExplorer: true,
      },
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
        sendRequest: async (type, param, token, next) => {
          if (runsCases(typeof type === "string" ? type : type.method, param)) {
            await beforeRuns();
          }
          return next(type, param, token);
        },
        provideInlayHints: (document, range, token, next) =>
          middleware.hints(document, token, () => next(document, range, token)),
        window: {
          showDocument: async (params, token, next) => {
            const uri = client.protocol2CodeConverter.asUri(params.uri);
            return params.external !== true && (await middleware.show(uri))
              ? { success: true }
              : next(params, token);
          },
        },
        executeCommand: (command, args) =>
          middleware.execute(client, command, args, (filled) =>
            client.sendRequest(ExecuteCommandRequest.type, { command, ...filled }),
          ),
      },
    },
  );
  return client;
}

function runsCases(method: string, params: unknown): boolean {
  const { command } = (params ?? {}) as { command?: string };
  return method === RunTests.method || (method === ExecuteCommandRequest.method && RUNS.has(command ?? ""));
}

/** The settings that answers depend on from the first one on; the server asks for them only later. */
function firstSettings(): Record<string, unknown> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const settings = vscode.workspace.getConfiguration("suitecase", folder);
  return Object.fromEntries(
    ["inlayHints", "codeLens", "diagnostics", "run"].map((it) => [it, settings.get(it)]),
  );
}
