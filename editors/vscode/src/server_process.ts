// The process of the server: how it is started, and what it said last where it ended.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { outsideOf } from "./containment";
import { type Server, workspaceFolders } from "./find_server";

/** So much of what a server wrote last is kept, in characters. */
const LAST_WORDS = 2000;
/** For so long a server that closed its output, or was told to end, is awaited; in milliseconds. */
const GRACE = 2000;

export class ServerProcess {
  private process: ChildProcessWithoutNullStreams | undefined;
  private said = "";
  private ended: Promise<string> | undefined;

  constructor(private readonly server: Server) {}

  /**
   * Start it.
   *
   * @throws Error where it cannot be started.
   */
  async start(): Promise<ChildProcessWithoutNullStreams> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const started = spawn(this.server.path, ["lsp"], {
      ...(folder?.scheme === "file" ? { cwd: folder.fsPath } : {}),
      ...(vscode.workspace.isTrusted ? {} : { env: environmentOutside(workspaceFolders()) }),
      windowsHide: true,
    });
    this.process = started;
    started.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.said = (this.said + text).slice(-LAST_WORDS);
    });
    // Writing to a program that has just exited fails; its exit is reported elsewhere.
    started.stdin.on("error", () => undefined);
    this.ended = new Promise((resolve) => {
      started.once("close", (code, signal) =>
        resolve(code === null ? `was ended by ${signal}` : `ended with exit code ${code}`),
      );
    });
    await once(started, "spawn");
    return started;
  }

  /** How it ended and what it said last, in sentences; undefined where it has not ended. */
  async lastWords(): Promise<string | undefined> {
    const how = await Promise.race([this.ended, wait(GRACE, undefined, { ref: false })]);
    if (how === undefined) {
      return undefined;
    }
    const last = this.said.trim().split("\n").pop()?.trim() ?? "";
    return last === "" ? `It ${how} without a message.` : `It ${how}: ${last}`;
  }

  /** End it, where it does not end by itself. */
  async end(): Promise<void> {
    if ((await this.lastWords()) === undefined) {
      this.process?.kill("SIGKILL");
    }
  }
}

/** The environment for a server in folders that are not trusted: no program or module is found in them. */
function environmentOutside(folders: readonly string[]): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...process.env, PYTHONSAFEPATH: "1" };
  for (const name of Object.keys(environment)) {
    // On Windows the name may be `Path`.
    if (["PATH", "PYTHONPATH"].includes(name.toUpperCase())) {
      environment[name] = outsideOf(environment[name] ?? "", folders);
    }
  }
  return environment;
}
