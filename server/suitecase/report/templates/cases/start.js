// ---- start

const heads = index.columns.map((column, at) => element("th", { scope: "col", className: { kind: "kind", text: "" }[column.type] ?? "number" },
  element("button", { type: "button", onclick: () => {
    // Up, down, and then in the order of the suite again.
    const over = state.sort === at && state.down && !state.failuresFirst;
    state.down = state.sort === at && !over && !state.failuresFirst ? true : false;
    state.sort = over ? null : at;
    state.failuresFirst = false;
    if (first) first.checked = false;
    update();
  } }, column.label)));
document.getElementById("table").append(element("table", { className: "cases" }, element("thead", {}, element("tr", {}, heads)), body));
if (large) document.getElementById("table").before(before, printed);

const chips = document.getElementById("kinds");
for (const { key, label, count } of [{ key: "", label: "all", count: large ? large.number : cases.number }, ...index.kinds]) {
  const chip = element("button", { type: "button" }, number(count) + " " + label);
  chip.dataset.kind = key;
  chip.addEventListener("click", () => {
    if (!key) state.kinds.clear();
    else if (!state.kinds.delete(key)) state.kinds.add(key);
    update();
  });
  chips.append(chip);
}

// The most frequent tags; the others on demand.
const TAGS = 12;
let listedTags = [];
let allTags = false;
function showTags() {
  const some = listedTags.filter(([tag], at) => allTags || at < TAGS || state.tags.has(tag));
  const made = some.map(([tag, times]) => tagOf(tag, tag + " " + number(times)));
  const left = listedTags.length - some.length;
  if (left) made.push(element("button", { type: "button", className: "more-tags",
    onclick: () => { allTags = true; showTags(); fit(); } }, number(left) + " more"));
  if (made.length) made.unshift(element("span", {}, "Tags"));
  document.getElementById("tags").replaceChildren(...made);
}

// The heads of a table stay below the controls if it is not wider than its box, else in the box.
function fit() {
  const box = document.getElementById("table"), controls = document.querySelector(".controls");
  controls.classList.toggle("tall", controls.offsetHeight > 0.4 * innerHeight);
  const sticks = getComputedStyle(controls).position === "sticky";
  box.style.setProperty("--head", (sticks ? controls.offsetHeight : 0) + "px");
  box.style.setProperty("--box", box.clientWidth + "px");
  box.classList.toggle("fits", box.firstChild.offsetWidth <= box.clientWidth && innerWidth > 640);
}

// A box that shows all it has is no stop of the Tab key.
const stops = new ResizeObserver((changes) => {
  for (const box of new Set(changes.map((it) => it.target.closest(".wide")))) {
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    box.tabIndex = scrolls && !box.classList.contains("fits") ? 0 : -1;
  }
});

function update() { state.open = null; writeAddress(); select(); }

let typing = 0;
const search = () => {
  state.query = document.getElementById("query").value;
  state.everywhere = document.getElementById("everywhere").checked;
  update();
};
document.getElementById("query").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(search, state.everywhere ? 250 : 60);
});
document.getElementById("everywhere").addEventListener("change", search);
if (first) first.addEventListener("change", () => { state.failuresFirst = first.checked; update(); });
addEventListener("resize", fit);
addEventListener("hashchange", () => {
  if (location.hash === "#cases" || location.hash === written) return;
  readAddress();
  select();
  queueMicrotask(showOpened);
});
// A link to the case that is open already changes no address.
addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest("a[href^='#open=']");
  if (link && link.hash === location.hash) showOpened();
});
addEventListener("beforeprint", () => renderMore(Math.min(MOST_ROWS, shown.length - rendered)));

function begin() {
  countTags();
  readAddress();
  select();
}

if (large) {
  // More comes as the reader scrolls the page, or the box of a table that is wider than the page.
  addEventListener("scroll", follow, { capture: true, passive: true });
  const told = document.querySelector(".shown");
  told.textContent = "Loading " + number(large.number) + " cases …";
  unpackCases().then(begin, () => {
    told.textContent = "The cases cannot be shown: " + (self.DecompressionStream ? "this page is not whole." : "this browser is too old to unpack them.");
  });
} else {
  begin();
}
// What is searched or opened from the start may stand behind what the browser has read so far.
addEventListener("DOMContentLoaded", () => {
  if (!large && (state.everywhere || state.open != null)) select();
  queueMicrotask(() => { fit(); showOpened(); });
  for (const box of document.querySelectorAll(".wide")) [box, ...box.children].forEach((it) => stops.observe(it));
});
