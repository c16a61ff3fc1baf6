// The item in the status bar: how the server does, and how the suite in front did last.

import * as vscode from "vscode";
import type { Result, Suite, Verdict } from "./protocol";
import type { Suites } from "./suites";
import { SIGNS, worded } from "./verdicts";

/** How the server does. */
export type State =
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly version: string; readonly path: string; readonly origin: string }
  | { readonly kind: "missing"; readonly reason: string; readonly installable: boolean }
  | { readonly kind: "failed"; readonly reason: string };

/** So many cases are listed; of more the ones that did not pass come first. */
const LISTED = 12;

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    "suitecase",
    vscode.StatusBarAlignment.Right,
  );
  private state: State = { kind: "starting" };
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly suites: Suites) {
    this.item.name = "Suitecase";
    this.show(this.state);
    this.item.show();
    this.disposables = [
      this.item,
      suites.onDidChange(() => this.show(this.state)),
      vscode.window.onDidChangeActiveTextEditor(() => this.show(this.state)),
    ];
  }

  show(state: State): void {
    this.state = state;
    this.item.backgroundColor = undefined;
    this.item.command = "suitecase.showOutput";
    switch (state.kind) {
      case "starting":
        this.say("$(sync~spin) Suitecase", "Suitecase's server is starting");
        break;
      case "running":
        this.showRunning(state);
        break;
      case "missing":
        this.say("$(warning) Suitecase", state.reason);
        this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
        this.item.command = state.installable ? "suitecase.installServer" : "suitecase.showOutput";
        break;
      case "failed":
        this.say("$(error) Suitecase", `${state.reason}\n\nClick to restart it.`);
        this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.errorBackground");
        this.item.command = "suitecase.restartServer";
        break;
    }
  }

  dispose(): void {
    this.disposables.forEach((it) => it.dispose());
  }

  private showRunning(state: Extract<State, { kind: "running" }>): void {
    const icon = vscode.workspace.isTrusted ? "$(check)" : "$(shield)";
    const editor = vscode.window.activeTextEditor;
    const suite = editor === undefined ? undefined : this.suites.get(editor.document.uri);
    const results = suite === undefined ? [] : resultsOf(suite);
    const shown = new vscode.MarkdownString("", true);
    shown.isTrusted = {
      enabledCommands: ["suitecase.openReport", "suitecase.runFailed", "suitecase.restartServer", "suitecase.showOutput"],
    };
    if (suite !== undefined && results.length > 0) {
      shown.appendMarkdown(`**Last results** of \`${suite.label}\`\n\n`);
      for (const [id, result] of results.slice(0, LISTED)) {
        const stale = result.stale ? " (stale)" : "";
        shown.appendMarkdown(`- ${SIGNS[result.verdict]} `).appendText(`${id}: ${worded(result)}${stale}`);
        shown.appendMarkdown("\n");
      }
      if (results.length > LISTED) {
        shown.appendMarkdown(`- and ${results.length - LISTED} more\n`);
      }
      shown.appendMarkdown("\n[Show report](command:suitecase.openReport)\n\n---\n\n");
    }
    shown.appendMarkdown(`Suitecase ${state.version}, from ${state.origin}: `).appendText(state.path);
    if (!vscode.workspace.isTrusted) {
      shown.appendMarkdown("\n\nThis workspace is not trusted: suites are checked, but cases are not run.");
    }
    shown.appendMarkdown(
      "\n\n[Restart](command:suitecase.restartServer) · [Show output](command:suitecase.showOutput)",
    );
    this.say(`${icon} Suitecase${counts(results)}`, shown);
  }

  private say(text: string, tooltip: string | vscode.MarkdownString): void {
    this.item.text = text;
    this.item.tooltip = tooltip;
  }
}

/** The results of a suite, what did not pass before what did. */
function resultsOf(suite: Suite): [string, Result][] {
  const all = suite.cases.flatMap((it): [string, Result][] =>
    it.result === null ? [] : [[it.id, it.result]],
  );
  const passed = ([, result]: [string, Result]): boolean => ["pass", "rehearsed"].includes(result.verdict);
  return [...all.filter((entry) => !passed(entry)), ...all.filter(passed)];
}

/** ` ✓ 3 ✗ 1`; empty without results. */
function counts(results: readonly [string, Result][]): string {
  const order: Verdict[] = ["pass", "rehearsed", "borderline", "fail", "judge_failed", "error", "not_evaluated"];
  return order
    .map((verdict): [string, number, string] => [
      SIGNS[verdict],
      results.filter(([, it]) => it.verdict === verdict).length,
      verdict === "rehearsed" ? " rehearsed" : "",
    ])
    .filter(([, number]) => number > 0)
    .map(([sign, number, word]) => `  ${sign} ${number}${word}`)
    .join("");
}
