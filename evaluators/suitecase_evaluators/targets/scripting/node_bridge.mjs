// A program that calls the functions of one script, or code that is part of a suite.
//
//   node node_bridge.mjs [SCRIPT]
//
// The first line on stdin is a mark, each further one a request in JSON, with an `id`. A message is a
// line on stdout that starts with the mark: `ready`, then for each request `begun`, and finally a
// `value` or an `error`. A request that only asks whether this process responds has `ask`. What
// scripts print to stdout goes to stderr as far as this process can redirect it.

import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";

// A script may replace what belongs to these.
const { parse, stringify } = JSON;
const { compileFunction } = vm;

let mark;
const script = process.argv[2];
const here = fileURLToPath(import.meta.url);
const CODE = "code.js";
process.argv = [process.argv[0], script ?? path.resolve(CODE)];
Object.defineProperty(process, "stdout", { get: () => process.stderr, configurable: true });

function send(message) {
  let rest = Buffer.from(`\n${mark}${stringify(message)}\n`);
  while (rest.length) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

const required = createRequire(path.resolve(CODE));
const shownProcess = new Proxy(process, {
  get: (target, name) =>
    name === "mainModule"
      ? { require: required, exports: {}, id: ".", filename: "", loaded: true, children: [], paths: [] }
      : Reflect.get(target, name),
});

// Of a value that JSON cannot represent, only the type is sent.
function valueMessage(value) {
  const type = value === null ? "null" : typeof value;
  if (type === "number" && !Number.isFinite(value)) return { type: String(value) };
  if (type === "bigint" || type === "symbol") return { type };
  const text = stringify(value);
  return text === undefined ? { type } : { type, value: parse(text) };
}

function parsePlace(place) {
  const found = /^(.*?):(\d+)(?::\d+)?$/.exec(place);
  if (!found) return undefined;
  const file = found[1].startsWith("file://") ? fileURLToPath(found[1]) : found[1];
  return { file, line: Number(found[2]) };
}

// The innermost frame of the stack that is neither node's, nor this program's, nor a package's.
function placeOf(error) {
  const stack = typeof error?.stack === "string" ? error.stack.split("\n") : [];
  const own = (it) => it && path.isAbsolute(it.file) && it.file !== here;
  const head = parsePlace(stack[0] ?? "");
  if (own(head)) return head;
  const frames = stack
    .map((line) => /^\s+at (?:.*\()?(.*?)\)?$/.exec(line))
    .map((found) => found && parsePlace(found[1]))
    .filter(own);
  if (!frames.length && error instanceof SyntaxError && script) {
    // Node reports where a module has a syntax error only on stderr.
    const checked = spawnSync(process.execPath, ["--check", script], { encoding: "utf8" });
    return parsePlace(checked.stderr?.split("\n")[0] ?? "");
  }
  return frames.find((it) => !it.file.includes(`${path.sep}node_modules${path.sep}`)) ?? frames[0];
}

// A part of what a script throws; undefined if the script throws again when it is read.
function attempt(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

// Reports whatever a script throws, even if it has no string representation.
function errorReport(error) {
  const text = attempt(() => error.message);
  if (!attempt(() => error instanceof Error) && typeof text !== "string") {
    const message = attempt(() => String(error)) ?? attempt(() => Object.prototype.toString.call(error));
    return { name: "", message: message ?? "" };
  }
  const cause = attempt(() => error.cause?.message && `: ${error.cause.message}`) || "";
  const name = attempt(() => String(error.name ?? "")) ?? "";
  const message = attempt(() => `${text ?? ""}`) ?? "";
  return { name, message: `${message}${cause}`, ...attempt(() => placeOf(error)) };
}

// ---- code in a suite ----

const compiled = new Map();

function functionOf(code, parameters) {
  const key = stringify([code, parameters]);
  if (!compiled.has(key)) {
    compiled.set(
      key,
      compileFunction(code, parameters, {
        filename: path.resolve(CODE),
        importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      }),
    );
  }
  return compiled.get(key);
}

// The position of the semicolon before the final expression; those in strings do not count.
function lastSemicolon(code) {
  let quote = "";
  let last = -1;
  for (let at = 0; at < code.length; at++) {
    const sign = code[at];
    let slashes = 0;
    while (code[at - 1 - slashes] === "\\") slashes++;
    if ("'\"`".includes(sign) && slashes % 2 === 0) {
      if (!quote) quote = sign;
      else if (quote === sign) quote = "";
    }
    if (sign === ";" && !quote) last = at;
  }
  return last;
}

// The body of a function: several lines are used unchanged, one line is an expression.
function bodyOf(code, role) {
  if (role !== "assertion") return code.includes("\n") ? code : `return ${code}`;
  const text = code.trimEnd();
  if (text.includes("\n")) return text;
  const line = text.trim().replace(/;+\s*$/, "");
  if (!/^(const|let|var)\s/.test(line)) return `return ${line}`;
  const end = lastSemicolon(line) + 1;
  const rest = line.slice(end).trim();
  return end && rest ? `${line.slice(0, end)} return ${rest}` : line;
}

// ---- functions of a script ----

let loading;

function loaded() {
  loading ??= (async () => {
    let module;
    try {
      module = await import(pathToFileURL(script).href);
    } catch (error) {
      const commonjs = /\b(require|module|exports|__dirname|__filename) is not defined\b/;
      if (!script.endsWith(".js") || !commonjs.test(String(error?.message))) throw error;
      module = commonjsModule();
    }
    return module?.default?.default || module?.default || module;
  })();
  return loading;
}

// Loads a CommonJS script in a package whose type is `module`.
function commonjsModule() {
  const names = ["exports", "require", "module", "__filename", "__dirname"];
  const body = readFileSync(script, "utf8");
  const module = { exports: {} };
  const run = vm.compileFunction(body, names, {
    filename: script,
    importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  run.call(module.exports, module.exports, createRequire(script), module, script, path.dirname(script));
  return module.exports;
}

function functionNamed(module, name, role) {
  const named = name ? module?.[name] : undefined;
  if (typeof named === "function") return named;
  // promptfoo calls another function than the one that is named for transforms only.
  if (!name || role === "transform") {
    if (typeof module === "function") return module;
    if (typeof module?.default === "function") return module.default;
  }
  if (!name) throw new Error("the script exports no function");
  const where = typeof module === "function" ? "what the script exports by default" : "the script";
  throw new Error(`${where} has no function \`${name}\``);
}

const providers = new Map();

// A class is instantiated once per configuration.
async function providerOf(module, options) {
  const key = stringify(options);
  if (!providers.has(key)) {
    if (typeof module !== "function") throw new Error("the script exports no class by default");
    const made = new module(options);
    if (typeof made.callApi !== "function") {
      throw new Error("the class that the script exports has no method `callApi`");
    }
    providers.set(key, made);
  }
  return providers.get(key);
}

// The logger of providers, which writes to stderr.
const logger = Object.fromEntries(
  ["debug", "info", "warn", "error"].map((level) => [level, (...values) => console.error(...values)]),
);

function withProvider(argument) {
  const provider = argument?.provider;
  if (typeof provider?.id !== "string") return argument;
  return { ...argument, provider: { ...provider, id: () => provider.id } };
}

async function answer({ id, role, code, parameters, name, arguments: given, options }) {
  const values = role === "assertion" ? given.map(withProvider) : given;
  if (code !== undefined) {
    send({ id, begun: true });
    const body = bodyOf(code, role);
    return functionOf(body, [...parameters, "process"])(...values, shownProcess);
  }
  const module = await loaded();
  send({ id, begun: true });
  if (role === "provider") {
    const [prompt, context] = values;
    const provider = await providerOf(module, options);
    return provider.callApi(prompt, { ...context, logger, originalProvider: provider }, {});
  }
  return functionNamed(module, name, role)(...values);
}

async function handle(line) {
  if (mark === undefined) {
    mark = line;
    send({ ready: true });
    return;
  }
  const request = parse(line);
  if (request.ask !== undefined) {
    send({ alive: request.ask });
    return;
  }
  try {
    send({ id: request.id, ...valueMessage(await answer(request)) });
  } catch (error) {
    send({ id: request.id, error: errorReport(error) });
  }
}

// An error in what a script left running must not end the calls after it.
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => process.stderr.write(`${event}: ${attempt(() => `${error?.stack ?? error}`) ?? ""}\n`));
}

let open = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => {
  const lines = (open + text).split("\n");
  open = lines.pop();
  for (const line of lines) handle(line);
});
process.stdin.on("end", () => process.exit(0));
