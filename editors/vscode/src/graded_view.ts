// A suite or a case as it will be graded: what `suitecase show` prints, in a document to be read.

import * as path from "node:path";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { AsGraded } from "./protocol";
import { refusedMessage } from "./refusals";

const SCHEME = "suitecase-graded";

export class GradedView implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private client: LanguageClient | undefined;
  private readonly disposables = [
    this.changed,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    vscode.workspace.onDidCloseTextDocument((it) => this.texts.delete(it.uri.toString())),
  ];

  connected(client: LanguageClient): void {
    this.client = client;
  }

  disconnected(): void {
    this.client = undefined;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  /** Show a case, or without one a suite, beside the editor; anew where it is shown already. */
  async open(suite: vscode.Uri, id: string | null): Promise<void> {
    const client = this.client;
    if (client === undefined) {
      return;
    }
    let text: string;
    try {
      const uri = client.code2ProtocolConverter.asUri(suite);
      ({ text } = await client.sendRequest(AsGraded, { uri, case: id }));
    } catch (error) {
      refusedMessage(error);
      return;
    }
    const name = path.posix.basename(suite.path) + (id === null ? "" : ` ${id.replaceAll("/", "_")}`);
    const shown = vscode.Uri.from({
      scheme: SCHEME,
      path: `/${name} as graded.txt`,
      query: JSON.stringify([suite.toString(), id]),
    });
    this.texts.set(shown.toString(), text);
    this.changed.fire(shown);
    await vscode.window.showTextDocument(shown, { viewColumn: vscode.ViewColumn.Beside, preview: true });
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }
}
