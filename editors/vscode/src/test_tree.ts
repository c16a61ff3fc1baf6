// The items of the Testing view above the cases: workspace folders, their folders, and suites.

import * as path from "node:path";
import * as vscode from "vscode";

/** Folders stand before suites, both by name. */
const enum Order {
  Folder = "0",
  Suite = "1",
}

export class TestTree {
  private readonly suites = new Map<string, vscode.TestItem>();

  constructor(private readonly controller: vscode.TestController) {}

  /** The item of a suite. */
  get(uri: vscode.Uri): vscode.TestItem | undefined {
    return this.suites.get(uri.toString());
  }

  /** The item of a suite, which is created in its folder if there is none. */
  add(uri: vscode.Uri): vscode.TestItem {
    const key = uri.toString();
    let item = this.suites.get(key);
    if (item === undefined) {
      item = this.controller.createTestItem(key, path.posix.basename(uri.path), uri);
      item.canResolveChildren = true;
      item.sortText = `${Order.Suite}${item.label}`;
      this.suites.set(key, item);
      this.place(item, uri);
    }
    return item;
  }

  /** Remove a suite, and the folders that have no other. */
  delete(uri: vscode.Uri): void {
    const item = this.suites.get(uri.toString());
    this.suites.delete(uri.toString());
    let gone = item;
    while (gone !== undefined) {
      const parent: vscode.TestItem | undefined = gone.parent;
      (parent?.children ?? this.controller.items).delete(gone.id);
      gone = parent?.children.size === 0 ? parent : undefined;
    }
  }

  /** Put all suites where they belong, after workspace folders were added or removed. */
  rearrange(): void {
    for (const item of this.suites.values()) {
      item.parent?.children.delete(item.id);
    }
    this.controller.items.replace([]);
    for (const item of this.suites.values()) {
      this.place(item, item.uri!);
    }
  }

  /** The suites at or below an item; that of a case for the item of a case. */
  suitesOf(item: vscode.TestItem): vscode.TestItem[] {
    for (let it: vscode.TestItem | undefined = item; it !== undefined; it = it.parent) {
      if (this.suites.get(it.id) === it) {
        return [it];
      }
    }
    const found: vscode.TestItem[] = [];
    item.children.forEach((it) => found.push(...this.suitesOf(it)));
    return found;
  }

  private place(item: vscode.TestItem, uri: vscode.Uri): void {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    if (folder === undefined) {
      // Not saved yet, or from elsewhere: there the path tells which one it is.
      item.description = uri.scheme === "file" ? path.dirname(uri.fsPath) : "";
      this.controller.items.add(item);
      return;
    }
    let within = this.controller.items;
    let at = folder.uri;
    if ((vscode.workspace.workspaceFolders?.length ?? 0) > 1) {
      within = this.folder(within, at, folder.name).children;
    }
    for (const name of path.posix.relative(at.path, uri.path).split("/").slice(0, -1)) {
      at = vscode.Uri.joinPath(at, name);
      within = this.folder(within, at, name).children;
    }
    within.add(item);
  }

  private folder(within: vscode.TestItemCollection, uri: vscode.Uri, label: string): vscode.TestItem {
    const known = within.get(uri.toString());
    if (known !== undefined) {
      return known;
    }
    const item = this.controller.createTestItem(uri.toString(), label, uri);
    item.sortText = `${Order.Folder}${label}`;
    within.add(item);
    return item;
  }
}
