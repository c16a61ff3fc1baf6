// Texts of answers, judges and suites are only ever set as text, never read as markup.
const index = JSON.parse(document.getElementById("index").textContent);
const PAGE = 200, LONG = 20000;

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
  difference: (value) => {
    const shown = Math.abs(value).toFixed(2);  // what rounds to 0 has no sign
    return (Number(shown) === 0 ? "" : value > 0 ? "+" : "−") + shown;
  },
};
