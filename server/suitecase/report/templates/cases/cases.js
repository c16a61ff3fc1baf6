// ---- the cases, by their place in the order of the suite

// A page of few cases has a row for each; one of many has their columns in `large`, in packed parts.
const large = index.large;
let cases = ofRows(large ? [] : index.rows);

function ofRows(rows) {
  return {
    number: rows.length, id: (at) => rows[at].id, kinds: (at) => rows[at].kinds, rank: (at) => rows[at].rank,
    cell: (at, column) => rows[at].cells[column], tags: (at) => rows[at].tags || [], mark: (at) => rows[at].mark,
    sides: (at) => rows[at].sides, find: (id) => rows.findIndex((row) => row.id === id),
  };
}

function ofColumns(parts) {
  const { kindSets, tagSets, ranks, sides, texts, verdicts, again } = large;
  const value = (at, name) => parts[Math.floor(at / large.part)][name][at % large.part];
  const nameColumn = "cell" + index.columns.findIndex((it) => it.key === "case");
  // Of several cases with one id, the later ones have a number. Without ids, all have their place.
  const id = (at) => again ? value(at, nameColumn) + (again[at] ? "#" + again[at] : "") : String(at);
  return {
    number: large.number, id,
    kinds: (at) => kindSets[value(at, "kinds")],
    rank: (at) => ranks[value(at, "kinds")],
    tags: (at) => tagSets[value(at, "tags")],
    mark: (at) => value(at, "marked") ? large.mark : null,
    cell(at, column) {
      const { key, type } = index.columns[column], found = value(at, "cell" + column);
      if (type === "grade") return found && [found[0], verdicts[found[1]]];
      return texts[key] ? texts[key][found] : found;
    },
    sides: (at) => sides.map((title, side) => [title, [value(at, "side" + side)].flat()]),
    find(wanted) {
      for (let at = 0; at < large.number; at++) if (id(at) === wanted) return at;
      return -1;
    },
  };
}

// Text that was compressed and written as base64, in which there is neither markup nor script.
async function unpacked(packed) {
  const text = atob(packed.trim()), bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

async function unpackCases() {
  const parts = [];
  for (let at = 0, packed; (packed = document.getElementById("cases" + at)); at++) {
    parts.push(JSON.parse(await unpacked(packed.textContent)));
  }
  cases = ofColumns(parts);
}
