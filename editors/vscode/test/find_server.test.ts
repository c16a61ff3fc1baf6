// Which server is started, with a stand-in for the editor and programs on a real disk; run by `npm test`.

import assert from "node:assert/strict";
import * as fs from "node:fs";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, beforeEach, test } from "node:test";

const EDITOR = `
const editor = globalThis.editor;
export const workspace = {
  get isTrusted() { return editor.isTrusted; },
  get workspaceFolders() { return editor.folders.map((fsPath) => ({ uri: { fsPath, scheme: "file" } })); },
  getConfiguration: () => ({ get: (key, otherwise) => editor.settings[key] ?? otherwise }),
};
export const extensions = {
  getExtension: () => editor.interpreter && { activate: async () => ({ environments: {
    getActiveEnvironmentPath: () => ({}),
    resolveEnvironment: async () => ({ executable: { uri: { fsPath: editor.interpreter } } }),
  } }) },
};
export class Disposable {}`;

registerHooks({
  resolve(name, context, next) {
    if (name === "vscode") {
      return { url: `data:text/javascript,${encodeURIComponent(EDITOR)}`, shortCircuit: true };
    }
    // The bundler leaves out endings.
    return next(name.startsWith("./") && !name.endsWith(".ts") ? `${name}.ts` : name, context);
  },
});

const top = fs.mkdtempSync(path.join(tmpdir(), "find-server-"));
after(() => fs.rmSync(top, { recursive: true }));
const [first, second, tools] = ["first", "second", "tools"].map((it) => path.join(top, it));
for (const name of ["first/suitecase", "first/.venv/bin/suitecase", "second/bin/suitecase", "tools/suitecase"]) {
  fs.mkdirSync(path.dirname(path.join(top, name)), { recursive: true });
  fs.writeFileSync(path.join(top, name), "#!/bin/sh\n", { mode: 0o755 });
}
fs.symlinkSync(path.join(first, ".venv"), path.join(top, "link"));

const editor = { isTrusted: false, folders: [first, second], settings: {}, interpreter: "" };
Object.assign(globalThis, { editor });
const { findServer } = await import("../src/find_server.ts");

beforeEach(() => {
  Object.assign(editor, { isTrusted: false, settings: {}, interpreter: "" });
  process.env["PATH"] = "";
});

async function found(): Promise<string> {
  const context = { globalStorageUri: { fsPath: path.join(top, "storage") } };
  return findServer(context as never).then((it) => it.path, (error) => `refused: ${error.message}`);
}

const IN_WORKSPACE = [
  "${workspaceFolder}/.venv/bin/suitecase",
  ".venv/bin/suitecase",
  "suitecase",
  "../second/bin/suitecase",
  path.join(top, "link/bin/suitecase"),
];

for (const set of IN_WORKSPACE) {
  test(`without trust, a setting of the user does not start ${set.replace(top, "")} of a workspace`, async () => {
    editor.settings = { "server.path": set };
    assert.match(await found(), /^refused: .* lies in this workspace, and the workspace is not trusted/);
    editor.isTrusted = true;
    assert.match(await found(), /suitecase$/);
  });
}

test("without trust, a program of the workspace on the PATH is passed over", async () => {
  const inside = [path.join(first, ".venv/bin"), path.join(top, "link/bin"), path.join(second, "bin")];
  for (const folder of inside) {
    process.env["PATH"] = folder;
    assert.match(await found(), /^refused/);
    process.env["PATH"] = `${folder}${path.delimiter}${tools}`;
    assert.equal(await found(), path.join(tools, "suitecase"));
  }
});

test("without trust, the environment of the workspace that is selected is passed over", async () => {
  editor.interpreter = path.join(top, "link/bin/python");
  assert.match(await found(), /^refused/);
  editor.isTrusted = true;
  assert.equal(await found(), path.join(top, "link/bin/suitecase"));
});

test("without trust, a program outside the workspace is started, set or on the PATH", async () => {
  editor.settings = { "server.path": path.join(tools, "suitecase") };
  assert.equal(await found(), path.join(tools, "suitecase"));
});
