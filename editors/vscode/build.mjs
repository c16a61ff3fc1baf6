// Bundles the extension, and copies what is kept elsewhere in the repository beside it.
import { copyFileSync, mkdirSync } from "node:fs";
import { build } from "esbuild";

const repository = new URL("../../", import.meta.url);

mkdirSync("schemas", { recursive: true });
for (const file of ["LICENSE", "schemas/suite.schema.json", "schemas/targets.schema.json"]) {
  copyFileSync(new URL(file, repository), file);
}
await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  minify: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
});
