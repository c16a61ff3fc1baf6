// The report of a suite's last results, as a page beside the editor.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { WriteReport } from "./protocol";
import { refusedMessage } from "./refusals";

/**
 * What a page begins with that allows its own style and its own script, by their hashes, and
 * nothing else: no server is asked for anything, nothing is sent.
 */
const STRICT =
  /^<!doctype html>\s*<html lang="\w+">\s*<head>\s*<meta charset="utf-8">\s*<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; img-src data:; base-uri 'none'; form-action 'none'">/;

export class ReportView implements vscode.Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>();
  /** What panels show, as the server wrote it. */
  private readonly pages = new Map<vscode.WebviewPanel, string>();
  private client: LanguageClient | undefined;
  private readonly listening = vscode.window.onDidChangeActiveColorTheme(() =>
    this.pages.forEach((page, panel) => {
      panel.webview.html = inTheme(page);
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
    let page: string;
    try {
      const uri = client.code2ProtocolConverter.asUri(suite);
      page = await readFile((await client.sendRequest(WriteReport, { uri })).path, "utf8");
    } catch (error) {
      refusedMessage(error);
      return;
    }
    if (!STRICT.test(page)) {
      // It lies in the workspace for a moment, where others may write too.
      void vscode.window.showErrorMessage(
        "The report is not shown: it is not as Suitecase writes it, with a policy that forbids all " +
          "but its own script. Run the suite again, or see whether server and extension have one version.",
      );
      return;
    }
    const panel = this.panelOf(suite);
    this.pages.set(panel, page);
    panel.webview.html = inTheme(page);
  }

  dispose(): void {
    this.listening.dispose();
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
      `Report of ${path.posix.basename(suite.path)}`,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, enableFindWidget: true, localResourceRoots: [] },
    );
    panel.onDidDispose(() => {
      this.panels.delete(key);
      this.pages.delete(panel);
    });
    this.panels.set(key, panel);
    return panel;
  }
}

/** The page in the colours of the editor and not of the system, its style allowed by its new hash. */
function inTheme(page: string): string {
  const { kind } = vscode.window.activeColorTheme;
  const isDark =
    kind === vscode.ColorThemeKind.Dark || kind === vscode.ColorThemeKind.HighContrast;
  const style = /<style>([^]*?)<\/style>/.exec(page)?.[1] ?? "";
  const themed = style
    .replaceAll("(prefers-color-scheme: dark)", isDark ? "all" : "not all")
    .replace("color-scheme: light dark", `color-scheme: ${isDark ? "dark" : "light"}`);
  const hash = createHash("sha256").update(themed).digest("base64");
  return page
    .replace(/style-src 'sha256-[\w+/=]+'/, () => `style-src 'sha256-${hash}'`)
    .replace(style, () => themed)
    .replace('<meta name="color-scheme" content="light dark">', "");
}
