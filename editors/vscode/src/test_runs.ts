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
import type { TestTree } from "./test_tree";

/** For this long, in milliseconds, nothing more is told of a run that is over. */
const QUIET = 100;

interface Run {
  readonly shown: vscode.TestRun;
  /** Whether it ends with the last of its cases, since nobody here waits for its answer. */
  readonly isOutside: boolean;
  readonly waiting: Set<string>;
  /** Why the last case was left out: a reason that several have, such as a missing key, is told once. */
  reason?: string;
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
  /** Why cases were not run, and of which version of their text that is true. */
  private readonly notRun = new WeakMap<vscode.TestItem, { reason: string; version: number | undefined }>();
  private readonly finished = new vscode.EventEmitter<CaseFinished>();
  readonly onDidFinishCase = this.finished.event;
  private readonly begun = new vscode.EventEmitter<void>();
  /** A run begins by the Testing view or the gutter. */
  readonly onDidBegin = this.begun.event;
  private client: LanguageClient | undefined;

  constructor(
    private readonly controller: vscode.TestController,
    private readonly tree: TestTree,
    private readonly suites: Suites,
    private readonly settled: () => Promise<void>,
  ) {
    const run = controller.createRunProfile(
      "Run",
      vscode.TestRunProfileKind.Run,
      async (request, token) => {
        this.begun.fire();
        await this.run(request, token);
      },
      true,
    );
    run.configureHandler = () =>
      void vscode.commands.executeCommand("workbench.action.openSettings", "suitecase.run");
    const coverage = controller.createRunProfile(
      "Run with Rubric Coverage",
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

  /** Why the last run left a case out; undefined once its text has changed, or if it was run. */
  reasonNotRun(item: vscode.TestItem, version: number): string | undefined {
    const it = this.notRun.get(item);
    return it?.version === version ? it.reason : undefined;
  }

  dispose(): void {
    this.disconnected();
    this.finished.dispose();
    this.begun.dispose();
  }

  /** Run all cases of suites, open or not. */
  async runSuites(uris: readonly vscode.Uri[]): Promise<void> {
    await Promise.all(uris.map((it) => this.suites.discover(it)));
    const items = uris.flatMap((it) => this.tree.get(it) ?? []);
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
        throw new Error("Suitecase's server is not running, so nothing was run. Its item in the status bar says why.");
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
        chosen.forEach((cases, suite) =>
          cases
            .filter((it) => waiting.has(key(suite.id, it.id)))
            .forEach((it) => shown.errored(it, new vscode.TestMessage(reason))),
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
    const isExcluded = (item: vscode.TestItem): boolean =>
      excluded.has(item) || (item.parent !== undefined && isExcluded(item.parent));
    const chosen = new Map<vscode.TestItem, vscode.TestItem[]>();
    for (const it of request.include ?? items) {
      for (const suite of this.tree.suitesOf(it)) {
        if (isExcluded(suite) || suite.uri === undefined) {
          continue;
        }
        const cases = chosen.get(suite) ?? [];
        if (it.parent !== suite || isGate(it)) {
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
    }
    return chosen;
  }

  private told(it: TestState): void {
    const uri = vscode.Uri.parse(it.uri, true);
    const item = this.tree.get(uri)?.children.get(it.case);
    const run = this.runs.get(it.runId) ?? this.begunOutside(it, item);
    const place = key(uri.toString(), it.case);
    if (it.state === "queued" || it.state === "started") {
      run.waiting.add(place);
      if (item !== undefined) {
        this.notRun.delete(item);
      }
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
          run.shown.skipped(item);
          break;
        case "notRun":
          // It did not fail. The view has no place for the reason but beside the name.
          this.leftOut(run, item, uri, it);
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

  private leftOut(run: Run, item: vscode.TestItem, uri: vscode.Uri, it: TestState): void {
    // Its place is in the output, and there is little room.
    const said = it.messages?.[0]?.message.split("\n")[0]?.replace(/ at \S+?:\d+:\d+(?=:)/, "");
    const reason = said ?? run.reason ?? "it has errors";
    run.reason = reason;
    this.notRun.set(item, { reason, version: this.suites.get(uri)?.version });
    item.description = `not run: ${reason}`;
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
