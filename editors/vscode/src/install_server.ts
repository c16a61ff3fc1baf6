// Installing the server into an environment of this extension, when the person asks for it.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { interpreterIn, isProgram, mayBeStarted, onPath, ownEnvironment } from "./find_server";
import { selectedInterpreter } from "./python_extension";

const run = promisify(execFile);
const PIP_INSTALL = ["-I", "-m", "pip", "install", "--disable-pip-version-check"];
/** Fails for a Python that is too old, or that cannot make environments. */
const FIT = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))";

/** Fails where only what checks and edits is installed. */
const RUNS = "import importlib.util, sys; sys.exit(importlib.util.find_spec('numpy') is None)";
const INSTALL = "Install";

/**
 * Make the environment, with the Python that is there, and install the server into it: the packages that checking and
 * editing need. What running needs is ten times as much, and `installForRuns` adds it.
 *
 * @throws Error where that fails; the message says what to do.
 */
export async function installServer(
  context: vscode.ExtensionContext,
  output: vscode.LogOutputChannel,
): Promise<void> {
  const environment = ownEnvironment(context);
  const version = String(context.extension.packageJSON.version);
  await withSteps(context, output, "The server", async (step, report) => {
    await vscode.workspace.fs.createDirectory(context.globalStorageUri);
    const python = await findPython();
    report("making an environment ...");
    await step(python, ["-I", "-m", "venv", "--clear", environment]);
    report(`installing the server, version ${version} ...`);
    await step(interpreterIn(environment), [...PIP_INSTALL, `suitecase-core==${version}`]);
  });
}

/**
 * Install what running cases needs beside a server that `installServer` installed, if the person wants it.
 *
 * @throws Error where that fails; the message says what to do.
 */
export async function installForRuns(
  context: vscode.ExtensionContext,
  output: vscode.LogOutputChannel,
): Promise<void> {
  const python = interpreterIn(ownEnvironment(context));
  const version = String(context.extension.packageJSON.version);
  if (await succeeds(python, ["-I", "-c", RUNS])) {
    return;
  }
  const chosen = await vscode.window.showInformationMessage(
    "Running cases needs more packages than checking them: about 350 MB, and a minute or two. Install them?",
    INSTALL,
    "Not Now",
  );
  if (chosen === INSTALL) {
    await withSteps(context, output, "What runs need", async (step, report) => {
      report("installing what runs need; this takes a minute or two ...");
      await step(python, [...PIP_INSTALL, `suitecase-core[run]==${version}`]);
    });
  }
}

type Step = (program: string, args: string[]) => Promise<void>;

/** Install something in steps whose programs are ended when the person cancels. */
async function withSteps(
  context: vscode.ExtensionContext,
  output: vscode.LogOutputChannel,
  what: string,
  install: (step: Step, report: (message: string) => void) => Promise<void>,
): Promise<void> {
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: "Suitecase",
    cancellable: true,
  };
  await vscode.window.withProgress(progress, async (shown, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    const step: Step = async (program, args) => {
      output.info([program, ...args].join(" "));
      const said = await run(program, args, {
        cwd: context.globalStorageUri.fsPath,
        signal: stop.signal,
        maxBuffer: 2 ** 26,
      });
      output.info(said.stdout + said.stderr);
    };
    try {
      await install(step, (message) => shown.report({ message }));
    } catch (error) {
      throw new Error(
        token.isCancellationRequested
          ? `${what} is not installed: that was cancelled.`
          : `${what} could not be installed: ${reason(error)}`,
      );
    }
  });
}

async function succeeds(program: string, args: string[]): Promise<boolean> {
  try {
    await run(program, args);
    return true;
  } catch {
    return false;
  }
}

async function findPython(): Promise<string> {
  // A workspace that is not trusted must neither name nor have the program that is started here.
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const selected = vscode.workspace.isTrusted ? await selectedInterpreter(folder) : undefined;
  const known = [
    ...(selected === undefined ? [] : [selected]),
    ...["python3", "python", "python3.13", "python3.12", "python3.11"].flatMap(onPath),
  ].filter((it) => isProgram(it) && mayBeStarted(it));
  for (const it of known) {
    // One that fails is not fit, or a stand-in that offers to install Python.
    if (await succeeds(it, ["-I", "-c", FIT])) {
      return it;
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
