// The requests and notifications of the server beside those of the Language Server Protocol, as
// docs/editors/protocol.md describes them.

import type { Range } from "vscode-languageserver-protocol";
import { NotificationType, RequestType } from "vscode-languageserver-protocol";

/** What is said at a place of a suite. */
export interface Message {
  readonly message: string;
  /** Whether it is the verdict of the case, or one of its misses. */
  readonly kind?: "verdict" | "miss";
  readonly uri?: string;
  readonly range?: Range;
  /** Other places that it has to do with, such as the range that a score lies in. */
  readonly related?: readonly Message[];
}

/** What a result is shown as: a verdict, or that the judge failed, or that no model answered or judged. */
export type Verdict =
  | "pass"
  | "rehearsed"
  | "borderline"
  | "fail"
  | "judge_failed"
  | "error"
  | "not_evaluated";
export type FinalState = "passed" | "failed" | "errored" | "skipped" | "notRun";

/** The last result of a case. */
export interface Result {
  readonly state: FinalState;
  readonly verdict: Verdict;
  readonly score: number | null;
  readonly at: string;
  readonly stale: boolean;
  readonly messages: readonly Message[];
  readonly rubrics: readonly RubricOutcome[];
}

/** Whether an answer met a rubric. */
export interface RubricOutcome {
  readonly range: Range;
  readonly met: boolean;
  /** It would be met, but a stand-in took the place of a model. */
  readonly rehearsed: boolean;
  readonly message: string;
}

export interface Case {
  readonly id: string;
  readonly label: string;
  readonly range: Range;
  readonly selectionRange: Range;
  readonly tags: readonly string[];
  readonly result: Result | null;
}

/** A gate of a suite, and what the last whole run came to. */
export interface Gate {
  readonly label: string;
  readonly range: Range;
  readonly result: GateResult | null;
}

export interface GateResult {
  readonly state: FinalState;
  /** What was measured, and the outcome. */
  readonly text: string;
  readonly at: string;
  readonly stale: boolean;
  readonly messages: readonly Message[];
}

export interface Suite {
  readonly uri: string;
  readonly version: number;
  readonly label: string;
  readonly range: Range | null;
  readonly broken: boolean;
  readonly cases: readonly Case[];
  /** Servers of earlier versions send none. */
  readonly gates?: readonly Gate[];
}

export interface TestState {
  readonly runId: string;
  readonly uri: string;
  readonly case: string;
  readonly state: "queued" | "started" | FinalState;
  readonly messages?: readonly Message[];
  readonly durationMs?: number;
  readonly score?: number | null;
  readonly verdict?: Verdict;
}

interface RunAnswer {
  readonly runId: string;
  readonly cancelled: boolean;
  readonly results: readonly { readonly uri: string; readonly problem: string | null }[];
}

interface RunParams {
  readonly runId: string;
  readonly tests: readonly { readonly uri: string; readonly cases?: readonly string[] }[];
}

export const ListSuites = new RequestType<
  Record<string, never>,
  { readonly suites: readonly { readonly uri: string }[] },
  void
>("suitecase/listSuites");
export const DiscoverTests = new RequestType<{ readonly uri: string }, Suite, void>(
  "suitecase/discoverTests",
);
export const RunTests = new RequestType<RunParams, RunAnswer, void>("suitecase/runTests");
export const CancelRun = new RequestType<{ readonly runId: string }, { readonly cancelled: boolean }, void>(
  "suitecase/cancelRun",
);
export const WriteReport = new RequestType<{ readonly uri: string }, { readonly path: string }, void>(
  "suitecase/report",
);
export const AsGraded = new RequestType<
  { readonly uri: string; readonly case: string | null },
  { readonly text: string; readonly case: string | null },
  void
>("suitecase/asGraded");
export const TestStateChanged = new NotificationType<TestState>("suitecase/testState");
export const ResultsChanged = new NotificationType<{ readonly uri: string }>(
  "suitecase/resultsChanged",
);
