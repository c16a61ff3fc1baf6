// Whether a program lies in a folder, whatever its path is called. Nothing here needs the editor.

import { closeSync, lstatSync, openSync, readlinkSync, readSync, statSync } from "node:fs";
import * as path from "node:path";

/** So many names are gone through to a program; more are a circle of links. */
const MOST_STEPS = 1000;
/** So much of the first line of a script is read. */
const LONGEST_LINE = 1024;

/**
 * Whether anything that is gone through to start a program lies in one of some folders, or is one: the path as
 * it is written, each link on the way, and the interpreter that a script names in its first line.
 *
 * Folders are recognized by their identity on the disk, so letter case, short names and links do not matter.
 * What cannot be told counts as inside.
 */
export function leadsInto(program: string, folders: readonly string[]): boolean {
  const within = folders.map(identity).filter((it) => it !== undefined);
  const written = folders.map((it) => path.resolve(it) + path.sep);
  for (const file of [program, ...interpreterOf(program)]) {
    const steps = stepsTo(file);
    if (
      steps === undefined ||
      steps.some((step) => {
        const what = identity(step);
        return (
          (what !== undefined && within.includes(what)) ||
          written.some((folder) => (step + path.sep).startsWith(folder))
        );
      })
    ) {
      return true;
    }
  }
  return false;
}

/** What a path leads to, the same for all its names; undefined where there is nothing. */
function identity(file: string): string | undefined {
  try {
    const about = statSync(file, { bigint: true });
    return `${about.dev}:${about.ino}`;
  } catch {
    return undefined;
  }
}

/** Each file and folder on the way to a path, with links followed one by one; undefined for a circle. */
function stepsTo(file: string): string[] | undefined {
  const steps: string[] = [];
  let [at, names] = split(file);
  while (names.length > 0) {
    if (steps.length >= MOST_STEPS) {
      return undefined;
    }
    const [name = "", ...rest] = names;
    const next = path.resolve(at, name);
    steps.push(next);
    const target = linkTarget(next);
    if (target === undefined) {
      [at, names] = [next, rest];
    } else {
      const [root, others] = split(path.isAbsolute(target) ? target : `${at}${path.sep}${target}`);
      [at, names] = [root, [...others, ...rest]];
    }
  }
  return steps;
}

/** The root of a path, and the names behind it; `..` stays, since it may follow a link. */
function split(file: string): [string, string[]] {
  const absolute = path.isAbsolute(file) ? file : path.resolve(file);
  const { root } = path.parse(absolute);
  return [root, absolute.slice(root.length).split(/[\\/]/).filter((it) => it !== "" && it !== ".")];
}

function linkTarget(file: string): string | undefined {
  try {
    return lstatSync(file).isSymbolicLink() ? readlinkSync(file) : undefined;
  } catch {
    return undefined;
  }
}

/** The programs that the first line of a script names. */
function interpreterOf(program: string): string[] {
  const buffer = Buffer.alloc(LONGEST_LINE);
  let length: number;
  try {
    const file = openSync(program, "r");
    try {
      length = readSync(file, buffer, 0, LONGEST_LINE, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    return [];
  }
  const text = buffer.toString("utf8", 0, length);
  // Scripts of pip with a long path begin with `/bin/sh`, and name Python in their second line.
  return text.startsWith("#!") ? (text.split("\n", 2).join(" ").match(/\/[^\s'"]+/g) ?? []) : [];
}

/** The folders of a `PATH` or the like that are absolute and do not lead into some folders. */
export function outsideOf(searched: string, folders: readonly string[]): string {
  return searched
    .split(path.delimiter)
    .filter((it) => path.isAbsolute(it) && !leadsInto(it, folders))
    .join(path.delimiter);
}
