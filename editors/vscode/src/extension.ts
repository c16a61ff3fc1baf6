// What the extension consists of, and how its parts are joined.

import * as vscode from "vscode";
import { api, type Api } from "./api";
import { fixAll } from "./fix_all";
import { FrontDocument } from "./front_document";
import { Gutter } from "./gutter";
import { GradedView } from "./graded_view";
import { InlayHints } from "./inlay_hints";
import type { Middleware } from "./language_client";
import { LanguageServer } from "./language_server";
import { NewSuite } from "./new_suite";
import { PageView } from "./page_view";
import { ReportView } from "./report_view";
import { serverCommands } from "./server_commands";
import { Status } from "./status";
import { Suites } from "./suites";
import { TestingView } from "./testing_view";
import { Walkthrough } from "./walkthrough";

let server: LanguageServer | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const output = vscode.window.createOutputChannel("Suitecase", { log: true });
  const suites = new Suites((message) => output.warn(message));
  const view = new TestingView(suites, () => server?.settled ?? Promise.resolve());
  const reports = new ReportView();
  const graded = new GradedView();
  const status = new Status(suites);
  const hints = new InlayHints(suites);
  const newSuite = new NewSuite();
  const front = new FrontDocument();
  const pages = new PageView();
  const walkthrough = new Walkthrough(context.globalState);
  const middleware: Middleware = {
    execute: serverCommands(suites, front, reports, graded),
    hints: (document, token, ask) => hints.current(document, token, ask),
    show: async (uri) => PageView.isPage(uri) && (await pages.open(uri)),
  };
  const started = new LanguageServer(context, output, middleware, [
    reports,
    graded,
    hints,
    newSuite,
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
    front,
    pages,
    walkthrough,
    status,
    started,
    new Gutter(suites, context.extensionUri),
    started.onDidChangeState((it) => status.show(it)),
    started.onDidChangeState(({ kind }) => kind === "running" && walkthrough.did("start")),
    suites.onDidChange((uri) => suites.get(uri)?.cases.length && walkthrough.did("write")),
    view.runs.onDidFinishCase(({ score }) => score !== null && walkthrough.did("run")),
    view.runs.onDidBegin(() => walkthrough.did("testing")),
    reports.onDidOpen(() => walkthrough.did("report")),
    command("restartServer", () => started.restart()),
    command("installServer", () => started.installIfMissing()),
    command("showOutput", () => output.show()),
    command("fixAll", async () => void ((await fixAll(front)) && walkthrough.did("fix"))),
    command("newSuite", (folder?: vscode.Uri, target?: string) => newSuite.create(folder, target)),
    command("runFiles", (clicked: vscode.Uri, all?: vscode.Uri[]) => view.runs.runSuites(all ?? [clicked])),
  );
  await started.restart();
  return api(started, suites, view);
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
