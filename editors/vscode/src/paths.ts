// Paths of programs, on Windows and elsewhere. Nothing here looks at a disk or needs the editor.

import * as path from "node:path";

type Platform = NodeJS.Platform;

/** The rules of paths of a platform. */
function rules(platform: Platform): path.PlatformPath {
  return platform === "win32" ? path.win32 : path.posix;
}

/** The file name of a program. */
export function programName(name: string, platform: Platform): string {
  return platform === "win32" && !/\.exe$/i.test(name) ? `${name}.exe` : name;
}

/** The path of a program in a virtual environment. */
export function inEnvironment(environment: string, name: string, platform: Platform): string {
  const scripts = platform === "win32" ? "Scripts" : "bin";
  return rules(platform).join(environment, scripts, programName(name, platform));
}

/** Where the programs of the environment of an interpreter may be. */
export function besideInterpreter(interpreter: string, name: string, platform: Platform): string[] {
  const { dirname, join } = rules(platform);
  const folder = dirname(interpreter);
  const program = programName(name, platform);
  // Environments of conda have their interpreter above their scripts on Windows.
  return platform === "win32"
    ? [join(folder, program), join(folder, "Scripts", program)]
    : [join(folder, program)];
}

/**
 * The path of a program of this name in each folder of a `PATH`, whether or not it is there.
 *
 * Looked for here and not by the system, which on Windows begins with the working directory: folders
 * that are not absolute are left out.
 */
export function onPath(name: string, searched: string | undefined, platform: Platform): string[] {
  const { delimiter, isAbsolute, join } = rules(platform);
  return (searched ?? "")
    .split(delimiter)
    .map((it) => (platform === "win32" ? it.trim().replace(/^"(.*)"$/, "$1") : it))
    .filter((it) => isAbsolute(it))
    .map((it) => join(it, programName(name, platform)));
}

/**
 * The paths that a setting may mean: `~` and `${workspaceFolder}` at its start stand for folders, and on
 * Windows the ending of a program may be left out.
 */
export function expanded(
  set: string,
  workspaceFolder: string | undefined,
  home: string,
  platform: Platform,
): string[] {
  const base = workspaceFolder ?? home;
  const file = rules(platform).resolve(
    base,
    set
      .trim()
      .replace(/^"(.*)"$/, "$1")
      // As functions: folders may have `$` in their names.
      .replace(/^~(?=$|[/\\])/, () => home)
      .replace(/^\$\{workspaceFolder\}/, () => base),
  );
  return platform === "win32" && programName(file, platform) !== file
    ? [file, programName(file, platform)]
    : [file];
}
