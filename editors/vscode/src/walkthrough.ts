// Which steps of the walkthrough are done, whenever and however somebody did them.

import * as vscode from "vscode";

/** Steps that are completed by a context key `suitecase.did.STEP`; `package.json` has the same names. */
const STEPS = ["start", "write", "run", "testing", "fix", "report"] as const;
export type Step = (typeof STEPS)[number];

/**
 * The editor completes a step only when its context key becomes true while the walkthrough is loaded,
 * which it is once somebody opens it. What was done before is repeated then, after these times in
 * milliseconds, since nothing tells when the walkthrough has been loaded.
 */
const REPEATED_AFTER = [500, 2000, 6000];

export class Walkthrough implements vscode.Disposable {
  private readonly done = new Set<Step>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly memory: vscode.Memento) {
    STEPS.filter((it) => memory.get(key(it)) === true).forEach((it) => this.done.add(it));
    this.disposables = [
      vscode.window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
        if ([...opened, ...changed].some(mayBeWalkthrough)) {
          this.repeat();
        }
      }),
    ];
    if (vscode.window.tabGroups.all.some((group) => group.tabs.some(mayBeWalkthrough))) {
      this.repeat();
    }
  }

  /** A step was done. */
  did(step: Step): void {
    if (!this.done.has(step)) {
      this.done.add(step);
      void this.memory.update(key(step), true);
      void tell(step);
    }
  }

  dispose(): void {
    this.timers.forEach((it) => clearTimeout(it));
    this.disposables.forEach((it) => it.dispose());
  }

  private repeat(): void {
    this.timers.forEach((it) => clearTimeout(it));
    this.timers.clear();
    for (const after of REPEATED_AFTER) {
      this.timers.add(setTimeout(() => this.done.forEach((it) => void tell(it)), after));
    }
  }
}

/** The pages of the editor itself have no input that extensions know. */
function mayBeWalkthrough(tab: vscode.Tab): boolean {
  return tab.input === undefined;
}

/** True for a moment: a key that is true already when the walkthrough is loaded completes nothing. */
async function tell(step: Step): Promise<void> {
  await vscode.commands.executeCommand("setContext", key(step), true);
  await vscode.commands.executeCommand("setContext", key(step), false);
}

function key(step: Step): string {
  return `suitecase.did.${step}`;
}
