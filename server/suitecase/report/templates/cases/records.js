// ---- the records of answers: each in an element of the page, or in blocks of lines

function record(at) {
  const data = document.getElementById("d" + at);
  return data && JSON.parse(data.textContent);
}

const parsed = (line) => {
  try {
    return JSON.parse(line);
  } catch {
    return { "a line that is not JSON": line };
  }
};

// The blocks that were needed last; a case is often followed by its neighbors.
const blocks = new Map(), MOST_BLOCKS = 4;
function blockOf(side, at) {
  const name = side + "-" + at;
  const found = blocks.get(name) || loadedBlock(side, at).then((text) => text.split("\n"));
  blocks.delete(name);
  blocks.set(name, found);
  found.catch(() => blocks.delete(name));
  if (blocks.size > MOST_BLOCKS) blocks.delete(blocks.keys().next().value);
  return found;
}

const isWhole = document.readyState !== "loading" ? Promise.resolve()
  : new Promise((done) => addEventListener("DOMContentLoaded", done));

// In an editor, the page has no blocks: they are asked for by their names.
const editor = large && typeof acquireVsCodeApi === "function" ? acquireVsCodeApi() : null;
const asked = new Map();
if (editor) {
  addEventListener("message", ({ data }) => {
    for (const answer of asked.get(data.block) || []) answer(data.text);
    asked.delete(data.block);
  });
}
function fromEditor(block) {
  return new Promise((answer) => {
    asked.set(block, [...asked.get(block) || [], answer]);
    editor.postMessage({ block });
  });
}

async function loadedBlock(side, at) {
  if (large.addresses) {
    const response = await fetch(large.addresses[side] + at, { cache: "no-store" });
    if (response.ok) return response.text();
    throw new Error(response.status === 404 ? "The results of this run have changed; reload the page to see them."
      : "The record could not be loaded.");
  }
  const name = "r" + side + "-" + at, element = () => document.getElementById(name);
  if (editor) {
    const packed = await fromEditor(name);
    if (packed) return unpacked(packed);
    throw new Error("The report has changed; open it again to see this record.");
  }
  if (!element()) await isWhole;
  if (element()) return unpacked(element().textContent);
  throw new Error("This page is incomplete: the file ends before this record.");
}

async function recordsOf(sides) {
  return Promise.all(sides.map(async ([, answers], side) => Promise.all(answers.map(async (it) => {
    if (!large) return record(it);
    const lines = await blockOf(side, Math.floor(it / large.block));
    return parsed(lines[it % large.block]);
  }))));
}
