// The extension in a workspace that is trusted.

"use strict";

const assert = require("node:assert/strict");
const { readdirSync, readFileSync } = require("node:fs");
const vscode = require("vscode");
const { asked, findings, open, runAll, suitecase, until } = require("./testing.js");

const { executeCommand } = vscode.commands;

/** The item of a document in the Testing view, once it has all these cases and no others. */
async function itemWith(uri, ...cases) {
  const api = await suitecase();
  return await until(
    `cases ${cases} of ${uri.path}`,
    () => {
      const item = api.test(uri);
      const there = [];
      item?.children.forEach((it) => there.push(it.id));
      return there.join() === cases.join() && item;
    },
    api.onDidChangeSuite,
  );
}

/** Do something, which is handed what is told, and return how cases came out of it, in that order. */
async function finished(count, action) {
  const api = await suitecase();
  const told = [];
  const listening = api.onDidFinishCase((it) => told.push(it));
  try {
    await action(told);
    await until(`${count} cases to finish`, () => told.length >= count, api.onDidFinishCase);
    return told;
  } finally {
    listening.dispose();
  }
}

/** The process id of the server: a child of this process that is called with `lsp`. */
function serverProcess() {
  const status = (pid) => readFileSync(`/proc/${pid}/stat`, "utf8").replace(/.*\) /s, "").split(" ");
  const commandOf = (pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return readdirSync("/proc")
    .filter((it) => /^\d+$/.test(it))
    .map(Number)
    .find((it) => {
      try {
        return Number(status(it)[1]) === process.pid && commandOf(it).includes("lsp");
      } catch {
        return false; // it has ended in between
      }
    });
}

const lineOf = (document, message) => document.lineAt(message.location.range.start.line).text.trim();

const lenses = async (uri) =>
  (await executeCommand("vscode.executeCodeLensProvider", uri, 50)).map((it) => it.command.title);

const actions = (uri, range, kind) =>
  executeCommand("vscode.executeCodeActionProvider", uri, range, kind);

