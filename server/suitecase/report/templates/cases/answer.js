// ---- a case, when it is opened

function detailOf(sides, records) {
  const made = sides.map(([title], side) => element("div", {},
    title ? element("h3", { className: "side-title" }, title) : null,
    records[side].length ? records[side].map((it, at) => answerOf(it, records[side].length > 1 ? at + 1 : 0))
      : element("p", {}, "This case is not in this run.")));
  return element("div", { className: sides.length > 1 ? "sides" : "" }, made);
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

const listed = (value) => Array.isArray(value) ? value.filter((one) => one && typeof one === "object" && !Array.isArray(one)) : [];
const gate = (it) => it.verdict === "fail" && (it.gate_failed ?? it.score >= index.thresholds[0])
  ? element("p", { className: "gate" }, "Something required is not met, so it fails whatever the score.") : null;

// What a result is shown as was decided where the page was made; other tools' records may have no evaluators there.
const shownAs = (it) => it.shown_as || { status: it.verdict, evaluators: [] };

function rest(it, known) {
  const left = Object.entries(it).filter(([key, value]) => !known.has(key) && value != null
    && !(typeof value === "object" && !Object.keys(value).length));
  return left.length ? Object.fromEntries(left) : null;
}

const KNOWN_OF_EVALUATOR = new Set(["name", "type", "score", "weight", "verdict", "hits", "misses", "reasoning",
  "details", "evaluator_provider_request", "evaluator_results", "parse_failed", "attempts", "sandbox", "error", "gate_failed", "judge_usage",
  "confidence", "quotes", "reported_model", "requested_model", "judged_by", "judge_hash"]);

function modelOf({ requested_model: requested, reported_model: reported }) {
  if (typeof requested !== "string" || !requested || requested === reported) return typeof reported === "string" ? reported : null;
  return reported ? requested + ", which replied as " + reported : requested;
}

function usageOf(usage) {
  if (!usage || typeof usage !== "object") return [];
  const tokens = usage.token_usage;
  return [tokens ? number((tokens.input || 0) + (tokens.output || 0)) + " tokens" : null,
    usage.cost_usd == null ? null : cost(usage.cost_usd), usage.cached ? number(usage.cached) + " from the cache" : null];
}

// The scores of rubrics that neither a hit nor a miss tells.
function unsaid(it, raw) {
  const points = [it.hits, it.misses].filter(Array.isArray).flat().filter((point) => typeof point === "string");
  return Object.fromEntries(Object.entries(raw && typeof raw === "object" ? raw : {})
    .filter(([id]) => !points.some((point) => point.startsWith("[" + id + "] "))));
}

function evaluatorOf(it, { status = it.verdict, members: shown = [] } = {}) {
  const details = it.details && typeof it.details === "object" ? { ...it.details } : {};
  const members = shown.length ? listed(details.members || it.evaluator_results) : [];
  const raw = unsaid(it, details.raw_scores), replies = details.replies || [], request = it.evaluator_provider_request;
  if (shown.length) delete details.members;
  delete details.raw_scores; delete details.rubric_texts; delete details.replies;
  const more = [it.weight != null && it.weight !== 1 ? "weight " + it.weight : null,
    it.attempts ? "asked " + (it.attempts === 1 ? "once" : it.attempts + " times") : null, ...usageOf(it.judge_usage),
    modelOf(it) ? "by " + modelOf(it) : null,
    typeof it.confidence === "number" ? Math.round(100 * it.confidence) + "% of the votes agree" : null,
    it.sandbox ? "sandbox " + it.sandbox : null].filter(Boolean);
  const made = element("details", { className: "evaluator", open: true },
    element("summary", {}, it.verdict ? badge(status) : null, score(status === "judge_failed" ? null : it.score), " ", it.name || it.type || "evaluator", " ",
      element("small", {}, [it.type !== it.name ? it.type : null, ...more].filter(Boolean).join(", "))),
    gate(it),
    it.parse_failed ? element("p", { className: "broken" }, "The judge failed: it gave no verdict that could be read in full. Nobody graded the answer.") : null,
    typeof details.given_score === "number" ? element("p", { className: "broken" },
      "The score " + details.given_score + " is outside 0 to 1; " + (details.given_score > 1 ? 1 : 0) + " is recorded.") : null,
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
  made.append(...members.map((member, at) => evaluatorOf(member, shown[at])));
  return made;
}

const KNOWN = new Set(["eval_id", "case_hash", "target", "score", "verdict", "hits", "misses", "reasoning", "candidate_answer",
  "output_messages", "evaluator_results", "trace_summary", "error", "repeat", "timestamp", "suite_path", "dataset",
  "schema_version", "input", "expected_outcome", "reference_answer", "expected_output", "lm_provider_request", "parse_failed", "attempts", "sandbox",
  "effective_hash", "gate_failed", "finish_reason", "reported_model", "seed", "judge_cost_usd", "repeats", "planned", "tags", "group",
  "refused", "requested_model", "position", "answered_by", "question_hash", "expected_hash", "grading_hash", "planned", "shown_as"]);

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
  const results = listed(it.evaluator_results), shown = shownAs(it);
  const trace = it.trace_summary || {}, asked = it.lm_provider_request || {};
  const usage = trace.token_usage || it.token_usage;
  const facts = [["Target", it.target], ["Sandbox of the target", it.sandbox], ["Suite", it.suite_path || it.dataset], ["Graded", it.timestamp],
    ["Time", trace.duration_ms == null ? null : duration(trace.duration_ms)],
    ["Cost", trace.cost_usd == null ? null : cost(trace.cost_usd)],
    ["Tokens", usage ? number(usage.input || 0) + " read, " + number(usage.output || 0) + " written" : null],
    ["Cost of the judges", it.judge_cost_usd == null ? null : cost(it.judge_cost_usd)],
    ["Model", modelOf(it)],
    ["Seed", it.seed == null ? null : String(it.seed)],
    ["Tools called", (trace.tool_names || []).map((name) => name + (((trace.tool_calls_by_name || {})[name] || 1) > 1 ? " ×" + trace.tool_calls_by_name[name] : "")).join(", ")],
    ["Tags", Array.isArray(it.tags) ? it.tags.join(", ") : null],
    ["Group", it.group == null ? null : String(it.group)],
    ["Refused", it.refused === true ? "yes" : null],
    ["Text of the case", it.case_hash ? it.case_hash.slice(0, 12) : null],
  ].filter(([, value]) => value);
  const told = results.length > 0, error = it.error || shown.error;
  const others = rest(it, KNOWN);
  return element("div", { className: shown.no_model ? "answer no-model" : "answer" },
    position ? element("h3", {}, badge(shown.status || ""), "Repeat " + (it.repeat == null ? position : it.repeat) + ": "
      + score(shown.status === "judge_failed" ? null : it.score)) : null,
    shown.cut_off ? element("p", { className: "broken" }, shown.cut_off[0].toUpperCase() + shown.cut_off.slice(1) + ".") : null,
    told ? null : gate(it),
    told ? (error && !results.some((one) => one.error) ? findings({ error }) : []) : findings({ ...it, error }),
    messages("Input", it.input != null ? it.input : asked.question, "user"),
    block("Expected outcome", it.expected_outcome),
    it.reference_answer != null ? block("Reference answer", it.reference_answer)
      : messages("Expected output", it.expected_output, "assistant"),
    it.candidate_answer == null ? [element("h4", {}, "Answer"), element("p", {}, element("em", {}, "(none)"))]
      : [element("h4", {}, "Answer"), text(it.candidate_answer)],
    it.output_messages ? fold("Messages of the target", () => text(it.output_messages)) : null,
    it.lm_provider_request ? fold("What the target was asked", () => text(asked)) : null,
    told ? [element("h4", {}, results.length === 1 ? "Evaluator" : "Evaluators"), ...results.map((one, at) => evaluatorOf(one, shown.evaluators[at]))] : [],
    told && it.reasoning && !results.some((one) => one.reasoning) ? [element("h4", {}, "Reasoning"), element("p", {}, it.reasoning)] : [],
    element("dl", { className: "facts" }, facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
    others ? fold("More of the record", () => text(others)) : null);
}
