// The records of reports of many cases: they are not part of the page, and can be read from its file.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { readBlock, withoutRecords } from "../src/report_records.ts";

const FEW = '<!doctype html>\n<p>é</p>\n<script type="application/json" id="d0">{}</script>\n';
const MANY = `${FEW}<script type="text/plain" id="cases0">abc</script>
<script type="text/plain" id="r0-0">QUJD</script>
<script type="text/plain" id="r0-1">REVG</script>
<script>"end"</script>`;

test("a page of few cases is as it is", () => {
  const { page, blocks } = withoutRecords(Buffer.from(FEW));
  assert.equal(page, FEW);
  assert.equal(blocks.size, 0);
});

test("blocks of records are left out of a page, and read from its file", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "report-"));
  try {
    const file = path.join(folder, "page.html");
    writeFileSync(file, MANY);
    const { page, blocks } = withoutRecords(Buffer.from(MANY));
    assert.equal(page, `${FEW}<script type="text/plain" id="cases0">abc</script>\n\n\n<script>"end"</script>`);
    assert.deepEqual([...blocks.keys()], ["r0-0", "r0-1"]);
    assert.equal(await readBlock(file, blocks.get("r0-1")!), "REVG");
    writeFileSync(file, "short");
    assert.equal(await readBlock(file, blocks.get("r0-1")!), undefined);
    rmSync(file);
    assert.equal(await readBlock(file, blocks.get("r0-0")!), undefined);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a page that was cut off in a block keeps what comes before it", () => {
  const { blocks } = withoutRecords(Buffer.from(MANY.slice(0, MANY.indexOf("REVG"))));
  assert.deepEqual([...blocks.keys()], ["r0-0"]);
});
