// Where the server is: the `suitecase` program.

import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { selectedInterpreter } from "./python_extension";

const WINDOWS = process.platform === "win32";

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
  constructor(
    message: string,
    /** Whether installing the server would help. */
    readonly installable: boolean,
  ) {
    super(message);
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
 * In a workspace that is not trusted nothing that lies inside it is started.
 *
 * @throws NoServer where it is in none of these.
 */
export async function findServer(context: vscode.ExtensionContext): Promise<Server> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const set = vscode.workspace.getConfiguration("suitecase", folder).get<string>("server.path", "");
  if (set.trim()) {
    const file = expanded(set.trim(), folder);
    if (!isProgram(file)) {
      throw new NoServer(
        `The setting suitecase.server.path is ${file}, and there is no program there. ` +
          "Correct it, or empty it to have the server looked for.",
        false,
      );
    }
    return { path: file, origin: "the setting suitecase.server.path", own: false };
  }
  for (const found of await candidates(context, folder)) {
    if (isProgram(found.path) && (vscode.workspace.isTrusted || !isInWorkspace(found.path))) {
      return found;
    }
  }
  throw new NoServer(
    "Suitecase's server was not found: the program suitecase is neither in the selected Python " +
      "environment nor on the PATH. Install it there (pip install suitecase), set " +
      "suitecase.server.path, or have it installed into an environment of this extension.",
    true,
  );
}

async function candidates(
  context: vscode.ExtensionContext,
  folder: vscode.Uri | undefined,
): Promise<Server[]> {
  const interpreter = await selectedInterpreter(folder);
  const selected = interpreter === undefined ? [] : programsBeside(interpreter);
  return [
    ...selected.map((it) => ({ path: it, origin: "the selected Python environment", own: false })),
    ...onPath("suitecase").map((it) => ({ path: it, origin: "the PATH", own: false })),
    {
      path: programIn(ownEnvironment(context)),
      origin: "the environment of this extension",
      own: true,
    },
  ];
}

/** The path of a program of this name in each folder of the PATH, whether or not it is there. */
export function onPath(name: string): string[] {
  // Looked for here and not by the system, which on Windows begins with the working directory.
  return (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((it) => path.isAbsolute(it))
    .map((it) => path.join(it, WINDOWS ? `${name}.exe` : name));
}

/** The interpreter of a virtual environment. */
export function interpreterIn(environment: string): string {
  return WINDOWS
    ? path.join(environment, "Scripts", "python.exe")
    : path.join(environment, "bin", "python");
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

function programIn(environment: string): string {
  return WINDOWS
    ? path.join(environment, "Scripts", "suitecase.exe")
    : path.join(environment, "bin", "suitecase");
}

function programsBeside(interpreter: string): string[] {
  const folder = path.dirname(interpreter);
  // Environments of conda have their interpreter above their scripts on Windows.
  return WINDOWS
    ? [path.join(folder, "suitecase.exe"), path.join(folder, "Scripts", "suitecase.exe")]
    : [path.join(folder, "suitecase")];
}

function expanded(set: string, folder: vscode.Uri | undefined): string {
  const home = set.replace(/^~(?=$|[/\\])/, homedir());
  const base = folder?.fsPath ?? homedir();
  return path.resolve(base, home.replace(/^\$\{workspaceFolder\}/, base));
}

function isInWorkspace(file: string): boolean {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file)) !== undefined;
}
