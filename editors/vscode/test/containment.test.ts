// Which programs lie in a workspace, on a real disk with links; run by `npm test`.

import assert from "node:assert/strict";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { leadsInto, outsideOf } from "../src/containment.ts";

const top = fs.mkdtempSync(path.join(tmpdir(), "containment-"));
after(() => fs.rmSync(top, { recursive: true }));

function program(name: string, text = "#!/bin/sh\n"): string {
  const file = path.join(top, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text, { mode: 0o755 });
  return file;
}

function link(name: string, target: string): string {
  const file = path.join(top, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.symlinkSync(target, file);
  return file;
}

const inside = program("workspace/.venv/bin/suitecase");
const outside = program("tools/bin/suitecase");
const workspace = path.join(top, "workspace");
const another = path.join(top, "another");
fs.mkdirSync(another);
const leads = (file: string) => leadsInto(file, [another, workspace]);

test("a program lies in a workspace by its path, and one beside it does not", () => {
  assert.equal(leads(inside), true);
  assert.equal(leads(program("another/suitecase")), true);
  assert.equal(leads(path.join(top, "tools", "..", "workspace", ".venv", "bin", "suitecase")), true);
  assert.equal(leads(path.join(workspace, "not", "there")), true);
  assert.equal(leads(outside), false);
  assert.equal(leads(program("workspace-2/bin/suitecase")), false);
});

test("links into a workspace are followed, those of files and those of folders", () => {
  assert.equal(leads(link("linked/suitecase", inside)), true);
  link("linked-folder", path.join(workspace, ".venv"));
  assert.equal(leads(path.join(top, "linked-folder/bin/suitecase")), true);
  assert.equal(leads(link("relative/suitecase", "../workspace/.venv/bin/suitecase")), true);
  assert.equal(leads(link("elsewhere/suitecase", outside)), false);
});

test("a link in a workspace is part of it, even where it leads out", () => {
  link("workspace/out", path.join(top, "tools"));
  assert.equal(leads(path.join(workspace, "out/bin/suitecase")), true);
  // On the way from outside to outside, the workspace decides where it leads.
  link("detour", path.join(workspace, "out"));
  assert.equal(leads(path.join(top, "detour/bin/suitecase")), true);
});

test("a workspace that is opened by a link is the folder that it leads to", () => {
  const opened = link("opened", workspace);
  assert.equal(leadsInto(inside, [opened]), true);
  assert.equal(leadsInto(path.join(opened, ".venv/bin/suitecase"), [workspace]), true);
  assert.equal(leadsInto(outside, [opened]), false);
});

test("a circle of links is not trusted", () => {
  link("circle/a", "b");
  link("circle/b", "a");
  assert.equal(leads(path.join(top, "circle/a")), true);
});

test("the interpreter that a script names counts, too", () => {
  const python = program("workspace/.venv/bin/python");
  assert.equal(leads(program("scripts/suitecase", `#!${python}\nimport suitecase\n`)), true);
  const long = `#!/bin/sh\n'''exec' "${python}" "$0" "$@"\n' '''\n`;
  assert.equal(leads(program("scripts/long", long)), true);
  assert.equal(leads(program("scripts/sound", "#!/usr/bin/python3\n")), false);
});

test("folders of a workspace, and relative ones, are left out of a PATH", () => {
  const tools = path.join(top, "tools/bin");
  const searched = [".", "", path.dirname(inside), tools, "bin", path.join(top, "linked-folder/bin")];
  assert.equal(outsideOf(searched.join(path.delimiter), [workspace]), tools);
});
