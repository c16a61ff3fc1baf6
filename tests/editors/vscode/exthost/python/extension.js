// The part of the Python extension's interface that tells which environment is selected. The
// command `python.setInterpreter` selects one by the path of its interpreter.

"use strict";

const vscode = require("vscode");

exports.activate = (context) => {
  const changed = new vscode.EventEmitter();
  let selected = "/usr/bin/python3";
  context.subscriptions.push(
    changed,
    vscode.commands.registerCommand("python.setInterpreter", (path) => {
      selected = path;
      changed.fire({ path });
    }),
  );
  return {
    ready: Promise.resolve(),
    environments: {
      getActiveEnvironmentPath: () => ({ path: selected }),
      resolveEnvironment: async ({ path }) => ({ executable: { uri: vscode.Uri.file(path) } }),
      onDidChangeActiveEnvironmentPath: changed.event,
    },
  };
};
