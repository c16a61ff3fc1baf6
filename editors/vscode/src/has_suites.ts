// Whether the workspace has suites, as far as names tell.

import * as vscode from "vscode";

/** Names that nothing else has. The extension is activated by other names as well, such as `*.jsonl`. */
const TELLING =
  "**/{*.eval.yaml,*.eval.yml,promptfooconfig*.yaml,promptfooconfig*.yml,promptfooconfig.json," +
  "*.promptfooconfig.yaml,*.promptfooconfig.yml,evals/evals.json,suitecase.toml," +
  ".suitecase/targets.yaml,.suitecase/targets.yml,.agentv/targets.yaml,.agentv/targets.yml}";

/** Whether a suite is open, or a file has a name that only suites and what belongs to them have. */
export async function hasSuites(): Promise<boolean> {
  return (
    vscode.workspace.textDocuments.some((it) => it.languageId === "suitecase") ||
    (await vscode.workspace.findFiles(TELLING, undefined, 1)).length > 0
  );
}
