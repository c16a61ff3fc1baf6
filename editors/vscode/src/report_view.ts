// The report of a suite's last results, as a page beside the editor.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { WriteReport } from "./protocol";
import { inTheme } from "./report_colors";
import { type Report, readBlock, withoutRecords } from "./report_records";
import { refusedMessage } from "./refusals";

/**
 * What a page begins with that allows its own style and its own script, by their hashes, and
 * nothing else: no server is asked for anything, nothing is sent.
 */
const STRICT =
  /^<!doctype html>\s*<html lang="\w+">\s*<head>\s*<meta charset="utf-8">\s*<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; img-src data:; base-uri 'none'; form-action 'none'">/;

export class ReportView implements vscode.Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>();
  /** What panels show, as the server wrote it, and the file that has its records. */
  private readonly reports = new Map<vscode.WebviewPanel, Report & { readonly path: string }>();
  private readonly opened = new vscode.EventEmitter<void>();
  readonly onDidOpen = this.opened.event;
  private client: LanguageClient | undefined;
  private readonly listening = vscode.window.onDidChangeActiveColorTheme(() =>
    this.reports.forEach(({ page }, panel) => {
      panel.webview.html = colored(page);
    }),
  );

  connected(client: LanguageClient): void {
    this.client = client;
  }

  disconnected(): void {
    this.client = undefined;
  }

  /** Write the report of a suite, and show it; once more where it is shown already. */
  async open(suite: vscode.Uri): Promise<void> {
    const client = this.client;
    if (client === undefined) {
      return;
    }
    let report: Report & { readonly path: string };
    try {
      const uri = client.code2ProtocolConverter.asUri(suite);
      const { path } = await client.sendRequest(WriteReport, { uri });
      report = { path, ...withoutRecords(await readFile(path)) };
    } catch (error) {
      refusedMessage(error);
      return;
    }
    if (!STRICT.test(report.page)) {
      // It lies in the workspace for a moment, where others may write too.
      void vscode.window.showErrorMessage(
        "The report was not shown, because it does not have the security policy of Suitecase's reports. " +
          "Check that server and extension have the same version.",
      );
      return;
    }
    const panel = this.panelOf(suite);
    this.reports.set(panel, report);
    panel.webview.html = colored(report.page);
    this.opened.fire();
  }

  /** Send a page a block of records, which it only unpacks and shows as text. */
  private async answer(panel: vscode.WebviewPanel, block: unknown): Promise<void> {
    const report = this.reports.get(panel);
    const place = typeof block === "string" ? report?.blocks.get(block) : undefined;
    const text = report === undefined || place === undefined ? undefined : await readBlock(report.path, place);
    void panel.webview.postMessage({ block, text });
  }

  dispose(): void {
    this.listening.dispose();
    this.opened.dispose();
    this.panels.forEach((it) => it.dispose());
  }

  private panelOf(suite: vscode.Uri): vscode.WebviewPanel {
    const key = suite.toString();
    const known = this.panels.get(key);
    if (known !== undefined) {
      known.reveal(undefined, true);
      return known;
    }
    const panel = vscode.window.createWebviewPanel(
      "suitecase.report",
      `Report: ${path.posix.basename(suite.path)}`,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, enableFindWidget: true, localResourceRoots: [] },
    );
    panel.onDidDispose(() => {
      this.panels.delete(key);
      this.reports.delete(panel);
    });
    panel.webview.onDidReceiveMessage((asked: { readonly block?: unknown } | undefined) => void this.answer(panel, asked?.block));
    this.panels.set(key, panel);
    return panel;
  }
}

/** The page in the colors of the editor and not of the system, its style allowed by its new hash. */
function colored(page: string): string {
  const style = /<style>([^]*?)<\/style>/.exec(page)?.[1] ?? "";
  const themed = inTheme(style, vscode.window.activeColorTheme.kind);
  const hash = createHash("sha256").update(themed).digest("base64");
  return page
    .replace(/style-src 'sha256-[\w+/=]+'/, () => `style-src 'sha256-${hash}'`)
    .replace(style, () => themed)
    .replace('<meta name="color-scheme" content="light dark">', "");
}
