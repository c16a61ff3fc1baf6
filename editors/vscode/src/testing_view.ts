// The Testing view: folders, their suites, and the cases of these as they stand in the editor.

import * as vscode from "vscode";
import { asRange } from "./places";
import { gateId } from "./gate_items";
import type { Case, Gate, GateResult, Result } from "./protocol";
import { testMessages } from "./test_messages";
import { TestRuns } from "./test_runs";
import { TestTree } from "./test_tree";
import { worded } from "./verdicts";
import type { Suites } from "./suites";

/** A result as the Testing view shows it, of a case or of a gate. */
type Shown = Pick<Result | GateResult, "state" | "at" | "stale" | "messages">;

export class TestingView implements vscode.Disposable {
  readonly controller = vscode.tests.createTestController("suitecase", "Evaluation Suites");
  readonly tree = new TestTree(this.controller);
  readonly runs: TestRuns;
  /** When the results were had that are shown, by item. */
  private readonly shown = new WeakMap<vscode.TestItem, { at: string; stale: boolean }>();
  private readonly disposables: vscode.Disposable[];

  /**
   * @param suites the suites to show.
   * @param settled resolves when the server is not about to start or stop.
   */
  constructor(
    private readonly suites: Suites,
    settled: () => Promise<void>,
  ) {
    this.runs = new TestRuns(this.controller, this.tree, suites, settled);
    this.controller.resolveHandler = async (item) => {
      await (item?.uri === undefined ? suites.refresh() : suites.discover(item.uri));
    };
    this.controller.refreshHandler = () => suites.refresh();
    this.disposables = [
      this.controller,
      this.runs,
      suites.onDidChange((uri) => this.update(uri)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.tree.rearrange()),
    ];
  }

  dispose(): void {
    this.disposables.forEach((it) => it.dispose());
  }

  private update(uri: vscode.Uri): void {
    if (!this.suites.has(uri)) {
      this.tree.delete(uri);
      return;
    }
    const item = this.tree.add(uri);
    const suite = this.suites.get(uri);
    if (suite === undefined) {
      return;
    }
    const { cases, gates = [] } = suite;
    item.error =
      suite.broken && cases.length === 0
        ? "The YAML of this suite has errors, so its cases are not known. See Problems."
        : undefined;
    const known = item.children;
    const there = new Set([...cases.map((it) => it.id), ...gates.map((it) => gateId(it.label))]);
    known.forEach((it) => void (there.has(it.id) || known.delete(it.id)));
    const earlier: [vscode.TestItem, Shown][] = [];
    const show = (child: vscode.TestItem, result: Shown | null, of: [vscode.TestItem, Shown][]): void => {
      known.add(child);
      if (result === null) {
        this.forget(child);
      } else if (this.isNews(child, result)) {
        of.push([child, result]);
      }
    };
    cases.forEach((it, number) => {
      const child = known.get(it.id) ?? this.controller.createTestItem(it.id, it.label, uri);
      this.describe(child, it, number, suite.version);
      show(child, it.result, earlier);
    });
    this.restore(earlier, "Earlier results");
    const decided: [vscode.TestItem, Shown][] = [];
    gates.forEach((it, number) => {
      const id = gateId(it.label);
      const child = known.get(id) ?? this.controller.createTestItem(id, it.label, uri);
      this.describeGate(child, it, number);
      show(child, it.result, decided);
    });
    this.restore(decided, "Gates");
  }

  private describeGate(item: vscode.TestItem, of: Gate, number: number): void {
    item.range = asRange(of.range);
    item.sortText = `gate ${String(number).padStart(6, "0")}`; // below the cases
    item.description = of.result?.text ?? "";
  }

  private describe(item: vscode.TestItem, of: Case, number: number, version: number): void {
    item.label = of.label;
    item.range = asRange(of.range);
    item.sortText = String(number).padStart(6, "0"); // as they are written, not by their names
    item.tags = of.tags.map((it) => new vscode.TestTag(it));
    const notRun = this.runs.reasonNotRun(item, version);
    const last = of.result === null ? "" : worded(of.result);
    const current = of.result?.stale === true ? `${last} (stale)` : last;
    item.description = notRun === undefined ? current : `not run: ${notRun}`;
  }

  /** Results that were cleared are shown as those of another time; the editor cannot take them back. */
  private forget(item: vscode.TestItem): void {
    if (this.shown.delete(item)) {
      this.controller.invalidateTestResults(item);
    }
  }

  /** Whether a result came by another way than a run of this session, such as from the disk. */
  private isNews(item: vscode.TestItem, result: Shown): boolean {
    const before = this.shown.get(item);
    this.shown.set(item, { at: result.at, stale: result.stale });
    if (result.stale && before?.stale !== true && before !== undefined) {
      this.controller.invalidateTestResults(item);
    }
    return !this.runs.tookOver(item) && before?.at !== result.at;
  }

  private restore(results: readonly [vscode.TestItem, Shown][], name: string): void {
    if (results.length === 0) {
      return;
    }
    const items = results.map(([it]) => it);
    // With the focus preserved, nothing pops up for a run the user did not just start.
    const request = new vscode.TestRunRequest(items, undefined, undefined, false, true);
    const run = this.controller.createTestRun(request, name, false);
    for (const [item, result] of results) {
      const said = testMessages(result.messages);
      switch (result.state) {
        case "passed":
          run.passed(item);
          break;
        case "failed":
          run.failed(item, said);
          break;
        case "errored":
          run.errored(item, said);
          break;
        case "skipped":
          run.skipped(item);
          break;
      }
    }
    run.end();
    const stale = results.filter(([, it]) => it.stale).map(([it]) => it);
    if (stale.length > 0) {
      this.controller.invalidateTestResults(stale);
    }
  }
}
