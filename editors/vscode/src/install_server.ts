// Installing the server into an environment of this extension, when the person asks for it.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { interpreterIn, isProgram, onPath, ownEnvironment } from "./find_server";
import { selectedInterpreter } from "./python_extension";

const run = promisify(execFile);
/** Fails for a Python that is too old, or that cannot make environments. */
const FIT = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))";

/**
 * Make the environment, with the Python that is there, and install the server into it.
 *
 * @throws Error where that fails; the message says what to do.
 */
export async function installServer(
  context: vscode.ExtensionContext,
  output: vscode.LogOutputChannel,
): Promise<void> {
  const environment = ownEnvironment(context);
  const version = String(context.extension.packageJSON.version);
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: "Suitecase",
    cancellable: true,
  };
  await vscode.window.withProgress(progress, async (shown, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    const step = async (program: string, args: string[]): Promise<void> => {
      output.info([program, ...args].join(" "));
      const said = await run(program, args, {
        cwd: context.globalStorageUri.fsPath,
        signal: stop.signal,
        maxBuffer: 2 ** 26,
      });
      output.info(said.stdout + said.stderr);
    };
    try {
      await vscode.workspace.fs.createDirectory(context.globalStorageUri);
      const python = await findPython();
      shown.report({ message: "making an environment ..." });
      await step(python, ["-I", "-m", "venv", "--clear", environment]);
      shown.report({ message: `installing the server, version ${version}; this takes a minute ...` });
      await step(interpreterIn(environment), [
        ...["-I", "-m", "pip", "install", "--disable-pip-version-check", `suitecase==${version}`],
      ]);
    } catch (error) {
      throw new Error(
        token.isCancellationRequested
          ? "The server is not installed: that was cancelled."
          : `The server could not be installed: ${reason(error)}`,
      );
    }
  });
}

async function findPython(): Promise<string> {
  // A workspace that is not trusted must not name the program that is started here.
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const selected = vscode.workspace.isTrusted ? await selectedInterpreter(folder) : undefined;
  const known = [
    ...(selected === undefined ? [] : [selected]),
    ...["python3", "python", "python3.13", "python3.12", "python3.11"].flatMap(onPath),
  ].filter(isProgram);
  for (const it of known) {
    try {
      await run(it, ["-I", "-c", FIT]);
      return it;
    } catch {
      continue; // not fit, or a stand-in that offers to install Python
    }
  }
  throw new Error(
    "it needs Python 3.11 or newer with its module venv, which is neither selected nor on the PATH. Install it " +
      "first; on Debian and Ubuntu that is: apt install python3-venv.",
  );
}

/** What a program said last of what went wrong. */
function reason(error: unknown): string {
  const { stderr = "", message } = error as { stderr?: string; message?: string };
  const lines = stderr.trim().split("\n");
  const said = lines.filter((it) => it.startsWith("ERROR:")).pop() ?? lines.pop();
  return said?.replace(/^ERROR:\s*/, "") || String(message);
}
