// Fills in the templates of rendered.json with nunjucks, set up as promptfoo 0.121.20 does it, and writes
// the output next to each of them: `npm install nunjucks@3.2.4`, and then
//
//   NODE_PATH=node_modules node render_with_nunjucks.cjs rendered.json
//
// With `-` it reads a list of [template, variables] from standard input, and prints the list of results.
// A result is null if nunjucks refuses the template.

const fs = require("fs");
const nunjucks = require("nunjucks");

const environment = { HOME_TOWN: "Bern", EMPTY: "" };
const engine = nunjucks.configure({ autoescape: false, throwOnUndefined: false });
engine.addGlobal("env", environment);
engine.addFilter("load", (text) => JSON.parse(text));

function render(template, variables) {
  try {
    return engine.renderString(template, variables);
  } catch {
    return null;
  }
}

const file = process.argv[2];
if (file === "-") {
  const pairs = JSON.parse(fs.readFileSync(0, "utf8"));
  console.log(JSON.stringify(pairs.map(([template, variables]) => render(template, variables))));
} else {
  const recorded = JSON.parse(fs.readFileSync(file, "utf8"));
  const pairs = recorded.pairs.map(([template]) => [template, render(template, structuredClone(recorded.variables))]);
  const head = { environment, variables: recorded.variables };
  const lines = pairs.map((it) => "    " + JSON.stringify(it)).join(",\n");
  fs.writeFileSync(file, JSON.stringify(head, null, 2).slice(0, -2) + `,\n  "pairs": [\n${lines}\n  ]\n}\n`);
}