exports.run = () =>
  runAll({
    "all commands are there": async () => {
      const api = await suitecase();
      assert.equal(api.server.kind, "running", JSON.stringify(api.server));
      const { packageJSON } = vscode.extensions.getExtension("suitecase.suitecase");
      assert.equal(api.server.version, packageJSON.version);
      const known = await vscode.commands.getCommands();
      const missing = packageJSON.contributes.commands.filter((it) => !known.includes(it.command));
      assert.deepEqual(missing, []);
    },

    "suites are listed before they are opened": async () => {
      const api = await suitecase();
      const tree = (items) => {
        const found = {};
        items.forEach((it) => (found[it.label] = /\.(ya?ml|json)$/.test(it.uri.path) ? it.id : tree(it.children)));
        return found;
      };
      const folder = vscode.workspace.workspaceFolders[0].uri;
      const at = (path) => vscode.Uri.joinPath(folder, path).toString();
      await until("suites", () => api.test(vscode.Uri.joinPath(folder, "nested/deeper/plain.yaml")), api.onDidChangeSuite);
      assert.deepEqual(tree(api.tests), {
        nested: {
          deeper: { "plain.yaml": at("nested/deeper/plain.yaml") },
          "unsound.eval.yaml": at("nested/unsound.eval.yaml"),
        },
        others: {
          json: { "promptfooconfig.json": at("others/json/promptfooconfig.json") },
          skills: { greet: { evals: { "evals.json": at("others/skills/greet/evals/evals.json") } } },
          "ci.promptfooconfig.yaml": at("others/ci.promptfooconfig.yaml"),
          "promptfooconfig.nightly.yml": at("others/promptfooconfig.nightly.yml"),
          "promptfooconfig.yaml": at("others/promptfooconfig.yaml"),
        },
        "greet.eval.yaml": at("greet.eval.yaml"),
        "legacy.eval.yaml": at("legacy.eval.yaml"),
        "slow.eval.yaml": at("slow.eval.yaml"),
      });
    },

    "a suite is of its own language, and its cases are discovered from text that is not saved": async () => {
      const editor = await open("greet.eval.yaml");
      const { document } = editor;
      assert.equal(document.languageId, "suitecase");
      await itemWith(document.uri, "greet", "part");
      const end = document.lineAt(document.lineCount - 1).range.end;
      const added = "  - id: added\n    tags: [slow]\n    input: Hi\n    expected_outcome: hi\n";
      await editor.edit((it) => it.insert(end, added));
      const item = await itemWith(document.uri, "greet", "part", "added");
      const added_item = item.children.get("added");
      assert.equal(document.isDirty, true);
      assert.match(document.lineAt(added_item.range.start.line).text, /- id: added/);
      assert.deepEqual(added_item.tags.map((it) => it.id), ["slow"]);
      await executeCommand("undo");
      await itemWith(document.uri, "greet", "part");
    },

    "suites of other tools keep their languages, and have findings": async () => {
      const codes = (found) => [...new Set(found.map((it) => it.code.value))].sort().join();
      const noSuites = [await open("others/package.json"), await open("others/compose.yaml")];
      for (const [name, language, rules] of [
        ["skills/greet/evals/evals.json", "json", "AS005"],
        ["json/promptfooconfig.json", "json", "PF201"],
        ["ci.promptfooconfig.yaml", "yaml", "PF201"],
      ]) {
        const { document } = await open(`others/${name}`);
        assert.equal(document.languageId, language);
        assert.equal(codes(await findings(document.uri, (it) => it.length > 0)), rules);
      }
      for (const { document } of noSuites) {
        assert.equal(codes(await findings(document.uri, () => true)), "");
      }
    },

    "a run has misses as messages at their rubrics and score ranges": async () => {
      const { document } = await open("greet.eval.yaml");
      const told = await finished(2, () => executeCommand("testing.runCurrentFile"));
      const greet = told.find((it) => it.case === "greet");
      const part = told.find((it) => it.case === "part");
      assert.equal(part.state, "skipped");
      assert.equal(part.score, 1);
      assert.equal(greet.state, "failed");
      assert.deepEqual(
        greet.messages.map((it) => [lineOf(document, it), it.message.split(":")[0]]),
        [
          ["- id: zebra", "missed"],
          ["- id: graded", "missed"],
          ["- {expected_outcome: describes stripes, score_range: [0, 5]}", "the judge gave 0, which lies in this range"],
        ],
      );
    },

    "lenses and the item of a case have its verdict, and findings of runs a source of their own": async () => {
      const { document } = await open("greet.eval.yaml");
      const titles = await asked("verdicts", () => lenses(document.uri), (it) => it.join().includes("fail"));
      assert.deepEqual(titles.map((it) => it.replace(/\s+/g, " ")), [
        "▶ Run all cases",
        "✗ fail 0.33 (no model)",
        "▶ Run again",
        "○ rehearsed 1.00 (no model)",
        "▶ Run again",
      ]);
      const item = await itemWith(document.uri, "greet", "part");
      const api = await suitecase();
      await until(
        "the verdict",
        () => item.children.get("greet").description === "fail 0.33",
        api.onDidChangeSuite,
      );
      const sources = vscode.languages.getDiagnostics(document.uri).map((it) => it.source);
      assert.deepEqual([...new Set(sources)], ["suitecase run"]);
    },

    "what failed is run again alone": async () => {
      await open("greet.eval.yaml");
      const told = await finished(1, () => executeCommand("testing.reRunFailTests"));
      assert.deepEqual(told.map((it) => it.case), ["greet"]);
    },

    "the lens of a case runs it": async () => {
      const { document } = await open("greet.eval.yaml");
      const all = await executeCommand("vscode.executeCodeLensProvider", document.uri, 50);
      const { command, arguments: args } = all
        .map((it) => it.command)
        .find((it) => it.command === "suitecase.runCase" && it.arguments[1] === "part");
      const told = await finished(1, () => executeCommand(command, ...args));
      assert.deepEqual(told.map((outcome) => [outcome.case, outcome.state, outcome.score]), [["part", "skipped", 1]]);
    },

    "the case at the cursor is run, and cases with an edit are stale": async () => {
      const editor = await open("greet.eval.yaml");
      const { document } = editor;
      const line = document.getText().split("\n").findIndex((it) => it.includes("Goodbye now"));
      editor.selection = new vscode.Selection(line, 8, line, 8);
      const told = await finished(1, () => executeCommand("suitecase.runCase"));
      assert.deepEqual(told.map((it) => it.case), ["part"]);
      await editor.edit((it) => it.insert(document.lineAt(line).range.end, " or later"));
      const api = await suitecase();
      const stale = () => api.result(document.uri, "part")?.stale === true;
      await until("a stale result", stale, api.onDidChangeSuite);
      assert.equal(api.result(document.uri, "greet").stale, false);
      await executeCommand("undo");
      await until("a current result", () => !stale(), api.onDidChangeSuite);
    },

    "a suite that is not open is run from its file": async () => {
      const uri = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, "nested/deeper/plain.yaml");
      const told = await finished(1, () => executeCommand("suitecase.runFiles", uri));
      assert.deepEqual(told.map((outcome) => [outcome.case, outcome.state, outcome.score]), [["plain", "skipped", 1]]);
    },

    "a folder is run with the suites of its folders, and a case with errors is skipped with its reason": async () => {
      const api = await suitecase();
      const { uri } = vscode.workspace.workspaceFolders[0];
      const folder = api.tests.get(vscode.Uri.joinPath(uri, "nested").toString());
      const RUN = 2; // the kind of its profile
      const told = await finished(3, () =>
        executeCommand("vscode.runTestsById", RUN, `suitecase\0${folder.id}`),
      );
      assert.deepEqual(
        told.map((outcome) => [outcome.uri.path.split("/").pop(), outcome.case, outcome.state, outcome.score]).sort(),
        [
          ["plain.yaml", "plain", "skipped", 1],
          ["unsound.eval.yaml", "sound", "skipped", 1],
          ["unsound.eval.yaml", "wrong", "notRun", null],
        ],
      );
      const unsound = vscode.Uri.joinPath(uri, "nested/unsound.eval.yaml");
      assert.match(api.test(unsound).children.get("wrong").description, /^not run: .*containz/);
      const { document } = await open("nested/unsound.eval.yaml");
      const editor = vscode.window.activeTextEditor;
      const start = document.positionAt(document.getText().indexOf("containz"));
      await editor.edit((it) => it.replace(new vscode.Range(start, start.translate(0, 8)), "contains"));
      await until(
        "a case that may be run again",
        () => api.test(unsound).children.get("wrong").description === "",
        api.onDidChangeSuite,
      );
      await executeCommand("workbench.action.files.revert");
    },

    "cases that a missing key keeps from running all say so": async () => {
      const api = await suitecase();
      const folder = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, "keyless");
      const at = vscode.Uri.joinPath(folder, "keyless.eval.yaml");
      const write = (uri, text) => vscode.workspace.fs.writeFile(uri, Buffer.from(text));
      const target = "{name: keyed, provider: openai, model: gpt-5-mini, api_key: \"${{ SUITECASE_NO_SUCH_KEY }}\"}";
      await write(vscode.Uri.joinPath(folder, "targets.yaml"), `targets:\n  - ${target}\n`);
      const cases = ["one", "two"].map((id) => `  - {id: ${id}, input: Hello, expected_outcome: Hello}\n`);
      await write(at, `execution: {target: keyed}\nevalcases:\n${cases.join("")}`);
      await until("the suite", () => api.test(at), api.onDidChangeSuite);
      const told = await finished(2, () => executeCommand("suitecase.runFiles", at));
      assert.deepEqual(told.map((it) => [it.case, it.state]), [["one", "notRun"], ["two", "notRun"]]);
      api.test(at).children.forEach((it) => assert.match(it.description, /^not run: .*SUITECASE_NO_SUCH_KEY/));
      await vscode.workspace.fs.delete(folder, { recursive: true });
      await until("no such suite", () => !api.test(at), api.onDidChangeSuite);
    },

    "a suite is gone with its folder once its file is deleted": async () => {
      const api = await suitecase();
      const { uri } = vscode.workspace.workspaceFolders[0];
      const at = vscode.Uri.joinPath(uri, "passing/by/short.eval.yaml");
      const folder = vscode.Uri.joinPath(uri, "passing").toString();
      const text = "evalcases:\n  - {id: plain, input: Hello, expected_outcome: Hello}\n";
      await vscode.workspace.fs.writeFile(at, Buffer.from(text));
      await until("the new suite", () => api.test(at) && api.tests.get(folder), api.onDidChangeSuite);
      await vscode.workspace.fs.delete(vscode.Uri.joinPath(uri, "passing"), { recursive: true });
      await until("no such suite", () => !api.test(at) && !api.tests.get(folder), api.onDidChangeSuite);
    },

    "a run is cancelled": async () => {
      await open("slow.eval.yaml");
      const api = await suitecase();
      const told = await finished(2, async (sofar) => {
        const over = executeCommand("testing.runCurrentFile");
        await until("the quick case", () => sofar.length > 0, api.onDidFinishCase);
        await executeCommand("testing.cancelRun");
        await over;
      });
      assert.deepEqual(told.map((outcome) => [outcome.case, outcome.state, outcome.score]), [
        ["quick", "skipped", 1],
        ["late", "skipped", null],
      ]);
    },

    "a server that ends while cases are run ends the run": async () => {
      await open("slow.eval.yaml");
      const api = await suitecase();
      const told = await finished(1, async (sofar) => {
        const over = executeCommand("testing.runCurrentFile");
        await until("the quick case", () => sofar.length > 0, api.onDidFinishCase);
        process.kill(serverProcess(), "SIGKILL");
        await over;
        await until("a server that runs", () => api.server.kind === "running", api.onDidChangeServer);
      });
      assert.deepEqual(told.map((it) => it.case), ["quick"]);
    },

    "the report is a page beside the suite": async () => {
      const { document } = await open("greet.eval.yaml");
      const api = await suitecase();
      await until("results", () => api.result(document.uri, "greet"), api.onDidChangeSuite);
      await executeCommand("suitecase.openReport");
      const tab = await until(
        "the report",
        () =>
          vscode.window.tabGroups.all
            .flatMap((it) => it.tabs)
            .find((it) => it.input instanceof vscode.TabInputWebview),
        vscode.window.tabGroups.onDidChangeTabs,
      );
      assert.equal(tab.label, "Report: greet.eval.yaml");
      assert.match(tab.input.viewType, /suitecase\.report$/);
      await vscode.window.tabGroups.close(tab);
    },

    "the result of the case at the cursor is a page beside the suite": async () => {
      const editor = await open("greet.eval.yaml");
      editor.selection = new vscode.Selection(3, 0, 3, 0);
      await executeCommand("suitecase.openLog");
      const tab = await until(
        "a page with the result",
        () =>
          vscode.window.tabGroups.all
            .flatMap((it) => it.tabs)
            .find((it) => it.input instanceof vscode.TabInputWebview),
        vscode.window.tabGroups.onDidChangeTabs,
      );
      assert.match(tab.label, /^fail 0\.33: greet$/);
      await vscode.window.tabGroups.close(tab);
    },

    "a finding has a hover, a link and a quick fix, and is gone when that is made": async () => {
      const { document } = await open("legacy.eval.yaml");
      const found = await findings(document.uri, (it) => it.length > 0);
      const overlap = found.find((it) => it.code.value === "SC201");
      assert.match(overlap.message, /overlaps/);
      assert.match(String(overlap.code.target), /score-ranges-overlap/);
      const key = document.positionAt(document.getText().indexOf("score_ranges") + 2);
      const hovers = await executeCommand("vscode.executeHoverProvider", document.uri, key);
      assert.match(hovers.flatMap((it) => it.contents.map((its) => its.value)).join(), /range/);
      const fixes = await actions(document.uri, overlap.range, "quickfix");
      const fix = fixes.find((it) => it.edit !== undefined && it.isPreferred) ?? fixes[0];
      assert.equal(await vscode.workspace.applyEdit(fix.edit), true);
      await findings(document.uri, (it) => it.every((its) => its.code.value !== "SC201"));
    },

    "older spellings are migrated by one command": async () => {
      const { document } = await open("legacy.eval.yaml");
      await findings(document.uri, (it) => it.some((its) => String(its.code.value).startsWith("SC6")));
      await executeCommand("suitecase.fixAll");
      await findings(document.uri, (it) => it.length === 0);
      assert.match(document.getText(), /expected_outcome: Says bye/);
      assert.doesNotMatch(document.getText(), /[^_]outcome: Says bye/);
      await executeCommand("workbench.action.files.revert");
    },

    "a new suite is written where it is wanted, is sound, and runs": async () => {
      const folder = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, "nested/deeper");
      await executeCommand("suitecase.newSuite", folder, "mock");
      const { document } = vscode.window.activeTextEditor;
      assert.equal(document.uri.path.replace(/[^/]*$/, ""), `${folder.path}/`);
      assert.equal(document.isDirty, false);
      const api = await suitecase();
      const item = await until(
        "its cases",
        () => api.test(document.uri)?.children.size > 0 && api.test(document.uri),
        api.onDidChangeSuite,
      );
      const told = await finished(item.children.size, () => executeCommand("suitecase.runSuite"));
      assert.ok(told.every((outcome) => outcome.score !== null), JSON.stringify(told));
      assert.ok(told.every((outcome) => ["skipped", "failed"].includes(outcome.state)), JSON.stringify(told));
      const found = vscode.languages.getDiagnostics(document.uri).filter((it) => it.source === "suitecase");
      assert.ok(found.every((it) => it.severity > vscode.DiagnosticSeverity.Warning), JSON.stringify(found));
      await executeCommand("suitecase.newSuite", folder, "mock");
      assert.notEqual(vscode.window.activeTextEditor.document.uri.path, document.uri.path);
    },

    "settings are obeyed at once": async () => {
      const { document } = await open("greet.eval.yaml");
      const settings = vscode.workspace.getConfiguration("suitecase");
      await settings.update("codeLens", false, vscode.ConfigurationTarget.Workspace);
      await asked("no lenses", () => lenses(document.uri), (it) => it.length === 0);
      await settings.update("codeLens", undefined, vscode.ConfigurationTarget.Workspace);
      await asked("lenses", () => lenses(document.uri), (it) => it.includes("▶ Run all cases"));
    },

    "results are there again after a restart of the server": async () => {
      const { document } = await open("greet.eval.yaml");
      const api = await suitecase();
      const { at } = api.result(document.uri, "greet");
      await executeCommand("suitecase.restartServer");
      assert.equal(api.server.kind, "running");
      const again = await until(
        "the earlier result",
        () => api.result(document.uri, "greet") ?? undefined,
        api.onDidChangeSuite,
      );
      assert.equal(again.at, at);
    },

    "a server that ended is started again": async () => {
      const api = await suitecase();
      const kinds = [];
      const listening = api.onDidChangeServer((it) => kinds.push(it.kind));
      process.kill(serverProcess());
      await until("a server that runs again", () => kinds.join() === "starting,running", api.onDidChangeServer);
      listening.dispose();
      const { document } = await open("legacy.eval.yaml");
      await findings(document.uri, (it) => it.length > 0);
    },

    "the selected Python environment comes before the PATH": async () => {
      const api = await suitecase();
      const from = (origin) =>
        until(
          `a server from ${origin}`,
          () => api.server.kind === "running" && api.server.origin === origin,
          api.onDidChangeServer,
        );
      await from("the PATH");
      await executeCommand("python.setInterpreter", process.env.SUITECASE_PYTHON);
      await from("the selected Python environment");
      await executeCommand("python.setInterpreter", "/usr/bin/python3");
      await from("the PATH");
    },

    "a server that ends at once, and one that is not there, are told of": async () => {
      const api = await suitecase();
      const state = (kind) =>
        until(`a server that is ${kind}`, () => api.server.kind === kind && api.server, api.onDidChangeServer);
      const set = (path) =>
        vscode.workspace
          .getConfiguration("suitecase")
          .update("server.path", path, vscode.ConfigurationTarget.Workspace);
      await set("${workspaceFolder}/ends.sh");
      assert.match((await state("failed")).reason, /exit code 3: out of paper/);
      await set("${workspaceFolder}/nowhere");
      assert.match((await state("missing")).reason, /nowhere, and there is no program there/);
      await set(undefined);
      assert.equal((await state("running")).origin, "the PATH");
    },
  });
