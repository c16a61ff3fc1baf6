// What the server writes to be read, such as the result of a case or the page of a rule, rendered.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

/** Answers and prompts are wrapped, not scrolled; the colors are those of the editor's theme. */
const STYLE = `
html { background: var(--vscode-editor-background); }
body { max-width: 80ch; margin: 0 auto; padding: 0.5rem 1.5rem 3rem; font: var(--vscode-font-size)/1.5 var(--vscode-font-family); color: var(--vscode-foreground); overflow-wrap: anywhere; }
h1 { font-size: 1.6em; font-weight: 600; line-height: 1.25; }
h2 { font-size: 1.2em; font-weight: 600; margin: 1.8em 0 0.5em; padding-top: 0.8em; border-top: 1px solid var(--vscode-contrastBorder, var(--vscode-widget-border, var(--vscode-panel-border))); }
h3 { font-size: 1em; font-weight: 600; margin: 1.2em 0 0.4em; }
ul { padding-left: 1.4em; }
a { color: var(--vscode-textLink-foreground); }
code { font-family: var(--vscode-editor-font-family); font-size: 0.95em; color: var(--vscode-textPreformat-foreground); }
pre { padding: 0.7em 0.9em; border-radius: 4px; border: 1px solid var(--vscode-contrastBorder, transparent); background: var(--vscode-textCodeBlock-background); white-space: pre-wrap; overflow-wrap: anywhere; }
pre code { color: var(--vscode-editor-foreground); background: none; }
table { border-collapse: collapse; }
td, th { padding: 0.3em 0.7em; text-align: left; border-bottom: 1px solid var(--vscode-contrastBorder, var(--vscode-panel-border)); }
`;

export class PageView implements vscode.Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>();

  /** Whether a document that the server wants to have shown is one for people to read. */
  static isPage(uri: vscode.Uri): boolean {
    return uri.scheme === "file" && uri.path.endsWith(".md");
  }

  /** Show a Markdown document, rendered; anew if it is shown already. False if it cannot be. */
  async open(uri: vscode.Uri): Promise<boolean> {
    let text: string;
    let body: string | undefined;
    try {
      text = await readFile(uri.fsPath, "utf8");
      // The editor's own Markdown, which can be switched off.
      body = await vscode.commands.executeCommand<string>("markdown.api.render", text);
    } catch {
      return false;
    }
    if (!body) {
      return false;
    }
    const panel = this.panelOf(uri);
    panel.title = titleOf(text) ?? path.posix.basename(uri.path, ".md");
    panel.webview.html = page(body);
    return true;
  }

  dispose(): void {
    this.panels.forEach((it) => it.dispose());
  }

  private panelOf(uri: vscode.Uri): vscode.WebviewPanel {
    const key = uri.toString();
    const known = this.panels.get(key);
    if (known !== undefined) {
      known.reveal(undefined, true);
      return known;
    }
    const panel = vscode.window.createWebviewPanel(
      "suitecase.page",
      "Suitecase",
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: false, enableFindWidget: true, localResourceRoots: [] },
    );
    panel.onDidDispose(() => this.panels.delete(key));
    this.panels.set(key, panel);
    return panel;
  }
}

/** The first heading, without what Markdown needs. */
function titleOf(text: string): string | undefined {
  return /^# (.+)$/m.exec(text)?.[1]?.replace(/\\(?=[^\w\s])|`/g, "");
}

/** Answers of models are among what is shown: nothing of it is run or fetched. */
function page(body: string): string {
  const nonce = randomBytes(16).toString("base64");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
<meta name="viewport" content="width=device-width">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>${body}</body>
</html>`;
}
