// Where the server is: the `suitecase` program.

import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { leadsInto } from "./containment";
import * as paths from "./paths";
import { selectedInterpreter } from "./python_extension";

const { platform } = process;

export interface Server {
  /** The absolute path of the program. */
  readonly path: string;
  /** Where it was found, for people. */
  readonly origin: string;
  /** Whether it is the one that this extension installed. */
  readonly own: boolean;
}

/** The server cannot be started as things are; the message says why and what to do. */
export class NoServer extends Error {
  /** Whether installing the server would help. */
  readonly installable: boolean;

  constructor(message: string, installable: boolean) {
    super(message);
    this.installable = installable;
  }
}

/** The folder of the environment that this extension makes when it is asked to. */
export function ownEnvironment(context: vscode.ExtensionContext): string {
  return path.join(context.globalStorageUri.fsPath, "environment");
}

/**
 * Find the server: what is set, the environment selected in the Python extension, the PATH, and
 * the environment that this extension made, in this order.
 *
 * In a workspace that is not trusted nothing that lies inside it is started, whoever named it and by
 * whatever path.
 *
 * @throws NoServer where it is in none of these.
 */
export async function findServer(context: vscode.ExtensionContext): Promise<Server> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const set = vscode.workspace.getConfiguration("suitecase", folder).get<string>("server.path", "");
  if (set.trim()) {
    const files = paths.expanded(set, folder?.fsPath, homedir(), platform);
    const program = files.find(isProgram);
    if (program === undefined) {
      throw new NoServer(
        `The setting suitecase.server.path names ${files[0]}, and there is no program there. ` +
          "Correct it, or empty it to have the server searched.",
        false,
      );
    }
    if (!mayBeStarted(program)) {
      throw new NoServer(
        `The setting suitecase.server.path names ${program}, which lies in this workspace, and the workspace is ` +
          "not trusted. Trust it, or name a program outside it.",
        false,
      );
    }
    return { path: program, origin: "the setting suitecase.server.path", own: false };
  }
  for (const found of await candidates(context, folder)) {
    if (isProgram(found.path) && mayBeStarted(found.path)) {
      return found;
    }
  }
  throw new NoServer(
    "Suitecase's server was not found: the program suitecase is neither in the selected Python " +
      "environment nor on the PATH. It can be installed into an environment of this extension.",
    true,
  );
}

async function candidates(
  context: vscode.ExtensionContext,
  folder: vscode.Uri | undefined,
): Promise<Server[]> {
  const interpreter = await selectedInterpreter(folder);
  const selected =
    interpreter === undefined ? [] : paths.besideInterpreter(interpreter, "suitecase", platform);
  return [
    ...selected.map((it) => ({ path: it, origin: "the selected Python environment", own: false })),
    ...onPath("suitecase").map((it) => ({ path: it, origin: "the PATH", own: false })),
    {
      path: paths.inEnvironment(ownEnvironment(context), "suitecase", platform),
      origin: "the environment of this extension",
      own: true,
    },
  ];
}

/** The path of a program of this name in each folder of the PATH, whether or not it is there. */
export function onPath(name: string): string[] {
  return paths.onPath(name, process.env["PATH"], platform);
}

/** The interpreter of a virtual environment. */
export function interpreterIn(environment: string): string {
  return paths.inEnvironment(environment, "python", platform);
}

/** Whether a program can be started from this path. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Whether a program may be started: in a workspace that is not trusted, only one that is no part of it. */
export function mayBeStarted(program: string): boolean {
  return vscode.workspace.isTrusted || !leadsInto(program, workspaceFolders());
}

/** The folders of the workspace on this machine's disk. */
export function workspaceFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter((it) => it.uri.scheme === "file").map((it) => it.uri.fsPath);
}
