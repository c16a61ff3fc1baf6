// The document that commands are about if they name none.

import * as vscode from "vscode";

/** Follows the editors: pages such as the walkthrough have commands too, but no document. */
export class FrontDocument implements vscode.Disposable {
  private last: vscode.TextEditor | undefined = textEditor();
  private readonly listening = vscode.window.onDidChangeActiveTextEditor(() => {
    this.last = textEditor() ?? this.last;
  });

  /** The editor in front, or the last one that was, if its document is still open; else says what to do. */
  get editor(): vscode.TextEditor | undefined {
    const found = textEditor() ?? this.last;
    if (found === undefined || found.document.isClosed) {
      void vscode.window.showInformationMessage("Open a suite first.", NEW).then((chosen) => {
        if (chosen === NEW) {
          void vscode.commands.executeCommand("suitecase.newSuite");
        }
      });
      return undefined;
    }
    return found;
  }

  dispose(): void {
    this.listening.dispose();
  }
}

const NEW = "New Evaluation Suite";

/** The active editor, unless it is one of the editor's own, such as the output. */
function textEditor(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor !== undefined && ["file", "untitled"].includes(editor.document.uri.scheme) ? editor : undefined;
}
