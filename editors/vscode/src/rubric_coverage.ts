// Coverage of rubrics: which of a suite's rubrics the last answers met.

import * as vscode from "vscode";
import { asRange } from "./places";
import type { Case, Suite } from "./protocol";

const details = new WeakMap<vscode.FileCoverage, vscode.FileCoverageDetail[]>();

export const rubricCoverage = {
  /** A rubric that is met counts as a statement that was reached, a case that passed as a function. */
  of(uri: vscode.Uri, suite: Suite): vscode.FileCoverage {
    const found = suite.cases.flatMap((it) => [
      ...(it.result === null || it.result.stale ? [] : rubricsOf(it)),
      new vscode.DeclarationCoverage(it.label, it.result?.verdict === "pass", asRange(it.range)),
    ]);
    const file = vscode.FileCoverage.fromDetails(uri, found);
    details.set(file, found);
    return file;
  },

  detailsOf(file: vscode.FileCoverage): vscode.FileCoverageDetail[] {
    return details.get(file) ?? [];
  },
};

function rubricsOf(testCase: Case): vscode.StatementCoverage[] {
  // Nobody knows yet whether the answer of a model meets what was only rehearsed.
  return (testCase.result?.rubrics ?? []).filter((rubric) => !rubric.rehearsed).map(
    (rubric) => new vscode.StatementCoverage(rubric.met, asRange(rubric.range)),
  );
}
