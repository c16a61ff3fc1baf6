// Runs in the Testing view: those begun there, and those begun by a lens or a command.

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { isGate } from "./gate_items";
import { CancelRun, RunTests, type TestState, TestStateChanged } from "./protocol";
import { rubricCoverage } from "./rubric_coverage";
import { refusedMessage } from "./refusals";
import type { Suites } from "./suites";
import { inWords, terminal, testMessages } from "./test_messages";

/** For this long, in milliseconds, nothing more is told of a run that is over. */
const QUIET = 100;

interface Run {
  readonly shown: vscode.TestRun;
  /** Whether it ends with the last of its cases, since nobody here waits for its answer. */
  readonly isOutside: boolean;
  readonly waiting: Set<string>;
}

/** How a case came out of a run. */
export interface CaseFinished {
  readonly uri: vscode.Uri;
  readonly case: string;
  readonly state: "passed" | "failed" | "errored" | "skipped" | "notRun";
  readonly score: number | null;
  readonly messages: readonly { readonly message: string; readonly location?: vscode.Location }[];
}

export class TestRuns implements vscode.Disposable {
  private readonly runs = new Map<string, Run>();
  /** The items whose results came by a run of this session, and were not seen otherwise since. */
  private readonly taken = new WeakSet<vscode.TestItem>();
  private readonly finished = new vscode.EventEmitter<CaseFinished>();
  readonly onDidFinishCase = this.finished.event;
  private client: LanguageClient | undefined;

  constructor(
    private readonly controller: vscode.TestController,
    private readonly suites: Suites,
    private readonly settled: () => Promise<void>,
  ) {
    const run = controller.createRunProfile(
      "Run",
      vscode.TestRunProfileKind.Run,
      async (request, token) => void (await this.run(request, token)),
      true,
    );
    run.configureHandler = () =>
      void vscode.commands.executeCommand("workbench.action.openSettings", "suitecase.run");
    const coverage = controller.createRunProfile(
      "Run with Coverage of Rubrics",
      vscode.TestRunProfileKind.Coverage,
      (request, token) => this.runWithCoverage(request, token),
      true,
    );
    coverage.loadDetailedCoverage = async (_run, file) => rubricCoverage.detailsOf(file);
  }

  connected(client: LanguageClient): void {
    this.client = client;
    client.onNotification(TestStateChanged, (it) => this.told(it));
  }

  /** The server is gone, and what it was doing with it. */
  disconnected(): void {
    this.client = undefined;
    for (const [runId, run] of this.runs) {
      // Of others the answer is awaited, which fails now, and says so.
      if (run.isOutside) {
        run.shown.end();
        this.runs.delete(runId);
      }
    }
  }

  /** Whether the last result of an item is one that a run here brought; asked once for each. */
  tookOver(item: vscode.TestItem): boolean {
    return this.taken.delete(item);
  }

  dispose(): void {
    this.disconnected();
    this.finished.dispose();
  }

  /** Run all cases of suites, open or not. */
  async runSuites(uris: readonly vscode.Uri[]): Promise<void> {
    await Promise.all(uris.map((it) => this.suites.discover(it)));
    const items = uris.flatMap((it) => this.controller.items.get(it.toString()) ?? []);
    const never = new vscode.CancellationTokenSource();
    await this.run(new vscode.TestRunRequest(items, undefined, undefined, false, true), never.token);
    never.dispose();
  }

  private async runWithCoverage(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
  ): Promise<void> {
    await this.run(request, token, async (run, suites) => {
      for (const it of suites) {
        const suite = it.uri === undefined ? undefined : await this.suites.discover(it.uri);
        if (it.uri !== undefined && suite !== undefined) {
          run.addCoverage(rubricCoverage.of(it.uri, suite));
        }
      }
    });
  }

