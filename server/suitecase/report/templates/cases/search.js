// ---- searching the records of a page of many cases, a block at a time

let searching = 0;
// A query of these is in a line exactly as it is in the texts of its record.
const PLAIN = /^[a-z0-9 .,:;_-]+$/;

// Add to what is shown the cases of a list whose records have a query in them.
async function searchRecords(query, list) {
  const mine = ++searching;
  if (!list.length) return;
  const wanted = new Map();  // by block, the cases by their record
  for (const at of list) {
    cases.sides(at).forEach(([, answers], side) => answers.forEach((it) => {
      const name = side + "-" + Math.floor(it / large.block);
      if (!wanted.has(name)) wanted.set(name, new Map());
      wanted.get(name).set(it % large.block, at);
    }));
  }
  const hits = new Set(), names = [...wanted.keys()];
  let told = performance.now(), toldHits = 0;
  for (const [done, name] of names.entries()) {
    let text;
    try {
      text = await loadedBlock(...name.split("-").map(Number));
    } catch (error) {
      if (mine === searching) showNumber(". Not all answers were searched: " + error.message);
      return;
    }
    if (mine !== searching) return;
    if (!PLAIN.test(query) || text.toLowerCase().includes(query)) {
      const lines = text.split("\n");
      for (const [line, at] of wanted.get(name)) {
        if (PLAIN.test(query) && !lines[line].toLowerCase().includes(query)) continue;
        if (!hits.has(at) && says(parsed(lines[line]), query)) hits.add(at);
      }
    }
    if (performance.now() - told > 250) {
      if (hits.size > toldHits && state.open == null) showFound();
      showNumber("; searching answers: " + Math.floor(100 * done / names.length) + "%");
      told = performance.now();
      await new Promise((go) => setTimeout(go));  // lets the reader scroll and type
      if (mine !== searching) return;
    }
  }
  showFound();

  function showFound() {
    if (hits.size > toldHits) {
      const before = new Set(shown);
      shown = [...shown, ...[...hits].filter((at) => !before.has(at))].sort((a, b) => a - b);
      toldHits = hits.size;
      present();
    } else {
      showNumber("");
    }
  }
}
