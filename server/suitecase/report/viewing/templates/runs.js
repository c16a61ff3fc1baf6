"use strict";
(() => {
  // Names of suites, targets and models are only ever set as text, never read as markup.
  let data = JSON.parse(document.getElementById("index").textContent);
  const PAGE = 200, POLL = 1500, SVG = "http://www.w3.org/2000/svg";
  const at = (id) => document.getElementById(id);

  function element(name, properties, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties || {})) {
      if (key in made) made[key] = value; else made.setAttribute(key, value);
    }
    for (const child of children.flat(2)) {
      if (child != null) made.append(typeof child === "object" ? child : visible(child));
    }
    return made;
  }

  function drawn(name, attributes, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const number = (value) => value.toLocaleString("en-US");
  const counted = (value, one) => number(value) + " " + one + (value === 1 ? "" : "s");
  const cost = (usd) => "$" + (usd >= 1 || usd === 0 ? usd.toFixed(2) : usd.toFixed(4));
  const percent = (share) => Math.floor(share * 100 + 1e-9) + "%";
  function duration(seconds) {
    if (seconds < 60) return seconds.toFixed(seconds < 10 ? 1 : 0) + " s";
    if (seconds < 3600) return Math.floor(seconds / 60) + " min " + Math.floor(seconds % 60) + " s";
    return Math.floor(seconds / 3600) + " h " + Math.floor(seconds % 3600 / 60) + " min";
  }
  const time = { hour: "2-digit", minute: "2-digit" }, day = { day: "numeric", month: "short" };
  const whenFormat = new Intl.DateTimeFormat(undefined, { ...day, ...time });
  const longAgoFormat = new Intl.DateTimeFormat(undefined, { ...day, year: "numeric" });
  function when(run) {
    if (!run.began) return "—";
    const began = new Date(run.began), thisYear = began.getFullYear() === new Date().getFullYear();
    return (thisYear ? whenFormat : longAgoFormat).format(began);
  }
  const count = (run, status) => run.statuses[status] || 0;

  // ---- what is shown: kept in the address, so that it can be sent on and survives a reload

  const KINDS = [
    ["", "all", () => true],
    ["failures", "with failures", (run) => count(run, "fail") > 0],
    ["errors", "with errors", (run) => count(run, "error") > 0],
    ["passed", "all passed", (run) => run.rate === 1 && !count(run, "error") && !count(run, "judge_failed")],
    ["running", "running", (run) => run.state === "running"],
    ["unfinished", "unfinished", (run) => run.state === "unfinished"],
    ["stand-ins", "without a model", (run) => run.noModel],
  ];
  const COLUMNS = [
    ["when", "When", "", (run) => run.began || ""],
    ["suite", "Suite", "", (run) => run.name],
    ["target", "Target", "", (run) => run.targets.join(", ")],
    ["passed", "Passed", "", (run) => run.rate],
    ["mean", "Mean", "number", (run) => run.mean],
    ["cost", "Cost", "number", (run) => run.cost],
    ["time", "Time", "number", (run) => run.seconds],
  ];
  const state = { kind: "", query: "", suite: "", target: "", sort: "when", down: true, picked: [] };
  let shown = [], rendered = 0, known = new Set(data.runs.map((run) => run.id));

  function readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    state.kind = given.get("show") || "";
    state.query = given.get("q") || "";
    state.suite = given.get("suite") || "";
    state.target = given.get("target") || "";
    const sort = given.get("sort") || "-when";
    state.down = sort.startsWith("-");
    state.sort = sort.replace(/^-/, "");
    at("query").value = state.query;
  }

  function writeAddress() {
    const told = new URLSearchParams();
    if (state.kind) told.set("show", state.kind);
    for (const key of ["suite", "target"]) if (state[key]) told.set(key, state[key]);
    if (state.query) told.set("q", state.query);
    const sort = (state.down ? "-" : "") + state.sort;
    if (sort !== "-when") told.set("sort", sort);
    history.replaceState(null, "", "#" + told);
  }

  const suiteOf = (run) => run.suites.join(", ") || run.name;
  const targetOf = (run) => run.targets.join(", ");

  function isFound(run, words) {
    const text = [run.name, ...run.suites, ...run.targets, ...run.models, run.file].join("\n").toLowerCase();
    return words.every((it) => text.includes(it));
  }

  function select() {
    const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
    const some = data.runs.filter((run) => (!state.suite || suiteOf(run) === state.suite)
      && (!state.target || targetOf(run) === state.target) && isFound(run, words));
    const [, , isOfKind] = KINDS.find(([key]) => key === state.kind) || KINDS[0];
    shown = some.filter(isOfKind);
    const [, , , value] = COLUMNS.find(([key]) => key === state.sort) || COLUMNS[0];
    const sign = state.down ? -1 : 1;
    shown = shown.map((run) => [value(run), run]).sort(([a], [b]) => {
      if (a == null || b == null) return (a == null) - (b == null);  // what has no value comes last
      return sign * (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
    }).map(([, run]) => run);
    showChips(some);
    showTable();
    const all = counted(data.runs.length, "run");
    document.querySelector(".shown").textContent =
      shown.length === data.runs.length ? all : number(shown.length) + " of " + all;
  }

  function showChips(some) {
    const chips = KINDS.map(([key, label, isOfKind]) => [key, label, some.filter(isOfKind).length])
      .filter(([key, , times]) => !key || times || key === state.kind)
      .map(([key, label, times]) => element("button", { type: "button", "aria-pressed": String(state.kind === key),
        "data-kind": key, onclick: () => { state.kind = state.kind === key ? "" : key; update(); } }, number(times) + " " + label));
    keepFocus(document.querySelector(".chips"), chips, (it) => it.dataset.kind);
  }

  // Replaces children; what had the focus keeps it.
  function keepFocus(parent, children, keyOf) {
    const focused = parent.contains(document.activeElement) ? keyOf(document.activeElement) : null;
    parent.replaceChildren(...children);
    if (focused == null) return;
    const again = [...parent.querySelectorAll("a, button, input")].find((it) => keyOf(it) === focused);
    if (again) again.focus({ preventScroll: true });
  }

  // ---- the table

  const heads = element("tr", {}, element("td", { className: "pick" }), COLUMNS.map(([key, label, kind]) =>
    element("th", { scope: "col", className: kind, "data-sort": key }, element("button", { type: "button", onclick: () => {
      state.down = state.sort === key ? !state.down : key !== "suite" && key !== "target";
      state.sort = key;
      update();
    } }, label))));
  const body = element("tbody");

  function showTable() {
    for (const head of heads.querySelectorAll("th")) {
      if (head.dataset.sort === state.sort) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    const most = Math.max(PAGE, rendered);
    const rows = shown.slice(0, most).map(rowOf);
    rendered = rows.length;
    keepFocus(body, rows, (it) => it.dataset.key);
    const box = at("table");
    if (!data.runs.length) {
      box.replaceChildren(element("p", { className: "empty" }, "No runs yet. ", element("code", {}, "suitecase run"),
        " adds them, and they appear here by themselves."));
    } else if (!box.querySelector("table")) {
      box.replaceChildren(element("table", { className: "runs" }, element("thead", {}, heads), body));
    }
    const more = document.querySelector(".more"), left = shown.length - rendered;
    more.replaceChildren(...(left > 0 ? [element("button", { type: "button", onclick: () => { rendered += PAGE; showTable(); } },
      "Show " + number(Math.min(PAGE, left)) + " more of " + number(left))] : []));
    showOthers();
    showPicked();
  }

  function rowOf(run) {
    const pick = element("input", { type: "checkbox", checked: state.picked.includes(run.id), "data-key": "pick " + run.id,
      title: "Select two runs to compare them", "aria-label": "Compare " + run.name + ", " + when(run) });
    pick.addEventListener("change", () => {
      // The last two that were picked count.
      state.picked = [...state.picked.filter((it) => it !== run.id), ...(pick.checked ? [run.id] : [])].slice(-2);
      showTable();
    });
    const numbers = [["Mean", run.mean == null ? null : run.mean.toFixed(2)], ["Cost", run.cost == null ? null : cost(run.cost)],
      ["Time", run.seconds == null ? null : duration(run.seconds)]];
    return element("tr", { className: known.has(run.id) ? "" : "fresh" },
      element("td", { className: "pick" }, pick),
      element("td", { className: "when" }, when(run)),
      element("th", { scope: "row" },
        element("a", { href: "run/" + run.id, "data-key": "open " + run.id, title: run.file }, run.name || "(no name)"), " ", badges(run),
        run.suites.length ? element("small", {}, run.suites.join(", ")) : null),
      element("td", { className: "text" }, targetOf(run) || "—", element("small", {}, run.models.join(", "))),
      element("td", { className: "share" }, barOf(run), element("span", { className: "counts" }, countsOf(run))),
      numbers.map(([name, text]) => element("td", { className: "number" + (text == null ? " empty-cell" : ""), "data-name": name }, text == null ? "—" : text)));
  }

  function badges(run) {
    const made = [];
    const of = run.planned ? " of " + number(run.planned) : "";
    if (run.state === "running") made.push(element("span", { className: "badge running" }, "running: " + number(run.answers) + of));
    if (run.state === "unfinished") made.push(element("span", { className: "badge unfinished" }, "unfinished: " + number(run.answers) + of));
    if (run.noModel) made.push(element("span", { className: "badge no-model", title: run.remark || "" }, "no model asked"));
    else if (run.remark) made.push(element("span", { className: "badge no-model", title: run.remark }, "partly without a model"));
    return made;
  }

  function barOf(run) {
    const bar = drawn("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": countsOf(run) },
      drawn("rect", { class: "track", width: 100, height: 8 }));
    let x = 0;
    const of = Math.max(run.answers, run.state === "finished" ? 0 : run.planned || 0);
    for (const [status] of data.statuses) {
      const width = 100 * count(run, status) / of;
      if (width) bar.append(drawn("rect", { class: status, x, width, height: 8 }));
      x += width;
    }
    return bar;
  }

  function countsOf(run) {
    const first = count(run, "rehearsed") && !count(run, "pass") ? "rehearsed" : "pass";
    return [number(count(run, first)) + " of " + number(run.answers) + (first === "pass" ? " passed" : " rehearsed"), ...data.statuses
      .filter(([status]) => status !== first && count(run, status))
      .map(([status, heading]) => number(count(run, status)) + " " + (status === "error" ? "with errors" : heading))].join(", ");
  }

  function showOthers() {
    const box = document.querySelector(".others");
    box.hidden = !data.others.length;
    const names = data.others.slice(0, 5).map((it) => it.file + " (" + it.why + ")").join(", ");
    box.textContent = visible(counted(data.others.length, "other file") + " in the folder: " + names + (data.others.length > 5 ? ", …" : ""));
  }

  function showPicked() {
    const box = document.querySelector(".compare");
    const picked = state.picked.map((id) => data.runs.find((run) => run.id === id)).filter(Boolean)
      .sort((a, b) => (a.began || "").localeCompare(b.began || ""));
    box.hidden = !picked.length;
    const clear = element("button", { type: "button", onclick: () => { state.picked = []; showTable(); } }, "Clear");
    const named = (run) => run.name + ", " + targetOf(run) + ", " + when(run);
    if (picked.length === 2) {
      const [before, after] = picked;
      box.replaceChildren(element("span", {}, named(before) + " → " + named(after)),
        element("a", { href: "compare/" + before.id + "/" + after.id }, "Compare"), clear);
    } else if (picked.length) {
      const [run] = picked;
      box.replaceChildren(element("span", {}, named(run) + ": select another run to compare it with"),
        run.previous ? element("a", { href: "compare/" + run.previous + "/" + run.id }, "Compare with the run before") : "", clear);
    }
  }

  // ---- the latest run of each suite and target, with the pass rates before it

  function showCards() {
    const groups = new Map();
    for (const run of data.runs) {
      const key = JSON.stringify([run.suites, run.name, run.targets]);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(run);
    }
    at("suites").hidden = data.runs.length < 2;
    const cards = [...groups.values()].slice(0, 8).map(cardOf);
    keepFocus(document.querySelector(".cards"), cards, (it) => it.dataset.key);
  }

  function cardOf(runs) {
    const [last] = runs;
    const rates = runs.filter((run) => run.rate != null && run.state === "finished").slice(0, 20).reverse();
    return element("li", {}, element("a", { href: "run/" + last.id, "data-key": "card " + suiteOf(last) + targetOf(last) },
      element("strong", {}, last.name), element("small", {}, targetOf(last)),
      element("span", { className: "rate" },
        element("b", {}, last.rate == null ? "—" : percent(last.rate)), rates.length > 1 ? sparkOf(rates) : ""),
      element("small", {}, (last.state === "running" ? "running, since " : last.state === "unfinished" ? "unfinished, " : "") + when(last)), badges({ ...last, state: "" })));
  }

  function sparkOf(rates) {
    const place = (run, number) => [2 + 106 * number / (rates.length - 1), 31 - 28 * run.rate];
    const points = rates.map(place), [x, y] = points.at(-1);
    return drawn("svg", { viewBox: "0 0 110 34", role: "img",
      "aria-label": "Pass rates of " + counted(rates.length, "run") + ": " + rates.map((run) => percent(run.rate)).join(", ") },
      drawn("polyline", { points: points.map((it) => it.map((one) => one.toFixed(1)).join(",")).join(" ") }),
      drawn("circle", { cx: x, cy: y, r: 3 }));
  }

  // ---- filters

  function showFilters() {
    for (const [id, valueOf, all] of [["suite", suiteOf, "all suites"], ["target", targetOf, "all targets"]]) {
      const values = [...new Set([...data.runs.map(valueOf), state[id]])].filter(Boolean).sort();
      const box = at(id);
      if (box.dataset.values === JSON.stringify(values)) continue;
      box.dataset.values = JSON.stringify(values);
      box.replaceChildren(element("option", { value: "" }, all), ...values.map((it) => element("option", { value: it }, it)));
      box.value = state[id];
    }
  }

  function update() { writeAddress(); rendered = 0; select(); }
  for (const id of ["suite", "target"]) at(id).addEventListener("change", () => { state[id] = at(id).value; update(); });
  let typing = 0;
  at("query").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => { state.query = at("query").value; update(); }, 60);
  });

  function showAll() { showCards(); showFilters(); select(); }

  // ---- up to date while runs go on

  let notice = null;
  function say(text) {
    if (!text) { if (notice) notice.remove(); notice = null; return; }
    if (!notice) {
      notice = element("p", { className: "note gone", role: "status" });
      document.querySelector("main").prepend(notice);
    }
    notice.textContent = text;
  }

  async function look() {
    let wait = POLL;
    if (document.visibilityState === "visible") {
      try {
        const response = await fetch("runs.json?seen=" + data.version, { cache: "no-store" });
        if (response.status === 200) {
          data = await response.json();
          showAll();
          known = new Set(data.runs.map((run) => run.id));
        }
        say(response.ok ? "" : "This page is not up to date any more: the address has expired.");
      } catch {
        say("`suitecase view` has ended, so this page is not up to date any more.");
        wait = 2 * POLL;
      }
    }
    setTimeout(look, wait);
  }

  readAddress();
  showAll();
  setTimeout(look, POLL);
})();
