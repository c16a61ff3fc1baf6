// The suites that are known: their cases as they stand in the editor, and the last results of these.

import * as vscode from "vscode";
import {
  DidChangeWatchedFilesNotification,
  FileChangeType,
  type LanguageClient,
} from "vscode-languageclient/node";
import { asRange } from "./places";
import { DiscoverTests, ListSuites, ResultsChanged, type Case, type Suite } from "./protocol";

/** After a change further ones are awaited for this long, in milliseconds. */
const QUIET = 250;
/** And so much longer for each case, since all are asked for. */
const PER_CASE = 0.3;
/** At most this many files of a folder that appears are reported to the server. */
const MOST_FILES = 2000;
/** The languages of documents that may be suites. */
const LANGUAGES = ["suitecase", "yaml"];

export class Suites implements vscode.Disposable {
  private readonly known = new Map<string, Suite | undefined>();
  private readonly due = new Map<string, NodeJS.Timeout>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  /** A suite was found, has changed in its text or its results, or is gone. */
  readonly onDidChange = this.changed.event;
  private client: LanguageClient | undefined;
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly warn: (message: string) => void) {
    const files = vscode.workspace.createFileSystemWatcher("**/*.{yaml,yml}");
    // Of a folder that is created, renamed or deleted nothing else may be told, such as what is in it.
    const folders = vscode.workspace.createFileSystemWatcher("**/*", false, true, false);
    const outside = (uri: vscode.Uri): void => this.soon(uri, true);
    this.disposables = [
      files,
      folders,
      folders.onDidCreate((uri) => void this.lookIfFolder(uri)),
      folders.onDidDelete((uri) => this.lookBelow(uri)),
      files.onDidCreate(() => this.soon(undefined)),
      files.onDidDelete(outside),
      files.onDidChange(outside),
      vscode.workspace.onDidOpenTextDocument((it) => this.look(it)),
      vscode.workspace.onDidChangeTextDocument((it) => this.look(it.document)),
      // What was not saved is gone; an untitled one is so altogether.
      vscode.workspace.onDidCloseTextDocument((it) => this.soon(it.uri, true)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.soon(undefined)),
    ];
  }

  /** The addresses of all suites. */
  get uris(): vscode.Uri[] {
    return [...this.known.keys()].map((it) => vscode.Uri.parse(it, true));
  }

  /** Whether this is a suite, as far as is known. */
  has(uri: vscode.Uri): boolean {
    return this.known.has(uri.toString());
  }

  /** A suite with its cases; undefined where they have not been asked for yet. */
  get(uri: vscode.Uri): Suite | undefined {
    return this.known.get(uri.toString());
  }

  /** The case that a place lies in. */
  caseAt(uri: vscode.Uri, place: vscode.Position): Case | undefined {
    return this.get(uri)?.cases.find((it) => asRange(it.range).contains(place));
  }

  async connected(client: LanguageClient): Promise<void> {
    this.client = client;
    client.onNotification(ResultsChanged, ({ uri }) => this.soon(vscode.Uri.parse(uri, true)));
    await this.refresh();
  }

  disconnected(): void {
    this.client = undefined;
  }

  /** Look for suites anew, and at those that are open or were looked at. */
  async refresh(): Promise<void> {
    const client = this.client;
    if (client === undefined) {
      return;
    }
    let listed = new Set(this.known.keys());
    try {
      const answer = await client.sendRequest(ListSuites, {});
      listed = new Set(answer.suites.map((it) => vscode.Uri.parse(it.uri, true).toString()));
    } catch (error) {
      this.warn(`The suites of the workspace are not listed: ${String(error)}`);
    }
    const open = vscode.workspace.textDocuments.filter(mayBeSuite).map((it) => it.uri.toString());
    for (const it of listed) {
      if (!this.known.has(it)) {
        this.known.set(it, undefined);
        this.changed.fire(vscode.Uri.parse(it, true));
      }
    }
    for (const it of [...this.known.keys()]) {
      if (!listed.has(it) && !open.includes(it)) {
        this.forget(it);
      }
    }
    const looked = [...this.known].filter(([, suite]) => suite !== undefined).map(([it]) => it);
    await Promise.all(
      [...new Set([...open, ...looked])].map((it) => this.discover(vscode.Uri.parse(it, true))),
    );
  }

  /** Ask for the cases of a suite as they are now; undefined where it is none. */
  async discover(uri: vscode.Uri): Promise<Suite | undefined> {
    const key = uri.toString();
    clearTimeout(this.due.get(key));
    this.due.delete(key);
    const client = this.client;
    if (client === undefined) {
      return this.known.get(key);
    }
    try {
      const suite = await client.sendRequest(DiscoverTests, {
        uri: client.code2ProtocolConverter.asUri(uri),
      });
      this.known.set(key, suite);
      this.changed.fire(uri);
      return suite;
    } catch {
      // It is no suite, or no longer there: then there are no cases to show.
      if (client === this.client) {
        this.forget(key);
      }
      return undefined;
    }
  }

  dispose(): void {
    this.due.forEach((it) => clearTimeout(it));
    this.disposables.forEach((it) => it.dispose());
    this.changed.dispose();
  }

  private look(document: vscode.TextDocument): void {
    // Suites of other tools may be JSON, which nearly all other JSON is not.
    if (mayBeSuite(document) || this.has(document.uri)) {
      this.soon(document.uri);
    }
  }

  private async lookIfFolder(uri: vscode.Uri): Promise<void> {
    if (uri.path.includes("/node_modules/")) {
      return; // where thousands are installed, and nothing is searched
    }
    try {
      if ((await vscode.workspace.fs.stat(uri)).type === vscode.FileType.Directory) {
        const files = new vscode.RelativePattern(uri, "**/*.{yaml,yml,json,jsonl}");
        this.tell(await vscode.workspace.findFiles(files, undefined, MOST_FILES), FileChangeType.Created);
        this.soon(undefined);
      }
    } catch {
      return; // it is gone already
    }
  }

  private lookBelow(folder: vscode.Uri): void {
    const start = `${folder.toString()}/`;
    const gone = this.uris.filter((it) => it.toString().startsWith(start));
    this.tell(gone, FileChangeType.Deleted);
    gone.forEach((it) => this.soon(it));
  }

  /** Tell the server of files that its own watching does not tell of. */
  private tell(uris: readonly vscode.Uri[], type: FileChangeType): void {
    const { client } = this;
    if (client !== undefined && uris.length > 0) {
      const changes = uris.map((it) => ({ uri: client.code2ProtocolConverter.asUri(it), type }));
      void client.sendNotification(DidChangeWatchedFilesNotification.type, { changes });
    }
  }

  /** Ask for the cases of a suite once nothing changes any more; undefined asks for all suites. */
  private soon(uri: vscode.Uri | undefined, onlyKnown = false): void {
    const key = uri?.toString() ?? "";
    if (onlyKnown && !this.known.has(key)) {
      return;
    }
    clearTimeout(this.due.get(key));
    const ask = (): void => void (uri === undefined ? this.refresh() : this.discover(uri));
    const cases = this.known.get(key)?.cases.length ?? 0;
    this.due.set(key, setTimeout(ask, QUIET + cases * PER_CASE));
  }

  private forget(key: string): void {
    if (this.known.delete(key)) {
      this.changed.fire(vscode.Uri.parse(key, true));
    }
  }
}

function mayBeSuite(document: vscode.TextDocument): boolean {
  const { scheme } = document.uri;
  return LANGUAGES.includes(document.languageId) && (scheme === "file" || scheme === "untitled");
}
