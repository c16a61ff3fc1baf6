// Every fix of a document that keeps its meaning, at once; older spellings are among what is fixed.

import * as vscode from "vscode";

const KIND = vscode.CodeActionKind.SourceFixAll.append("suitecase");

/** Make all safe fixes of the document in the active editor, and say so where there are none. */
export async function fixAll(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return;
  }
  const { document } = editor;
  const whole = document.validateRange(new vscode.Range(0, 0, document.lineCount, 0));
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
    "vscode.executeCodeActionProvider",
    document.uri,
    whole,
    KIND.value,
  );
  const action = actions.find((it) => it.kind !== undefined && KIND.contains(it.kind));
  if (action?.edit === undefined) {
    void vscode.window.showInformationMessage(
      "Nothing to fix: what is left, if anything, is for you to decide. See Problems.",
    );
  } else if (await vscode.workspace.applyEdit(action.edit)) {
    vscode.window.setStatusBarMessage(`Suitecase: ${action.title}: done`, 5000);
  } else {
    void vscode.window.showWarningMessage(
      "Nothing was fixed: the document has changed in the meantime. Try again.",
    );
  }
}
