// The Python extension, where it is installed: which environment the person selected in it.

import * as vscode from "vscode";

/** What is used of the interface of `ms-python.python`. */
interface PythonExtension {
  readonly ready: Promise<void>;
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(environment: {
      readonly path: string;
    }): Promise<{ readonly executable: { readonly uri: vscode.Uri | undefined } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

/** The interpreter of the selected environment; undefined where none is known. */
export async function selectedInterpreter(
  folder: vscode.Uri | undefined,
): Promise<string | undefined> {
  const environments = (await pythonExtension())?.environments;
  if (environments === undefined) {
    return undefined;
  }
  const active = environments.getActiveEnvironmentPath(folder);
  return (await environments.resolveEnvironment(active))?.executable.uri?.fsPath;
}

/** Be told when another environment is selected. */
export async function onOtherInterpreter(listener: () => void): Promise<vscode.Disposable> {
  const python = await pythonExtension();
  return (
    python?.environments.onDidChangeActiveEnvironmentPath(listener) ??
    new vscode.Disposable(() => undefined)
  );
}

async function pythonExtension(): Promise<PythonExtension | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  try {
    const python = await extension?.activate();
    await python?.ready;
    return python;
  } catch {
    return undefined; // it says itself what is wrong with it
  }
}
