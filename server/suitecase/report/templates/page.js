"use strict";
(() => {
  // Texts of answers, judges and suites are only ever set as text, never read as markup.
  const index = JSON.parse(document.getElementById("index").textContent);
  const PAGE = 200, LONG = 20000;
  const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

  const visible = (text) => String(text).replace(CONTROLS, (it) =>
    "[U+" + it.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "]");

  function element(name, properties, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties || {})) {
      if (key in made) made[key] = value; else made.setAttribute(key, value);
    }
    for (const child of children.flat()) {
      if (child != null) made.append(typeof child === "object" ? child : visible(child));
    }
    return made;
  }

  const number = (value) => value.toLocaleString("en-US");
  // Two digits, and more where two would tell another verdict.
  function score(value) {
    if (typeof value !== "number") return "—";
    for (let digits = 2; digits < 12; digits++) {
      const shown = value.toFixed(digits);
      if (index.thresholds.every((it) => (Number(shown) >= it) === (value >= it))) return shown;
    }
    return String(value);
  }
  const plain = (value) => value.replace(/_/g, " ");
  function duration(ms) {
    if (ms < 1000) return ms.toFixed(0) + " ms";
    if (ms < 60000) return (ms / 1000).toFixed(1) + " s";
    return Math.floor(ms / 60000) + " min " + Math.floor(ms % 60000 / 1000) + " s";
  }
  const cost = (usd) => "$" + (usd >= 1 || usd === 0 ? usd.toFixed(2) : usd.toFixed(4));
  const FORMATS = {
    text: visible, score, ms: duration, usd: cost,
    grade: ([value, verdict]) => element("span", {}, badge(verdict), score(value)),
    difference: (value) => (value > 0 ? "+" : value < 0 ? "−" : "±") + Math.abs(value).toFixed(2),
  };

  // ---- what is shown: kinds, query, order; kept in the address, so that it can be sent on

  const state = { kinds: new Set(), query: "", everywhere: false, sort: null, down: false, open: null };
  let shown = [], rendered = 0, written = null;

  function readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    const kinds = (given.get("verdict") || given.get("change") || "").split(",");
    state.kinds = new Set(kinds.filter((it) => index.kinds.some((kind) => kind.key === it)));
    state.query = given.get("q") || "";
    state.everywhere = given.get("in") === "everything";
    const sort = given.get("sort") || "";
    state.down = sort.startsWith("-");
    const column = index.columns.findIndex((it) => it.key === sort.replace(/^-/, ""));
    state.sort = column < 0 ? null : column;
    state.open = given.get("open");
    document.getElementById("query").value = state.query;
    document.getElementById("everywhere").checked = state.everywhere;
  }

  function writeAddress() {
    const told = new URLSearchParams();
    if (state.kinds.size) told.set(index.kindName, [...state.kinds].join(","));
    if (state.query) told.set("q", state.query);
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

  function found(row, query) {
    if (index.columns.some((column, at) => column.type === "text" && says(row.cells[at], query))) return true;
    if (!state.everywhere) return false;
    return row.sides.some(([, answers]) => answers.some((it) => {
      const record = detail(it);
      return record && says(record, query);
    }));
  }

  function detail(at) {
    const data = document.getElementById("d" + at);
    return data && JSON.parse(data.textContent);
  }

  function select() {
    const query = state.query.trim().toLowerCase();
    shown = index.rows.filter((row) =>
      (!state.kinds.size || row.kinds.some(([kind]) => state.kinds.has(kind))) && (!query || found(row, query)));
    if (state.sort != null) {
      const at = state.sort, sign = state.down ? -1 : 1, type = index.columns[at].type;
      const value = (row) => type === "kind" ? row.rank : type === "grade" ? row.cells[at] && row.cells[at][0] : row.cells[at];
      shown = shown.map((row) => [value(row), row]).sort(([a], [b]) => {
        if (a == null || b == null) return (a == null) - (b == null);  // what has no value comes last
        return sign * (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
      }).map(([, row]) => row);
    }
    const chips = document.querySelectorAll(".chips button");
    for (const chip of chips) {
      const key = chip.dataset.kind;
      chip.setAttribute("aria-pressed", String(key ? state.kinds.has(key) : !state.kinds.size));
    }
    document.querySelectorAll("#table thead th").forEach((th, at) => {
      if (at === state.sort) th.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
    rendered = 0;
    body.replaceChildren();
    renderMore(Math.max(PAGE, shown.findIndex((row) => row.id === state.open) + 1));
    const all = number(index.rows.length) + (index.rows.length === 1 ? " case" : " cases");
    document.querySelector(".shown").textContent =
      shown.length === index.rows.length ? all : number(shown.length) + " of " + all;
  }

  function renderMore(most) {
    const rows = document.createDocumentFragment();
    for (const row of shown.slice(rendered, rendered + most)) rows.append(rowOf(row));
    body.append(rows);
    rendered = Math.min(shown.length, rendered + most);
    const more = document.querySelector(".more"), left = shown.length - rendered;
    more.replaceChildren();
    if (!left) return;
    const next = Math.min(PAGE, left);
    more.append(element("button", { type: "button", onclick: () => renderMore(PAGE) }, "Show " + number(next) + " more"));
    if (left > PAGE) {
      more.append(element("button", { type: "button", onclick: () => renderMore(left) }, "Show all " + number(left)));
    }
  }

  // ---- the table

  const body = element("tbody");

  function badge(kind, text) {
    return element("span", { className: "badge " + kind }, text || plain(kind));
  }

  function rowOf(row) {
    const cells = index.columns.map((column, at) => {
      const value = row.cells[at];
      if (column.type === "kind") {
        const several = row.kinds.length > 1 || row.kinds[0][1] > 1;
        return element("td", { className: "kind" }, row.kinds.map(([kind, times]) =>
          badge(kind, (index.labels[kind] || plain(kind)) + (several ? " ×" + number(times) : ""))));
      }
      if (column.key === "case") {
        const open = element("button", { type: "button", className: "open", "aria-expanded": "false" }, value || "(no id)");
        return element("th", { scope: "row" }, open, row.mark ? element("span", { className: "mark" }, row.mark) : null);
      }
      const text = value == null ? "—" : FORMATS[column.type](value);
      return element("td", { className: column.type === "text" ? "text" : "number" }, text);
    });
    const made = element("tr", { className: "row" }, cells);
    made.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button || !String(getSelection())) toggle(made, row);
    });
    if (state.open === row.id && document.readyState !== "loading") queueMicrotask(() => toggle(made, row));
    return made;
  }

  function toggle(made, row) {
    const button = made.querySelector(".open"), next = made.nextElementSibling;
    if (next && next.classList.contains("detail")) {
      next.remove();
      button.setAttribute("aria-expanded", "false");
      if (state.open === row.id) state.open = null;
    } else {
      const cell = element("td", { colSpan: index.columns.length }, detailOf(row));
      made.after(element("tr", { className: "detail" }, cell));
      button.setAttribute("aria-expanded", "true");
      state.open = row.id;
    }
    writeAddress();
  }

  // ---- a case, when it is opened

  function detailOf(row) {
    const sides = row.sides.map(([title, answers]) => element("div", {},
      title ? element("h3", { className: "side-title" }, title) : null,
      answers.length ? answers.map((it, at) => answerOf(detail(it), answers.length > 1 ? at + 1 : 0))
        : element("p", {}, "This case is not in this run.")));
    return element("div", { className: sides.length > 1 ? "sides" : "" }, sides);
  }

  function text(value) {
    const whole = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    if (whole === "") return element("p", {}, element("em", {}, "(empty)"));
    const pre = element("pre", { tabIndex: 0 }, whole.length > LONG ? whole.slice(0, LONG) + "…" : whole);
    if (whole.length <= LONG) return pre;
    const all = element("button", { type: "button", className: "all" }, "Show all " + number(whole.length) + " characters");
    all.addEventListener("click", () => { pre.textContent = visible(whole); all.remove(); });
    return element("div", {}, pre, all);
  }

  function block(title, value) {
    return value == null || value === "" ? [] : [element("h4", {}, title), text(value)];
  }

  const shared = (value) => value && value.text_of_page != null ? index.texts[value.text_of_page] : value;

  // Messages are shown turn by turn; a single one of the usual role is its text alone.
  function messages(title, value, usual) {
    if (!Array.isArray(value) || !value.length || !value.every((it) => it && typeof it.role === "string")) {
      return Array.isArray(value) && !value.length ? [] : block(title, value);
    }
    const turns = value.filter((it) => it.role !== "system");
    const said = (it) => [it.content == null || it.content === "" && it.tool_calls ? [] : text(shared(it.content)),
      it.tool_calls ? fold("Calls of tools", () => text(it.tool_calls)) : []].flat();
    const plainly = turns.length === 1 && turns[0].role === usual;
    return [element("h4", {}, title),
      value.filter((it) => it.role === "system").map((it) => fold("System prompt of the suite", () => text(shared(it.content)))),
      turns.map((it) => plainly ? said(it) : [element("h5", {}, it.role), ...said(it)])].flat(2);
  }

  function fold(title, make) {
    const made = element("details", { className: "fold" }, element("summary", {}, title));
    made.addEventListener("toggle", () => {
      if (made.open && made.children.length === 1) made.append(element("div", {}, make()));
    });
    return made;
  }

  function points(title, values, className) {
    if (!Array.isArray(values) || !values.length) return [];
    const items = values.map((it) => element("li", {}, typeof it === "string" ? it : JSON.stringify(it)));
    return [element("h4", {}, title), element("ul", { className }, items)];
  }

  function findings(it) {
    return [
      it.error ? element("p", { className: "broken" }, "Error: " + (typeof it.error === "string" ? it.error : JSON.stringify(it.error))) : null,
      points("Hits", it.hits, "hits"),
      points("Misses", it.misses, "misses"),
      it.reasoning ? [element("h4", {}, "Reasoning"), element("p", {}, it.reasoning)] : [],
    ].flat(2);
  }

  const gate = (it) => it.verdict === "fail" && (it.gate_failed === true || it.score >= index.thresholds[0])
    ? element("p", { className: "gate" }, "Something required is not met, so it fails whatever the score.") : null;

  function rest(it, known) {
    const left = Object.entries(it).filter(([key, value]) => !known.has(key) && value != null
      && !(typeof value === "object" && !Object.keys(value).length));
    return left.length ? Object.fromEntries(left) : null;
  }

  const KNOWN_OF_EVALUATOR = new Set(["name", "type", "score", "weight", "verdict", "hits", "misses", "reasoning",
    "details", "evaluator_provider_request", "evaluator_results", "parse_failed", "attempts", "sandbox", "error", "gate_failed", "judge_usage",
    "confidence", "quotes", "reported_model"]);

  function usageOf(usage) {
    if (!usage || typeof usage !== "object") return [];
    const tokens = usage.token_usage;
    return [tokens ? number((tokens.input || 0) + (tokens.output || 0)) + " tokens" : null,
      usage.cost_usd == null ? null : cost(usage.cost_usd), usage.cached ? number(usage.cached) + " from the cache" : null];
  }

  function evaluatorOf(it) {
    const details = it.details && typeof it.details === "object" ? { ...it.details } : {};
    const members = details.members || it.evaluator_results || [];
    const raw = details.raw_scores, replies = details.replies || [], request = it.evaluator_provider_request;
    delete details.members; delete details.raw_scores; delete details.replies;
    const more = [it.weight != null && it.weight !== 1 ? "weight " + it.weight : null,
      it.attempts ? "asked " + (it.attempts === 1 ? "once" : it.attempts + " times") : null, ...usageOf(it.judge_usage),
      typeof it.reported_model === "string" ? "by " + it.reported_model : null,
      typeof it.confidence === "number" ? Math.round(100 * it.confidence) + "% of the votes agree" : null,
      it.sandbox ? "sandbox " + it.sandbox : null].filter(Boolean);
    const made = element("details", { className: "evaluator", open: true },
      element("summary", {}, it.verdict ? badge(it.verdict) : null, score(it.score), " ", it.name || it.type || "evaluator", " ",
        element("small", {}, [it.type !== it.name ? it.type : null, ...more].filter(Boolean).join(", "))),
      gate(it),
      it.parse_failed ? element("p", { className: "broken" }, "The judge gave no reply that could be read in full; missing parts count as 0.") : null,
      typeof details.given_score === "number" ? element("p", { className: "broken" },
        "The score " + details.given_score + " is outside 0 to 1 and counts as " + (details.given_score > 1 ? 1 : 0) + ".") : null,
      details.ambiguous_reply === true ? element("p", { className: "broken" },
        "The judge's reply contains different verdicts; the first one counts.") : null,
      findings(it));
    if (raw && typeof raw === "object" && Object.keys(raw).length) {
      made.append(element("h4", {}, "Rubrics"), element("table", {}, element("tbody", {},
        Object.entries(raw).map(([id, value]) => element("tr", {}, element("th", { scope: "row" }, id),
          element("td", {}, value === true ? "met" : value === false ? "not met" : value == null ? "no verdict" : value + " of 10"))))));
    }
    if (Array.isArray(it.quotes)) {
      made.append(...points("Quotes", it.quotes.filter((one) => one && typeof one === "object").map((one) =>
        one.item + ": " + (one.quote ? "\u201c" + one.quote + "\u201d" : "none") + (one.in_answer === true ? "" : " (not in the answer)")), "quotes"));
    }
    if (request && typeof request === "object") {
      made.append(fold(request.user_prompt || request.system_prompt ? "What the judge was asked" : "What was run", () => {
        const { user_prompt: user, system_prompt: system, target, ...others } = request;
        const systemText = shared(system);
        return [block("Judge", target), block("System prompt", systemText), block("User prompt", user),
          Object.keys(others).length ? block("More", others) : []].flat();
      }));
    }
    if (Array.isArray(replies) && replies.length) {
      made.append(fold(replies.length === 1 ? "The judge's reply" : "The judge's " + replies.length + " replies",
        () => replies.map((reply) => element("div", {}, text(reply)))));
    }
    const others = { ...details, ...rest(it, KNOWN_OF_EVALUATOR) };
    if (Object.keys(others).length) made.append(fold("Details", () => text(others)));
    if (Array.isArray(members)) made.append(...members.filter((it) => it && typeof it === "object").map(evaluatorOf));
    return made;
  }

  const KNOWN = new Set(["eval_id", "case_hash", "target", "score", "verdict", "hits", "misses", "reasoning", "candidate_answer",
    "output_messages", "evaluator_results", "trace_summary", "error", "repeat", "timestamp", "suite_path", "dataset",
    "schema_version", "input", "expected_outcome", "reference_answer", "expected_output", "lm_provider_request", "parse_failed", "attempts", "sandbox",
    "effective_hash", "gate_failed", "finish_reason", "reported_model", "seed", "judge_cost_usd", "repeats", "tags", "group",
    "refused"]);

  function answerOf(it, position) {
    if (!it) return element("p", {}, "This page is still loading; open the case again in a moment.");
    try {
      return fieldsOf(it, position);
    } catch {
      // Fields of other tools may have our names and other forms.
      return element("div", { className: "answer" }, block("The record, as it stands in the results file", it));
    }
  }

  function fieldsOf(it, position) {
    const results = Array.isArray(it.evaluator_results) ? it.evaluator_results.filter((one) => one && typeof one === "object") : [];
    const trace = it.trace_summary || {}, asked = it.lm_provider_request || {};
    const usage = trace.token_usage || it.token_usage;
    const facts = [["Target", it.target], ["Sandbox of the target", it.sandbox], ["Suite", it.suite_path || it.dataset], ["Graded", it.timestamp],
      ["Time", trace.duration_ms == null ? null : duration(trace.duration_ms)],
      ["Cost", trace.cost_usd == null ? null : cost(trace.cost_usd)],
      ["Tokens", usage ? number(usage.input || 0) + " read, " + number(usage.output || 0) + " written" : null],
      ["Cost of the judges", it.judge_cost_usd == null ? null : cost(it.judge_cost_usd)],
      ["Ended", it.finish_reason === "length" ? "cut off at the most tokens it may have" : null],
      ["Model", it.reported_model],
      ["Seed", it.seed == null ? null : String(it.seed)],
      ["Tools called", (trace.tool_names || []).map((name) => name + (((trace.tool_calls_by_name || {})[name] || 1) > 1 ? " ×" + trace.tool_calls_by_name[name] : "")).join(", ")],
      ["Tags", Array.isArray(it.tags) ? it.tags.join(", ") : null],
      ["Group", it.group == null ? null : String(it.group)],
      ["Refused", it.refused === true ? "yes" : null],
      ["Text of the case", it.case_hash ? it.case_hash.slice(0, 12) : null],
    ].filter(([, value]) => value);
    const told = results.length > 0;
    const others = rest(it, KNOWN);
    return element("div", { className: "answer" },
      position ? element("h3", {}, badge(it.verdict || ""), "Repeat " + (it.repeat == null ? position : it.repeat) + ": " + score(it.score)) : null,
      told ? null : gate(it),
      told ? (it.error && !results.some((one) => one.error) ? findings({ error: it.error }) : []) : findings(it),
      messages("Input", it.input != null ? it.input : asked.question, "user"),
      block("Expected outcome", it.expected_outcome),
      it.reference_answer != null ? block("Reference answer", it.reference_answer)
        : messages("Expected output", it.expected_output, "assistant"),
      it.candidate_answer == null ? [element("h4", {}, "Answer"), element("p", {}, element("em", {}, "(none)"))]
        : [element("h4", {}, "Answer"), text(it.candidate_answer)],
      it.output_messages ? fold("Messages of the target", () => text(it.output_messages)) : null,
      it.lm_provider_request ? fold("What the target was asked", () => text(asked)) : null,
      told ? [element("h4", {}, results.length === 1 ? "Evaluator" : "Evaluators"), ...results.map(evaluatorOf)] : [],
      told && it.reasoning && !results.some((one) => one.reasoning) ? [element("h4", {}, "Reasoning"), element("p", {}, it.reasoning)] : [],
      element("dl", { className: "facts" }, facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
      others ? fold("More of the record", () => text(others)) : null);
  }

  // ---- start

  const heads = index.columns.map((column, at) => element("th", { scope: "col", className: { kind: "kind", text: "" }[column.type] ?? "number" },
    element("button", { type: "button", onclick: () => {
      state.down = state.sort === at ? !state.down : false;
      state.sort = at;
      update();
    } }, column.label)));
  document.getElementById("table").append(element("table", { className: "cases" }, element("thead", {}, element("tr", {}, heads)), body));

  const chips = document.querySelector(".chips");
  for (const { key, label, count } of [{ key: "", label: "all", count: index.rows.length }, ...index.kinds]) {
    const chip = element("button", { type: "button" }, number(count) + " " + label);
    chip.dataset.kind = key;
    chip.addEventListener("click", () => {
      if (!key) state.kinds.clear();
      else if (!state.kinds.delete(key)) state.kinds.add(key);
      update();
    });
    chips.append(chip);
  }

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
  function showOpened() {
    const opened = body.querySelector(".open[aria-expanded=true]");
    if (opened) opened.closest("tr").scrollIntoView();
  }
  addEventListener("beforeprint", () => renderMore(Math.min(2000, shown.length - rendered)));
  readAddress();
  select();
  // What is searched or opened from the start may stand behind what the browser has read so far.
  addEventListener("DOMContentLoaded", () => { if (state.everywhere || state.open != null) select(); });
})();
