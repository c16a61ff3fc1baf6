// What the extension consists of, and how its parts are joined.

import * as vscode from "vscode";
import { api, type Api } from "./api";
import { fixAll } from "./fix_all";
import { Gutter } from "./gutter";
import { GradedView } from "./graded_view";
import { InlayHints } from "./inlay_hints";
import type { Middleware } from "./language_client";
import { LanguageServer } from "./language_server";
import { newSuite } from "./new_suite";
import { ReportView } from "./report_view";
import { serverCommands } from "./server_commands";
import { Status } from "./status";
import { Suites } from "./suites";
import { TestingView } from "./testing_view";

let server: LanguageServer | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const output = vscode.window.createOutputChannel("Suitecase", { log: true });
  const suites = new Suites((message) => output.warn(message));
  const view = new TestingView(suites, () => server?.settled ?? Promise.resolve());
  const reports = new ReportView();
  const graded = new GradedView();
  const status = new Status(suites);
  const hints = new InlayHints(suites);
  const middleware: Middleware = {
    execute: serverCommands(suites, reports, graded),
    hints: (uri, all) => hints.chosen(uri, all),
  };
  const started = new LanguageServer(context, output, middleware, [
    reports,
    graded,
    hints,
    view.runs,
    suites,
  ]);
  server = started;
  const command = (name: string, action: (...args: never[]) => Promise<unknown> | void): vscode.Disposable =>
    vscode.commands.registerCommand(`suitecase.${name}`, action);
  context.subscriptions.push(
    output,
    suites,
    view,
    reports,
    graded,
    hints,
    status,
    started,
    new Gutter(suites, context.extensionUri),
    started.onDidChangeState((it) => status.show(it)),
    command("restartServer", () => started.restart()),
    command("installServer", () => started.install()),
    command("showOutput", () => output.show()),
    command("fixAll", fixAll),
    command("newSuite", newSuite),
    command("runFiles", (clicked: vscode.Uri, all?: vscode.Uri[]) => view.runs.runSuites(all ?? [clicked])),
  );
  await started.restart();
  return api(started, suites, view);
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
