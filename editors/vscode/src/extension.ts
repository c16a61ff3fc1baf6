// Starts the server, keeps it in step with settings and trust, and says how it does.

import * as vscode from "vscode";
import { type LanguageClient, State as ClientState } from "vscode-languageclient/node";
import { findServer, NoServer, type Server } from "./find_server";
import { installServer } from "./install_server";
import { languageClient } from "./language_client";
import { onOtherInterpreter } from "./python_extension";
import { Status } from "./status";

const INSTALL = "Install the Server";
const SETTINGS = "Open Settings";
const OUTPUT = "Show Output";

class Extension {
  private readonly output = vscode.window.createOutputChannel("Suitecase", { log: true });
  private readonly status = new Status();
  private client: LanguageClient | undefined;
  private server: Server | undefined;
  /** What is being done to the server; the next thing waits for it. */
  private busy: Promise<void> = Promise.resolve();

  constructor(private readonly context: vscode.ExtensionContext) {
    const command = (name: string, action: () => Promise<void> | void): vscode.Disposable =>
      vscode.commands.registerCommand(`suitecase.${name}`, action);
    context.subscriptions.push(
      this.output,
      this.status,
      command("restartServer", () => this.restart()),
      command("showOutput", () => this.output.show()),
      command("installServer", () => this.install()),
      // The server knows of trust from its start.
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart()),
      vscode.workspace.onDidChangeConfiguration(async (it) => {
        if (it.affectsConfiguration("suitecase.server.path")) {
          await this.restart();
        }
      }),
    );
    void onOtherInterpreter(() => void this.restartIfMoved()).then((it) =>
      context.subscriptions.push(it),
    );
  }

  /** Start the server, or another one in place of the one that runs. */
  restart(): Promise<void> {
    this.busy = this.busy.then(async () => {
      await this.stop();
      await this.start();
    });
    return this.busy;
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      this.output.warn(`The server did not stop as it should: ${message(error)}`);
    }
  }

  private async start(): Promise<void> {
    this.status.show({ kind: "starting" });
    await this.running(false);
    try {
      this.server = await findServer(this.context);
    } catch (error) {
      this.server = undefined;
      this.missing(error);
      return;
    }
    this.output.info(`Starting ${this.server.path} lsp, from ${this.server.origin}`);
    const client = languageClient(this.server, this.output);
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      const reason = `Suitecase's server does not start: ${this.server.path} lsp. ${message(error)}`;
      this.client = undefined;
      this.status.show({ kind: "failed", reason });
      this.output.error(reason);
      void this.offer(reason, SETTINGS, OUTPUT);
      return;
    }
    await this.started(client, this.server);
    // The library starts a server that ended again, some times.
    client.onDidChangeState(async (it) => {
      if (client === this.client && it.newState === ClientState.Running) {
        await this.started(client, this.server as Server);
      } else if (client === this.client) {
        const starting = it.newState === ClientState.Starting;
        this.status.show({ kind: starting ? "starting" : "stopped" });
        await this.running(false);
      }
    });
  }

  private async started(client: LanguageClient, server: Server): Promise<void> {
    const version = client.initializeResult?.serverInfo?.version ?? "of an unknown version";
    this.output.info(`The server runs: suitecase ${version}`);
    this.status.show({ kind: "running", version, path: server.path, origin: server.origin });
    await this.running(true);
    void this.compareVersions(version, server);
  }

  /** Say so where the server is not of the version that the extension was made with. */
  private async compareVersions(version: string, server: Server): Promise<void> {
    const expected = String(this.context.extension.packageJSON.version);
    const told = `told of ${version} at ${server.path} beside ${expected}`;
    if (release(version) === release(expected) || this.context.globalState.get(told) === true) {
      return;
    }
    await this.context.globalState.update(told, true);
    const message =
      `Suitecase's server is ${version}, from ${server.origin}, and this extension is made for ` +
      `${expected}: some of what it offers may be missing. `;
    if (server.own) {
      void this.offer(`${message}Install the server again to have both the same.`, INSTALL);
    } else {
      const pip = `pip install "suitecase==${expected}"`;
      void this.offer(`${message}Update one of them; for the server: ${pip}.`, OUTPUT);
    }
  }

  private missing(error: unknown): void {
    const installable = error instanceof NoServer && error.installable;
    const reason = message(error);
    this.status.show({ kind: "missing", reason, installable });
    this.output.error(reason);
    void this.offer(reason, ...(installable ? [INSTALL, SETTINGS] : [SETTINGS]));
  }

  private async install(): Promise<void> {
    try {
      // On Windows the files of a program that runs cannot be replaced.
      await this.stop();
      await installServer(this.context, this.output);
    } catch (error) {
      this.output.error(message(error));
      void this.offer(message(error), OUTPUT);
    }
    await this.restart();
  }

  private async restartIfMoved(): Promise<void> {
    const found = await findServer(this.context).catch(() => undefined);
    if (found?.path !== this.server?.path) {
      await this.restart();
    }
  }

  private async offer(reason: string, ...choices: string[]): Promise<void> {
    const chosen = await vscode.window.showWarningMessage(reason, ...choices);
    if (chosen === INSTALL) {
      await this.install();
    } else if (chosen === SETTINGS) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "suitecase.server.path");
    } else if (chosen === OUTPUT) {
      this.output.show();
    }
  }

  private async running(is: boolean): Promise<void> {
    await vscode.commands.executeCommand("setContext", "suitecase.running", is);
  }
}

let extension: Extension | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  extension = new Extension(context);
  await extension.restart();
}

export async function deactivate(): Promise<void> {
  await extension?.stop();
}

/** The part of a version within which extension and server go together: 0.3 of 0.3.1, 2 of 2.3.1. */
function release(version: string): string {
  const [major, minor] = version.split(".");
  return major === "0" ? `0.${minor}` : String(major);
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
