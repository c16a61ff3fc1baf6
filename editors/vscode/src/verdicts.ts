// Verdicts in words and signs, as lenses have them.

import type { Result, Verdict } from "./protocol";

export const SIGNS: Readonly<Record<Verdict, string>> = {
  pass: "✓",
  borderline: "~",
  fail: "✗",
  not_evaluated: "?",
  error: "!",
};

/** `fail 0.40`; `not evaluated`. */
export function worded(result: Pick<Result, "verdict" | "score">): string {
  const name = result.verdict.replace("_", " ");
  return result.score === null ? name : `${name} ${result.score.toFixed(2)}`;
}
