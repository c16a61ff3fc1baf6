// Every fix of a document that keeps its meaning, at once; older spellings are among what is fixed.

import * as vscode from "vscode";
import type { FrontDocument } from "./front_document";

const KIND = vscode.CodeActionKind.SourceFixAll.append("suitecase");

/** Make all safe fixes of the document in front, or say that there are none; whether some were made. */
export async function fixAll(front: FrontDocument): Promise<boolean> {
  const document = front.editor?.document;
  if (document === undefined) {
    return false;
  }
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
      "There are no safe fixes to apply. Problems lists what is left to decide.",
    );
    return false;
  }
  if (await vscode.workspace.applyEdit(action.edit)) {
    vscode.window.setStatusBarMessage("Suitecase: all safe fixes applied", 5000);
    return true;
  }
  void vscode.window.showWarningMessage(
    "Nothing was fixed, because the document has changed in the meantime. Try again.",
  );
  return false;
}
