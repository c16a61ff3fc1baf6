// What is said of the cases of a run: at their places, and in its output.

import * as vscode from "vscode";
import { asRange } from "./places";
import type { Message, TestState } from "./protocol";
import { worded } from "./verdicts";

/** What is said of a case, each at its place: a miss at its rubric, and at the range of its score. */
export function testMessages(messages: readonly Message[]): vscode.TestMessage[] {
  // The verdict comes first. The lens has it, so it is said only where nothing else is.
  const misses = messages.filter((it) => it.kind === "miss");
  const all = (misses.length > 0 ? misses : messages).flatMap((it) => [it, ...(it.related ?? [])]);
  const place = ({ message, uri, range }: Message): string => JSON.stringify([message, uri, range?.start]);
  return [...new Map(all.map((it) => [place(it), it])).values()].map(
    ({ message, uri, range }) => {
      const shown = new vscode.TestMessage(message);
      if (uri !== undefined && range !== undefined) {
        shown.location = new vscode.Location(vscode.Uri.parse(uri, true), asRange(range));
      }
      return shown;
    },
  );
}

/** How a case came out of a run, for the output of that run. */
export function inWords(it: TestState): string {
  const { verdict, score } = it;
  const state = it.state === "notRun" ? "not run" : it.state;
  const how = verdict === undefined ? state : worded({ verdict, score: score ?? null });
  const time = it.durationMs === undefined ? "" : ` (${duration(it.durationMs)})`;
  const said = (it.messages ?? []).map((its) => `    ${its.message}\n`);
  return `${it.case}: ${how}${time}\n${said.join("")}`;
}

function duration(milliseconds: number): string {
  return milliseconds < 1000
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** A text as terminals want it; answers of models must not move the cursor or color anything. */
export function terminal(text: string): string {
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, " ").replace(/\n/g, "\r\n");
}
