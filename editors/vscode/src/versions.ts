// Whether a server is one that this extension was made for.

import type { Server } from "./find_server";

/** Say what is wrong with the version of a server; undefined where it goes with the extension. */
export function versionMismatch(
  version: string,
  expected: string,
  server: Server,
): string | undefined {
  if (release(version) === release(expected)) {
    return undefined;
  }
  const found =
    `Suitecase's server is ${version}, from ${server.origin}, and this extension is made for ` +
    `${expected}: some features may not work. `;
  return server.own
    ? `${found}Update the server.`
    : `${found}Update one of them. For the server: pip install "suitecase==${expected}", or suitecase-core if it is that.`;
}

/** The part of a version within which extension and server go together: 0.3 of 0.3.1, 2 of 2.3.1. */
function release(version: string): string {
  const [major, minor] = version.split(".");
  return major === "0" ? `0.${minor}` : String(major);
}
