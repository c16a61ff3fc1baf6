// The extension in a workspace that is not trusted: everything works but running.

"use strict";

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { findings, open, runAll, suitecase, until } = require("./testing.js");

const { executeCommand } = vscode.commands;

exports.run = () =>
  runAll({
    "the server runs, from outside the workspace": async () => {
      const api = await suitecase();
      assert.equal(vscode.workspace.isTrusted, false);
      assert.equal(api.server.kind, "running", JSON.stringify(api.server));
      assert.equal(api.server.origin, "the PATH");
    },

    "suites are checked, completed and mended": async () => {
      const { document } = await open("legacy.eval.yaml");
      const found = await findings(document.uri, (it) => it.length > 0);
      assert.ok(found.some((it) => it.code.value === "SC201"));
      const end = document.lineAt(document.lineCount - 1).range.end;
      const offered = await executeCommand("vscode.executeCompletionItemProvider", document.uri, end);
      assert.ok(offered.items.length > 0);
      await executeCommand("suitecase.fixAll");
      await findings(document.uri, (it) => it.every((its) => !String(its.code.value).startsWith("SC6")));
      await executeCommand("workbench.action.files.revert");
    },

    "cases are shown, and not run": async () => {
      const { document } = await open("greet.eval.yaml");
      const api = await suitecase();
      await until("cases", () => api.test(document.uri)?.children.size === 2, api.onDidChangeSuite);
      const told = [];
      const listening = api.onDidFinishCase((it) => told.push(it));
      const uri = document.uri.toString();
      assert.equal(await executeCommand("suitecase.runCase", uri, "greet"), undefined);
      assert.equal(await executeCommand("suitecase.runSuite", uri), undefined);
      listening.dispose();
      assert.deepEqual(told, []);
      assert.equal(api.result(document.uri, "greet"), undefined);
    },
  });
