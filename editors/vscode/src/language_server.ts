// The server: found, started, restarted where it ends, and kept in step with settings and trust.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { findServer, NoServer, type Server } from "./find_server";
import { hasSuites } from "./has_suites";
import { installForRuns, installServer } from "./install_server";
import { languageClient, type Middleware } from "./language_client";
import { onOtherInterpreter } from "./python_extension";
import { ServerProcess } from "./server_process";
import type { State } from "./status";
import { versionMismatch } from "./versions";

const INSTALL = "Install the Server";
const REINSTALL = "Install Again";
const UPDATE = "Update the Server";
const AGAIN = "Try Again";
const RESTART = "Restart";
const SETTINGS = "Open Settings";
const OUTPUT = "Show Output";

/** A server that ends is started again so many times ... */
const RESTARTS = 4;
/** ... within so many milliseconds. */
const WITHIN = 3 * 60 * 1000;
/** After so many milliseconds without an answer the person is told. */
const SLOW = 30_000;

/** What is built on the server. */
export interface Feature {
  /** A server runs. */
  connected(client: LanguageClient): Promise<void> | void;
  /** It runs no more; nothing is to be asked of it. */
  disconnected(): void;
}

export class LanguageServer implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<State>();
  readonly onDidChangeState = this.changed.event;
  private current: State = { kind: "starting" };
  private client: LanguageClient | undefined;
  private process: ServerProcess | undefined;
  private server: Server | undefined;
  /** What is being done to the server; the next thing waits for it. */
  private busy: Promise<void> = Promise.resolve();
  /** What runs need is being installed. */
  private installing: Promise<void> | undefined;
  /** When servers ended by themselves. */
  private ends: number[] = [];
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly output: vscode.LogOutputChannel,
    private readonly middleware: Middleware,
    private readonly features: readonly Feature[],
  ) {
    this.disposables = [
      this.changed,
      // The server knows of trust from its start.
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.restart()),
      vscode.workspace.onDidChangeConfiguration((it) => {
        if (it.affectsConfiguration("suitecase.server.path")) {
          void this.restart();
        }
      }),
    ];
    void onOtherInterpreter(() => void this.restartIfMoved()).then((it) => this.disposables.push(it));
  }

  get state(): State {
    return this.current;
  }

  /** Resolves when nothing is being done to the server any more. */
  get settled(): Promise<void> {
    return this.busy;
  }

  /** Start the server, or another one in place of the one that runs. */
  restart(): Promise<void> {
    this.ends = [];
    return this.next(async () => {
      await this.end();
      await this.start();
    });
  }

  /** End the server. */
  stop(): Promise<void> {
    return this.next(() => this.end());
  }

  /** Install the server into the environment of this extension, if none was found, and start it. */
  async installIfMissing(): Promise<void> {
    await this.settled;
    const { current: state } = this;
    if (state.kind === "running") {
      void vscode.window.showInformationMessage(
        `The server is installed: suitecase ${state.version}, from ${state.origin}.`,
      );
    } else if ((state.kind === "missing" && !state.installable) || this.server?.own === false) {
      // Another one would not be started: what was set, or found, comes first.
      void this.offer("error", whyNot(state), RESTART, SETTINGS, OUTPUT);
    } else {
      await this.install();
    }
  }

  private async install(): Promise<void> {
    // On Windows the files of a program that runs cannot be replaced.
    await this.stop();
    let isInstalled = true;
    try {
      await installServer(this.context, this.output);
    } catch (error) {
      isInstalled = false;
      this.output.error(message(error));
      void this.offer("error", message(error), AGAIN, OUTPUT);
    }
    // The user has just been told that the server is still missing.
    await this.next(() => this.start(isInstalled));
  }

  dispose(): void {
    this.disposables.forEach((it) => it.dispose());
  }

  private next(action: () => Promise<void>): Promise<void> {
    this.busy = this.busy.then(action, action);
    return this.busy;
  }

  private async end(): Promise<void> {
    const { client, process } = this;
    this.client = undefined;
    this.process = undefined;
    this.features.forEach((it) => it.disconnected());
    try {
      await client?.dispose();
    } catch (error) {
      this.output.warn(`The server did not stop cleanly: ${message(error)}`);
    }
    await process?.end();
  }

  private async start(tellsIfMissing = true): Promise<void> {
    await this.become({ kind: "starting" });
    try {
      this.server = await findServer(this.context);
    } catch (error) {
      this.server = undefined;
      const installable = error instanceof NoServer && error.installable;
      await this.become({ kind: "missing", reason: message(error), installable });
      this.output.error(message(error));
      // In other workspaces the item in the status bar is enough.
      if (tellsIfMissing && (!installable || (await hasSuites()))) {
        void this.offer("warning", message(error), ...(installable ? [INSTALL, SETTINGS] : [SETTINGS]));
      }
      return;
    }
    const { path, origin } = this.server;
    this.output.info(`Starting ${path} lsp, from ${origin}`);
    const process = new ServerProcess(this.server);
    const client = languageClient(
      process,
      this.output,
      this.middleware,
      () => void this.ended(client, process),
      () => this.readyForRuns(),
    );
    this.client = client;
    this.process = process;
    const slow = setTimeout(
      () => void this.offer("warning", `Suitecase's server has not answered for 30 seconds: ${path}`, RESTART, OUTPUT),
      SLOW,
    );
    try {
      await client.start();
    } catch (error) {
      const why = (await process.lastWords()) ?? message(error);
      const choice = this.server?.own === true ? REINSTALL : SETTINGS;
      await this.fail(`Suitecase's server did not start. ${why} The program is ${path}, from ${origin}.`, choice);
      await this.end();
      return;
    } finally {
      clearTimeout(slow);
    }
    const version = client.initializeResult?.serverInfo?.version ?? "of an unknown version";
    this.output.info(`The server runs: suitecase ${version}`);
    for (const it of this.features) {
      // One that fails must not keep the others from what they do.
      void Promise.resolve(it.connected(client)).catch((error) => this.output.error(message(error)));
    }
    // Whoever hears of it may use the features at once.
    await this.become({ kind: "running", version, path, origin });
    void this.compareVersions(version, this.server);
  }

  /** A server ended without having been told to. */
  private async ended(client: LanguageClient, process: ServerProcess): Promise<void> {
    if (client !== this.client || this.current.kind !== "running") {
      return; // it never ran, which is told where it is started
    }
    const now = Date.now();
    this.ends = [...this.ends.filter((it) => now - it < WITHIN), now];
    const again = this.ends.length <= RESTARTS;
    const why = (await process.lastWords()) ?? "It closed its output.";
    const reason = `Suitecase's server stopped unexpectedly. ${why}`;
    await this.next(async () => {
      if (client !== this.client) {
        return;
      }
      await this.end();
      if (again) {
        this.output.error(`${reason} Restarting it.`);
        await this.start();
      } else {
        await this.fail(`${reason} It stopped ${this.ends.length} times in 3 minutes, so it is not restarted.`);
      }
    });
  }

  private async fail(reason: string, ...choices: string[]): Promise<void> {
    await this.become({ kind: "failed", reason });
    this.output.error(reason);
    void this.offer("error", reason, RESTART, OUTPUT, ...choices);
  }

  /** Say so where the server is not of the version that the extension was made with, once. */
  private async compareVersions(version: string, server: Server): Promise<void> {
    const expected = String(this.context.extension.packageJSON.version);
    const mismatch = versionMismatch(version, expected, server);
    const told = `version ${version} of ${server.path} does not go with ${expected}`;
    if (mismatch === undefined || this.context.globalState.get(told) === true) {
      return;
    }
    await this.context.globalState.update(told, true);
    void this.offer("warning", mismatch, server.own ? UPDATE : OUTPUT);
  }

  /** See that the server that this extension installed can run cases; where it cannot, it says what is missing. */
  private readyForRuns(): Promise<void> {
    if (this.server?.own !== true) {
      return Promise.resolve();
    }
    this.installing ??= installForRuns(this.context, this.output)
      .catch((error) => void this.offer("error", message(error), OUTPUT))
      .finally(() => (this.installing = undefined));
    return this.installing;
  }

  private async restartIfMoved(): Promise<void> {
    const found = await findServer(this.context).catch(() => undefined);
    if (found?.path !== this.server?.path) {
      await this.restart();
    }
  }

  private async become(state: State): Promise<void> {
    this.current = state;
    this.changed.fire(state);
    await vscode.commands.executeCommand("setContext", "suitecase.running", state.kind === "running");
    const installable = state.kind === "missing" && state.installable;
    await vscode.commands.executeCommand("setContext", "suitecase.installable", installable);
  }

  private async offer(kind: "warning" | "error", reason: string, ...choices: string[]): Promise<void> {
    const show =
      kind === "error" ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
    const chosen = await show(reason, ...choices);
    if (chosen !== undefined && [INSTALL, REINSTALL, UPDATE, AGAIN].includes(chosen)) {
      await this.install();
    } else if (chosen === RESTART) {
      await this.restart();
    } else if (chosen === SETTINGS) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "suitecase.server.path");
    } else if (chosen === OUTPUT) {
      this.output.show();
    }
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function whyNot(state: State): string {
  return state.kind === "failed" || state.kind === "missing" ? state.reason : "";
}
