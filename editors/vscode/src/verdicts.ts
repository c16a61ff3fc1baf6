// Verdicts in words and signs, as lenses have them.

import type { Result, Verdict } from "./protocol";

export const SIGNS: Readonly<Record<Verdict, string>> = {
  pass: "✓",
  rehearsed: "○",
  borderline: "~",
  fail: "✗",
  not_evaluated: "?",
  error: "!",
  judge_failed: "!",
};

/** From these scores on an answer is borderline, and passes. */
const THRESHOLDS = [0.6, 0.8];

/** `fail 0.40`; `not evaluated`. */
export function worded(result: Pick<Result, "verdict" | "score">): string {
  const name = result.verdict.replace("_", " ");
  return result.score === null ? name : `${name} ${shownScore(result.score)}`;
}

/** A score with two digits, and with more where two would tell another verdict. */
function shownScore(score: number): string {
  for (let digits = 2; digits < 12; digits += 1) {
    const shown = score.toFixed(digits);
    if (THRESHOLDS.every((it) => Number(shown) >= it === score >= it)) return shown;
  }
  return String(score);
}
