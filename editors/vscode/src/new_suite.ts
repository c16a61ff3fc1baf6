// A first suite, as `suitecase init` writes it.

import * as vscode from "vscode";
import { ExecuteCommandRequest, type LanguageClient } from "vscode-languageclient/node";
import { refusedMessage } from "./refusals";

/** The server's answer to `suitecase.createSuite`. */
interface Created {
  /** The suite; null if there is no folder to write it to. */
  readonly uri: string | null;
  readonly text: string;
  readonly files: readonly { readonly uri: string; readonly text: string }[];
}

/** Shown where no server runs that would know better. */
const WITHOUT_SERVER = `description: A first suite
# The target \`mock\` needs no API key: it repeats the input. To ask a model,
# define a target in targets.yaml, and name it here.
execution:
  target: mock
evalcases:
  - id: greets
    input: Hello there, Ada
    expected_outcome: Greets Ada by name
    evaluators:
      - name: name
        type: contains
        value: Ada
`;

type Answer = vscode.QuickPickItem & { readonly target: string | undefined };
const MODEL = "A model …";
const ANSWERS: readonly Answer[] = [
  { label: "Canned answers", description: "no API key needed", target: "mock" },
  { label: MODEL, description: "such as openai/gpt-5-mini", target: undefined },
  { label: "A program", description: "that reads the input and prints an answer", target: "cli" },
];

export class NewSuite {
  private client: LanguageClient | undefined;

  connected(client: LanguageClient): void {
    this.client = client;
  }

  disconnected(): void {
    this.client = undefined;
  }

  /**
   * Write a suite with what it needs and open it; no file is overwritten. Without a folder, or without a
   * server, it is a document that is not saved yet.
   *
   * @param clicked the folder to write it to; by default that of the workspace, or the one that is chosen.
   * @param target what answers; by default what is defined, or chosen.
   */
  async create(clicked?: vscode.Uri, target?: string): Promise<void> {
    const { client } = this;
    const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
    const folder =
      clicked instanceof vscode.Uri
        ? clicked
        : (several ? await vscode.window.showWorkspaceFolderPick() : vscode.workspace.workspaceFolders?.[0])?.uri;
    if (several && folder === undefined) {
      return;
    }
    if (client === undefined || folder?.scheme !== "file") {
      await open(WITHOUT_SERVER);
      return;
    }
    const isDefined = (await vscode.workspace.findFiles("**/targets.{yaml,yml}", undefined, 1)).length > 0;
    const chosen = typeof target === "string" ? target : isDefined ? null : await askedTarget();
    if (chosen === undefined) {
      return;
    }
    try {
      const created: Created = await client.sendRequest(ExecuteCommandRequest.type, {
        command: "suitecase.createSuite",
        arguments: [client.code2ProtocolConverter.asUri(folder), { target: chosen, apply: false }],
      });
      for (const { uri, text } of created.files) {
        await vscode.workspace.fs.writeFile(vscode.Uri.parse(uri, true), Buffer.from(text));
      }
      await (created.uri === null
        ? open(created.text)
        : vscode.window.showTextDocument(vscode.Uri.parse(created.uri, true)));
    } catch (error) {
      refusedMessage(error);
    }
  }
}

async function askedTarget(): Promise<string | undefined> {
  const answer = await vscode.window.showQuickPick(ANSWERS, {
    title: "New Evaluation Suite",
    placeHolder: "What answers the cases?",
  });
  if (answer?.label !== MODEL) {
    return answer?.target;
  }
  const model = await vscode.window.showInputBox({
    title: "New Evaluation Suite",
    prompt: "Provider and model. The API key is read from the environment.",
    value: "openai/gpt-5-mini",
    validateInput: (it) => (/^[^\s/]+\/\S+$/.test(it.trim()) ? undefined : "Write it as provider/model"),
  });
  return model?.trim();
}

async function open(text: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: "suitecase", content: text });
  await vscode.window.showTextDocument(document);
}
