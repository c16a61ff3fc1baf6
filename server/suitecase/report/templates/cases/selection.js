// ---- what is shown: kinds, query, order; kept in the address, so that it can be sent on

const state = { kinds: new Set(), tags: new Set(), query: "", everywhere: false, sort: null, down: false,
  failuresFirst: false, open: null };
const WORST = ["fail", "judge_failed", "error", "borderline", "not_evaluated", "rehearsed", "pass"];
const tagNumbers = new Map();
const collator = new Intl.Collator("en", { numeric: true });
let shown = [], written = null;

function countTags() {
  for (let at = 0; at < cases.number; at++) {
    for (const tag of new Set(cases.tags(at))) tagNumbers.set(tag, (tagNumbers.get(tag) || 0) + 1);
  }
  listedTags = [...tagNumbers].sort((a, b) => b[1] - a[1]);
}

// Of many cases, the failures come first unless somebody wants something else.
const usuallyFirst = () => first != null && large != null;

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const kinds = (given.get("verdict") || given.get("change") || "").split(",");
  state.kinds = new Set(kinds.filter((it) => index.kinds.some((kind) => kind.key === it)));
  state.tags = new Set(given.getAll("tag").filter((it) => tagNumbers.has(it)));
  state.query = given.get("q") || "";
  state.everywhere = given.get("in") === "everything";
  const sort = given.get("sort") || "", order = given.get("order");
  state.failuresFirst = order === "failures" ? first != null : order == null && !sort && usuallyFirst();
  state.down = sort.startsWith("-");
  const column = index.columns.findIndex((it) => it.key === sort.replace(/^-/, ""));
  state.sort = column < 0 ? null : column;
  state.open = given.get("open");
  document.getElementById("query").value = state.query;
  document.getElementById("everywhere").checked = state.everywhere;
  if (first) first.checked = state.failuresFirst;
}

function writeAddress() {
  const told = new URLSearchParams();
  if (state.kinds.size) told.set(index.kindName, [...state.kinds].join(","));
  for (const tag of state.tags) told.append("tag", tag);
  if (state.query) told.set("q", state.query);
  if (state.failuresFirst !== (usuallyFirst() && state.sort == null)) {
    told.set("order", state.failuresFirst ? "failures" : "suite");
  }
  if (state.everywhere) told.set("in", "everything");
  if (state.sort != null) told.set("sort", (state.down ? "-" : "") + index.columns[state.sort].key);
  if (state.open != null) told.set("open", state.open);
  written = "#" + told;
  try {
    history.replaceState(null, "", written);
  } catch { /* some browsers refuse this for files: then the address stays as it is */ }
}

function says(value, query) {
  if (typeof value === "string") return value.toLowerCase().includes(query);
  if (value && typeof value === "object") return Object.values(value).some((it) => says(it, query));
  return false;
}

function found(at, query) {
  if (index.columns.some((column, it) => column.type === "text" && says(cases.cell(at, it), query))) return true;
  if (says(cases.tags(at), query)) return true;
  if (!state.everywhere || large) return false;
  return cases.sides(at).some(([, answers]) => answers.some((it) => {
    const data = record(it);
    return data && says(data, query);
  }));
}

function select() {
  const query = state.query.trim().toLowerCase(), tags = [...state.tags];
  const others = [];
  shown = [];
  for (let at = 0; at < cases.number; at++) {
    if (state.kinds.size && !cases.kinds(at).some(([kind]) => state.kinds.has(kind))) continue;
    if (tags.length && !tags.every((tag) => cases.tags(at).includes(tag))) continue;
    if (!query || found(at, query)) shown.push(at); else others.push(at);
  }
  present();
  searchRecords(query, state.everywhere && large && query ? others : []);
}

function inOrder(list) {
  if (state.failuresFirst) {
    const worst = (at) => Math.min(...cases.kinds(at).map(([kind]) => WORST.indexOf(kind)));
    return sorted(list, worst, (a, b) => a - b);  // of alike ones, in the order of the suite
  }
  if (state.sort == null) return list;
  const column = state.sort, sign = state.down ? -1 : 1, type = index.columns[column].type;
  const value = (at) => type === "kind" ? cases.rank(at) : type === "grade" ? (cases.cell(at, column) || [])[0] : cases.cell(at, column);
  return sorted(list, value, (a, b) => {
    if (a == null || b == null) return (a == null) - (b == null);  // what has no value comes last
    return sign * (typeof a === "string" ? collator.compare(a, b) : a - b);
  });
}

const sorted = (list, value, compare) => list.map((at) => [value(at), at]).sort(([a], [b]) => compare(a, b)).map(([, at]) => at);

function present() {
  shown = inOrder(shown);
  for (const chip of document.querySelectorAll("#kinds button")) {
    const key = chip.dataset.kind;
    chip.setAttribute("aria-pressed", String(key ? state.kinds.has(key) : !state.kinds.size));
  }
  showTags();
  document.querySelectorAll("#table thead th").forEach((th, at) => {
    if (at === state.sort && !state.failuresFirst) th.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    else th.removeAttribute("aria-sort");
  });
  showRows();
  showNumber("");
  fit();
}

function showNumber(more) {
  const all = number(cases.number) + (cases.number === 1 ? " case" : " cases");
  document.querySelector(".shown").textContent =
    (shown.length === cases.number ? all : number(shown.length) + " of " + all) + more;
}
