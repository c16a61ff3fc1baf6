// What the programs in this folder are written with.

"use strict";

const vscode = require("vscode");

/** How long anything may take, in milliseconds. */
const PATIENCE = 1000 * Number(process.env.SUITECASE_PATIENCE);

/** Run tests one after the other, saying how each went; fails if one does. */
async function runAll(tests) {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`ok - ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`not ok - ${name}: ${error.stack ?? error}`);
    }
  }
  if (failed > 0) {
    throw new Error(`${failed} tests failed`);
  }
}

/**
 * Wait until something is true, and return it: now, or after one of several events.
 *
 * @param what said where it does not come true in time, with what `found` gives last.
 */
function until(what, found, ...events) {
  return new Promise((resolve, reject) => {
    let listening = [];
    const look = () => {
      try {
        const value = found();
        if (value !== undefined && value !== false) {
          done(() => resolve(value));
        }
      } catch (error) {
        done(() => reject(error));
      }
    };
    const timer = setTimeout(() => done(() => reject(new Error(`timeout: ${what}`))), PATIENCE);
    const done = (settle) => {
      clearTimeout(timer);
      listening.forEach((it) => it.dispose());
      settle();
    };
    listening = events.map((event) => event(look));
    look();
  });
}

/** Ask again and again, each time as soon as the answer is there, until it is as wanted. */
async function asked(what, ask, wanted) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) {
      return answer;
    }
    if (Date.now() > end) {
      throw new Error(`timeout: ${what}; the last answer was ${JSON.stringify(answer)}`);
    }
  }
}

/** Activate the extension, and return what it gives to others. */
async function suitecase() {
  const extension = vscode.extensions.getExtension("suitecase.suitecase");
  return await extension.activate();
}

/** Open a file of the workspace in the editor. */
async function open(name) {
  const uri = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name);
  return await vscode.window.showTextDocument(uri);
}

/** The findings at a document, once there are some, or none. */
function findings(uri, wanted) {
  return until(
    `findings of ${uri}`,
    () => {
      const all = vscode.languages.getDiagnostics(uri).filter((it) => it.source === "suitecase");
      return wanted(all) && all;
    },
    vscode.languages.onDidChangeDiagnostics,
  );
}

module.exports = { asked, findings, open, runAll, suitecase, until };
