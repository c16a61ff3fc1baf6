// Inlay hints beside the messages of tests.

import * as vscode from "vscode";
import { InlayHintRequest, type LanguageClient } from "vscode-languageclient/node";
import type { Suites } from "./suites";

/**
 * Leaves out the hints of lines at whose end the editor writes a message of the last run: it would
 * be written over them.
 */
export class InlayHints implements vscode.Disposable {
  private client: LanguageClient | undefined;
  /** The lines that were covered when hints were last chosen, by document. */
  private readonly left = new Map<string, string>();
  private readonly listening: vscode.Disposable;

  constructor(private readonly suites: Suites) {
    this.listening = suites.onDidChange((uri) => this.askAgain(uri));
  }

  connected(client: LanguageClient): void {
    this.client = client;
  }

  disconnected(): void {
    this.client = undefined;
    this.left.clear();
  }

  /**
   * Ask for the hints of a document, once more if they changed meanwhile: the editor is deaf to that while
   * it waits for an answer, and would show the hints of settings that the server has only just been told.
   */
  async current(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
    ask: () => vscode.ProviderResult<vscode.InlayHint[]>,
  ): Promise<vscode.InlayHint[]> {
    for (;;) {
      let changed = false;
      const provider = this.client?.getFeature(InlayHintRequest.method).getProvider(document);
      const listening = provider?.onDidChangeInlayHints.event(() => (changed = true));
      try {
        const hints = (await ask()) ?? [];
        if (!changed || token.isCancellationRequested) {
          return this.chosen(document.uri, hints);
        }
      } finally {
        listening?.dispose();
      }
    }
  }

  /** Choose among the hints of a document. */
  private chosen(uri: vscode.Uri, hints: readonly vscode.InlayHint[]): vscode.InlayHint[] {
    const covered = this.covered(uri);
    this.left.set(uri.toString(), [...covered].join());
    return hints.filter((it) => !covered.has(it.position.line));
  }

  dispose(): void {
    this.listening.dispose();
  }

  private covered(uri: vscode.Uri): Set<number> {
    const suite = this.suites.get(uri);
    return new Set(
      [...(suite?.cases ?? []), ...(suite?.gates ?? [])]
        .flatMap(({ result }) => result ?? [])
        .filter(({ stale, state }) => !stale && (state === "failed" || state === "errored"))
        .flatMap(({ messages }) => messages.flatMap((it) => it.range?.start.line ?? [])),
    );
  }

  private askAgain(uri: vscode.Uri): void {
    const before = this.left.get(uri.toString());
    const document = vscode.workspace.textDocuments.find((it) => it.uri.toString() === uri.toString());
    if (before !== undefined && document !== undefined && before !== [...this.covered(uri)].join()) {
      const feature = this.client?.getFeature(InlayHintRequest.method);
      feature?.getProvider(document)?.onDidChangeInlayHints.fire();
    }
  }
}