  /** Run what is asked for, and return when that is over. */
  private async run(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    beforeEnd: (run: vscode.TestRun, suites: vscode.TestItem[]) => Promise<void> = async () => {},
  ): Promise<void> {
    const shown = this.controller.createTestRun(request);
    // Trust may have been given for this very run, for which the server is started anew.
    await this.settled();
    const client = this.client;
    const runId = `vscode-${randomUUID()}`;
    const waiting = new Set<string>();
    try {
      if (client === undefined) {
        throw new Error("Nothing is run: Suitecase's server is not running. See its item in the status bar.");
      }
      const chosen = await this.chosen(request);
      chosen.forEach((cases) => cases.forEach((it) => shown.enqueued(it)));
      this.runs.set(runId, { shown, isOutside: false, waiting });
      const cancel = (): void => void client.sendRequest(CancelRun, { runId }).catch(() => undefined);
      const listening = [
        token.onCancellationRequested(cancel),
        // The cross of a single run, where several are shown.
        shown.token.onCancellationRequested(cancel),
      ];
      const tests = [...chosen].map(([suite, cases]) => ({
        uri: suite.uri === undefined ? suite.id : client.code2ProtocolConverter.asUri(suite.uri),
        cases: cases.map((it) => it.id),
      }));
      chosen.forEach((cases, suite) => cases.forEach((it) => waiting.add(key(suite.id, it.id))));
      try {
        if (tests.length === 0) {
          shown.appendOutput("There are no cases to run.\r\n");
        } else if (!token.isCancellationRequested) {
          await client.sendRequest(RunTests, { runId, tests });
        }
      } catch (error) {
        const reason = refusedMessage(error);
        chosen.forEach((cases) =>
          cases.forEach((it) => shown.errored(it, new vscode.TestMessage(reason))),
        );
        waiting.clear();
        shown.appendOutput(terminal(`${reason}\n`));
      } finally {
        listening.forEach((it) => it.dispose());
      }
      // A case without a state has no result: it was removed from the text, or nothing was run.
      chosen.forEach((cases, suite) =>
        cases.forEach((it) => void (waiting.has(key(suite.id, it.id)) && shown.skipped(it))),
      );
      await beforeEnd(shown, [...chosen.keys()]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      shown.appendOutput(terminal(`${reason}\n`));
      void vscode.window.showErrorMessage(reason);
    } finally {
      this.runs.delete(runId);
      shown.end();
    }
  }

  /** The cases that a request asks for, by their suite. */
  private async chosen(
    request: vscode.TestRunRequest,
  ): Promise<Map<vscode.TestItem, vscode.TestItem[]>> {
    const items: vscode.TestItem[] = [];
    this.controller.items.forEach((it) => items.push(it));
    const excluded = new Set(request.exclude ?? []);
    const chosen = new Map<vscode.TestItem, vscode.TestItem[]>();
    for (const it of request.include ?? items) {
      const suite = it.parent ?? it;
      if (excluded.has(it) || excluded.has(suite) || suite.uri === undefined) {
        continue;
      }
      const cases = chosen.get(suite) ?? [];
      if (it === suite || isGate(it)) {
        if (this.suites.get(suite.uri) === undefined) {
          await this.suites.discover(suite.uri);
        }
        // A gate is decided by all cases.
        suite.children.forEach((child) => void (isGate(child) || cases.push(child)));
      } else {
        cases.push(it);
      }
      const wanted = [...new Set(cases)].filter((child) => !excluded.has(child));
      if (wanted.length > 0) {
        chosen.set(suite, wanted);
      }
    }
    return chosen;
  }

  private told(it: TestState): void {
    const uri = vscode.Uri.parse(it.uri, true);
    const item = this.controller.items.get(uri.toString())?.children.get(it.case);
    const run = this.runs.get(it.runId) ?? this.begunOutside(it, item);
    const place = key(uri.toString(), it.case);
    if (it.state === "queued" || it.state === "started") {
      run.waiting.add(place);
      if (item !== undefined) {
        (it.state === "queued" ? run.shown.enqueued : run.shown.started).call(run.shown, item);
      }
      return;
    }
    run.waiting.delete(place);
    const messages = testMessages(it.messages ?? []);
    const errorAt = it.state === "notRun" ? messages[0]?.location : undefined;
    run.shown.appendOutput(terminal(inWords(it)), errorAt, item);
    if (item !== undefined) {
      if (it.verdict !== undefined) {
        this.taken.add(item);
      }
      switch (it.state) {
        case "passed":
          run.shown.passed(item, it.durationMs);
          break;
        case "failed":
          run.shown.failed(item, messages, it.durationMs);
          break;
        case "errored":
          run.shown.errored(item, messages, it.durationMs);
          break;
        case "skipped":
        case "notRun":
          // What has errors did not fail; why it was not run stands in the output, with its place.
          run.shown.skipped(item);
          break;
      }
    }
    this.finished.fire({
      uri,
      case: it.case,
      state: it.state,
      score: it.score ?? null,
      messages: messages.map(({ message, location }) => ({
        message: String(message),
        ...(location === undefined ? {} : { location }),
      })),
    });
    if (run.isOutside && run.waiting.size === 0) {
      // If nothing could be run, cases are reported one by one without having been queued.
      setTimeout(() => this.endOutside(it.runId), QUIET);
    }
  }

  private endOutside(runId: string): void {
    const run = this.runs.get(runId);
    if (run?.waiting.size === 0) {
      this.runs.delete(runId);
      run.shown.end();
    }
  }

  /** Show a run that a lens, a code action or a command began. */
  private begunOutside(it: TestState, item: vscode.TestItem | undefined): Run {
    const include = item === undefined ? [] : [item];
    const request = new vscode.TestRunRequest(include, undefined, undefined, false, true);
    const shown = this.controller.createTestRun(request);
    shown.token.onCancellationRequested(
      () => void this.client?.sendRequest(CancelRun, { runId: it.runId }).catch(() => undefined),
    );
    const run: Run = { shown, isOutside: true, waiting: new Set() };
    this.runs.set(it.runId, run);
    return run;
  }
}

function key(suite: string, id: string): string {
  return `${suite}#${id}`;
}
