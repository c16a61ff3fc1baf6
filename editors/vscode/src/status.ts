// The item in the status bar: how the server does.

import * as vscode from "vscode";

/** How the server does, as the status bar tells it. */
export type State =
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly version: string; readonly path: string; readonly origin: string }
  | { readonly kind: "stopped" }
  | { readonly kind: "missing"; readonly reason: string; readonly installable: boolean }
  | { readonly kind: "failed"; readonly reason: string };

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    "suitecase",
    vscode.StatusBarAlignment.Right,
  );

  constructor() {
    this.item.name = "Suitecase";
    this.show({ kind: "starting" });
    this.item.show();
  }

  show(state: State): void {
    this.item.backgroundColor = undefined;
    this.item.command = "suitecase.showOutput";
    switch (state.kind) {
      case "starting":
        this.say("$(sync~spin) Suitecase", "Suitecase: the server is starting");
        break;
      case "running":
        this.say(
          vscode.workspace.isTrusted ? "$(check) Suitecase" : "$(shield) Suitecase",
          `Suitecase ${state.version}, from ${state.origin}: ${state.path}` +
            (vscode.workspace.isTrusted
              ? ""
              : "\nThis workspace is not trusted: suites are checked, cases are not run."),
        );
        break;
      case "stopped":
        this.say("$(debug-stop) Suitecase", "Suitecase: the server is not running; click to restart it");
        this.item.command = "suitecase.restartServer";
        break;
      case "missing":
        this.say("$(warning) Suitecase", state.reason);
        this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
        this.item.command = state.installable ? "suitecase.installServer" : "suitecase.showOutput";
        break;
      case "failed":
        this.say("$(error) Suitecase", state.reason);
        this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.errorBackground");
        break;
    }
  }

  dispose(): void {
    this.item.dispose();
  }

  private say(text: string, tooltip: string): void {
    this.item.text = text;
    this.item.tooltip = tooltip;
  }
}
