// ---- the table

const first = document.getElementById("failures-first");
const body = element("tbody");
const before = element("p", { className: "before" }), printed = element("p", { className: "printed" });
// The rows of `shown` that are in the table: all of a page of few cases that were asked for, and of
// many those around a case that a link leads to.
let from = 0, rendered = 0;
// As many rows are made to reach a case; from a later one on, those before it are left out.
const MOST_ROWS = 2000, ROWS_BEFORE = 20;

function showRows() {
  const opened = state.open == null ? -1 : shown.indexOf(cases.find(state.open));
  from = rendered = opened < MOST_ROWS ? 0 : opened - ROWS_BEFORE;
  body.replaceChildren();
  renderMore(Math.max(PAGE, opened + 1 - from));
}

const rowsOf = (start, end) => {
  const rows = document.createDocumentFragment();
  for (const at of shown.slice(start, end)) rows.append(rowOf(at));
  return rows;
};

function renderMore(most) {
  body.append(rowsOf(rendered, rendered + most));
  rendered = Math.min(shown.length, rendered + most);
  const more = document.querySelector(".more"), left = shown.length - rendered;
  more.replaceChildren();
  showBefore();
  printed.textContent = left || from
    ? number(rendered - from) + " of " + number(shown.length) + " cases are printed." : "";
  if (!left) return;
  const next = Math.min(PAGE, left);
  more.append(element("button", { type: "button", onclick: () => renderMore(PAGE) }, "Show " + number(next) + " more"));
  if (left > PAGE && (!large || left <= MOST_ROWS)) {
    more.append(element("button", { type: "button", onclick: () => renderMore(left) }, "Show all " + number(left)));
  }
}

function showBefore() {
  const next = Math.min(PAGE, from);
  before.replaceChildren(...from ? [element("button", { type: "button", className: "all", onclick: () => {
    const height = body.offsetHeight;
    from -= next;
    body.prepend(rowsOf(from, from + next));
    scrollBy(0, body.offsetHeight - height);
    showBefore();
  } }, "Show " + number(next) + " before")] : []);
}

// Of many cases, more come as the reader gets near the end of those that are there.
function follow() {
  const last = body.lastElementChild, box = document.getElementById("table");
  if (!last || rendered === shown.length) return;
  const end = box.classList.contains("fits") ? innerHeight : Math.min(innerHeight, box.getBoundingClientRect().bottom);
  if (last.getBoundingClientRect().top < end + innerHeight) renderMore(PAGE);
}

function badge(kind, text) {
  return element("span", { className: "badge " + kind }, text || plain(kind));
}

function rowOf(at) {
  const kinds = cases.kinds(at), tags = cases.tags(at), mark = cases.mark(at);
  const cells = index.columns.map((column, it) => {
    if (column.type === "kind") {
      const several = kinds.length > 1 || kinds[0][1] > 1;
      return element("td", { className: "kind" }, kinds.map(([kind, times]) =>
        badge(kind, (index.labels[kind] || plain(kind)) + (several ? " ×" + number(times) : ""))));
    }
    const value = cases.cell(at, it);
    if (column.key === "case") {
      const open = element("button", { type: "button", className: "open", "aria-expanded": "false" }, value || "(no id)");
      return element("th", { scope: "row" }, open, mark ? element("span", { className: "mark" }, mark) : null,
        tags.length ? " " : null,
        tags.length ? element("span", { className: "tags" }, tags.flatMap((tag) => [tagOf(tag), " "])) : null);
    }
    const text = value == null ? "—" : FORMATS[column.type](value);
    return element("td", { className: column.type === "text" ? "text" : "number" }, text);
  });
  const made = element("tr", { className: "row" }, cells);
  made.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button || !String(getSelection())) toggle(made, at);
  });
  if (state.open != null && state.open === cases.id(at) && (large || document.readyState !== "loading")) {
    queueMicrotask(() => toggle(made, at).then(showOpened));
  }
  return made;
}

function tagOf(tag, shownAs) {
  const made = element("button", { type: "button", "aria-pressed": String(state.tags.has(tag)),
    title: "Show only cases with this tag" }, typeof shownAs === "string" ? shownAs : tag);
  made.addEventListener("click", (event) => {
    event.stopPropagation();
    if (!state.tags.delete(tag)) state.tags.add(tag);
    update();
  });
  return made;
}

async function toggle(made, at) {
  const button = made.querySelector(".open"), next = made.nextElementSibling, id = cases.id(at);
  if (next && next.classList.contains("detail")) {
    next.remove();
    button.setAttribute("aria-expanded", "false");
    if (state.open === id) state.open = null;
    writeAddress();
    return;
  }
  const cell = element("td", { colSpan: index.columns.length }, element("div", {}, element("p", {}, "Loading …")));
  made.after(element("tr", { className: "detail" }, cell));
  button.setAttribute("aria-expanded", "true");
  state.open = id;
  writeAddress();
  const sides = cases.sides(at);
  try {
    cell.replaceChildren(detailOf(sides, await recordsOf(sides)));
  } catch (error) {
    cell.replaceChildren(element("div", {}, element("p", { className: "broken" }, error.message)));
  }
}

function showOpened() {
  const opened = body.querySelector(".open[aria-expanded=true]");
  if (opened) opened.closest("tr").scrollIntoView();
}
