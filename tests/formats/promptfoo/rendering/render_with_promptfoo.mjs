// Fills in the prompts of prompts.json with promptfoo, and writes the output next to each of them: the
// prompt, the variables as assertions see them, and the messages. A value is null if promptfoo fails. The second
// argument is the folder `dist/src` of promptfoo 0.121.20; the file names are those of this version:
//
//   node render_with_promptfoo.mjs prompts.json .../node_modules/promptfoo/dist/src

import fs from "fs";
import path from "path";

const [file, built] = process.argv.slice(2);
const from = (start) => path.resolve(built, fs.readdirSync(built).find((it) => it.startsWith(start) && it.endsWith(".js")));
process.env.HOME_TOWN = "Bern";
delete process.env.MISSING;
delete process.env.NOPE;
const { n: renderPrompt } = await import(from("evaluatorHelpers-2XkA_4pf"));
const { F: parseChatPrompt } = await import(from("fetch-YMgrxfC_"));

const recorded = JSON.parse(fs.readFileSync(file, "utf8"));
process.chdir(path.dirname(path.resolve(file)));
const lines = [];
for (const { prompt, variables } of recorded.pairs) {
  const given = structuredClone(variables);
  let rendered = null;
  let messages = null;
  try {
    rendered = await renderPrompt({ raw: prompt, label: "" }, given);
    messages = parseChatPrompt(rendered, "a text");
  } catch {}
  const seen = rendered === null ? null : given;
  lines.push("    " + JSON.stringify({ prompt, variables, rendered, seen, messages }));
}
fs.writeFileSync(path.basename(file), `{\n  "pairs": [\n${lines.join(",\n")}\n  ]\n}\n`);
process.exit(0);
