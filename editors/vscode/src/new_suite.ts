// A first suite: small, sound, and run without a key.

import * as vscode from "vscode";

const FIRST = `description: A first suite
# Press the lens above a case to run it. The target \`mock\` is always
# there and needs no key: it repeats the question. To ask a model,
# define a target in targets.yaml, and name it here.
execution:
  target: mock
evalcases:
  - id: greets
    input: Hello there, Ada
    expected_outcome: Greets Ada by name
    rubrics:
      - id: hello
        expected_outcome: says hello
      - id: name
        expected_outcome: mentions Ada
      - id: offer
        expected_outcome: offers help
  - id: repeats
    input: Goodbye now
    expected_outcome: Says goodbye
    evaluators:
      - name: goodbye
        type: contains
        value: Goodbye
`;

/** Open a new suite that is not saved yet. */
export async function newSuite(): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: "suitecase", content: FIRST });
  await vscode.window.showTextDocument(document);
}
