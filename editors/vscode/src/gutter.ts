// Signs in the gutter: which rubrics the last answer met.
//
// Cases have theirs from the Testing view, which runs them at a click as well. Where that is
// switched off (`testing.gutterEnabled`) their verdicts are shown here too.

import * as vscode from "vscode";
import { asRange } from "./places";
import type { RubricOutcome, Suite } from "./protocol";
import type { Suites } from "./suites";

const SETTING = "suitecase.gutter";
const KINDS = [
  "met",
  "missed",
  "rehearsed",
  "stale",
  "pass",
  "borderline",
  "fail",
  "judge_failed",
  "error",
  "not_evaluated",
] as const;
type Kind = (typeof KINDS)[number];

export class Gutter implements vscode.Disposable {
  private readonly types: Readonly<Record<Kind, vscode.TextEditorDecorationType>>;
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly suites: Suites,
    extension: vscode.Uri,
  ) {
    const icon = (kind: Kind, theme: string): vscode.Uri =>
      vscode.Uri.joinPath(extension, "media", "gutter", `${kind}-${theme}.svg`);
    this.types = Object.fromEntries(
      KINDS.map((kind) => [
        kind,
        vscode.window.createTextEditorDecorationType({
          light: { gutterIconPath: icon(kind, "light") },
          dark: { gutterIconPath: icon(kind, "dark") },
          gutterIconSize: "75%",
          rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
        }),
      ]),
    ) as unknown as Record<Kind, vscode.TextEditorDecorationType>;
    this.disposables = [
      ...Object.values(this.types),
      suites.onDidChange((uri) => this.show((it) => it.document.uri.toString() === uri.toString())),
      vscode.window.onDidChangeVisibleTextEditors(() => this.show()),
      vscode.workspace.onDidChangeConfiguration((it) => {
        if (it.affectsConfiguration(SETTING) || it.affectsConfiguration("testing.gutterEnabled")) {
          this.show();
        }
      }),
    ];
    this.show();
  }

  dispose(): void {
    this.disposables.forEach((it) => it.dispose());
  }

  private show(isMeant: (editor: vscode.TextEditor) => boolean = () => true): void {
    for (const editor of vscode.window.visibleTextEditors.filter(isMeant)) {
      const { uri } = editor.document;
      const suite = this.suites.get(uri);
      const isOn = vscode.workspace.getConfiguration(undefined, uri).get(SETTING, true);
      const places = isOn && suite !== undefined ? signs(suite, uri) : new Map<Kind, vscode.Range[]>();
      for (const kind of KINDS) {
        editor.setDecorations(this.types[kind], places.get(kind) ?? []);
      }
    }
  }
}

function outcomeOf(rubric: RubricOutcome): Kind {
  return rubric.rehearsed ? "rehearsed" : rubric.met ? "met" : "missed";
}

function signs(suite: Suite, uri: vscode.Uri): Map<Kind, vscode.Range[]> {
  const places = new Map<Kind, vscode.Range[]>();
  const add = (kind: Kind, range: vscode.Range): void => {
    const those = places.get(kind) ?? [];
    those.push(new vscode.Range(range.start, range.start));
    places.set(kind, those);
  };
  const withCases = !vscode.workspace.getConfiguration("testing", uri).get("gutterEnabled", true);
  for (const { result, selectionRange } of suite.cases) {
    if (result === null) {
      continue;
    }
    if (withCases) {
      add(result.stale ? "stale" : result.verdict, asRange(selectionRange));
    }
    for (const rubric of result.rubrics) {
      add(result.stale ? "stale" : outcomeOf(rubric), asRange(rubric.range));
    }
  }
  return places;
}
