// Where programs are looked for, on systems with and without drive letters; run by `npm test`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { besideInterpreter, expanded, inEnvironment, onPath, programName } from "../src/paths.ts";

test("programs of environments end with .exe and lie in Scripts on Windows", () => {
  assert.equal(
    inEnvironment("C:\\Users\\Ada Lovelace\\env", "suitecase", "win32"),
    "C:\\Users\\Ada Lovelace\\env\\Scripts\\suitecase.exe",
  );
  assert.equal(inEnvironment("/home/ada/env", "suitecase", "linux"), "/home/ada/env/bin/suitecase");
  assert.equal(inEnvironment("/Users/ada/env", "python", "darwin"), "/Users/ada/env/bin/python");
  assert.equal(programName("suitecase.EXE", "win32"), "suitecase.EXE");
});

test("beside the interpreter, and below that of conda on Windows", () => {
  assert.deepEqual(besideInterpreter("D:\\env\\Scripts\\python.exe", "suitecase", "win32"), [
    "D:\\env\\Scripts\\suitecase.exe",
    "D:\\env\\Scripts\\Scripts\\suitecase.exe",
  ]);
  assert.deepEqual(besideInterpreter("C:\\miniconda\\python.exe", "suitecase", "win32"), [
    "C:\\miniconda\\suitecase.exe",
    "C:\\miniconda\\Scripts\\suitecase.exe",
  ]);
  assert.deepEqual(besideInterpreter("/opt/env/bin/python3", "suitecase", "linux"), [
    "/opt/env/bin/suitecase",
  ]);
});

test("folders of the PATH may be quoted on Windows, and must be absolute", () => {
  const searched = '"C:\\Program Files\\Python";.;bin;\\\\server\\tools;';
  assert.deepEqual(onPath("suitecase", searched, "win32"), [
    "C:\\Program Files\\Python\\suitecase.exe",
    "\\\\server\\tools\\suitecase.exe",
  ]);
  assert.deepEqual(onPath("suitecase", "/usr/bin::bin:/opt/with space", "linux"), [
    "/usr/bin/suitecase",
    "/opt/with space/suitecase",
  ]);
  assert.deepEqual(onPath("suitecase", undefined, "linux"), []);
});

test("the setting may begin with the home or the folder of the workspace", () => {
  assert.deepEqual(expanded("~/env/bin/suitecase", "/project", "/home/$1 ada", "linux"), [
    "/home/$1 ada/env/bin/suitecase",
  ]);
  assert.deepEqual(expanded("${workspaceFolder}/.venv/bin/suitecase", "/w$$k", "/home/ada", "linux"), [
    "/w$$k/.venv/bin/suitecase",
  ]);
  assert.deepEqual(expanded("bin/suitecase", undefined, "/home/ada", "darwin"), [
    "/home/ada/bin/suitecase",
  ]);
  assert.deepEqual(expanded("~user/suitecase", "/project", "/home/ada", "linux"), [
    "/project/~user/suitecase",
  ]);
});

test("the setting may leave out .exe, and have quotes and either slash, on Windows", () => {
  const home = "C:\\Users\\ada";
  assert.deepEqual(expanded('"~\\env\\Scripts\\suitecase"', "d:\\work", home, "win32"), [
    "C:\\Users\\ada\\env\\Scripts\\suitecase",
    "C:\\Users\\ada\\env\\Scripts\\suitecase.exe",
  ]);
  assert.deepEqual(expanded("${workspaceFolder}/.venv/Scripts/suitecase.exe", "d:\\work", home, "win32"), [
    "d:\\work\\.venv\\Scripts\\suitecase.exe",
  ]);
  assert.deepEqual(expanded("E:suitecase.exe", "d:\\work", home, "win32").length, 1);
});
