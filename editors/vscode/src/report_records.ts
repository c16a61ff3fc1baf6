// The packed records of a report of many cases: they stay in its file until its page asks for them.

import { open } from "node:fs/promises";

const BEGIN = '<script type="text/plain" id="r';
const END = "</script>";

export interface Report {
  /** The page without its packed records: what is sent to its panel does not grow with the answers of a run. */
  readonly page: string;
  /** Where the file has each block of records: its first byte, and the one after its last. */
  readonly blocks: ReadonlyMap<string, readonly [number, number]>;
}

/** Return a page without the blocks of records in it. Its other texts have no such element: they are escaped. */
export function withoutRecords(file: Buffer): Report {
  const blocks = new Map<string, readonly [number, number]>();
  const parts: Buffer[] = [];
  let kept = 0;
  for (let at = file.indexOf(BEGIN); at >= 0; at = file.indexOf(BEGIN, kept)) {
    const start = file.indexOf('">', at) + 2;
    const end = file.indexOf(END, start);
    if (start < 2 || end < 0) {
      break;
    }
    const name = file.toString("latin1", at + BEGIN.length - 1, start - 2);
    blocks.set(name, [start, end]);
    parts.push(file.subarray(kept, at));
    kept = end + END.length;
  }
  parts.push(file.subarray(kept));
  return { page: Buffer.concat(parts).toString("utf8"), blocks };
}

/** Read a block of records from the file of a report; undefined if it is not there any more. */
export async function readBlock(path: string, [start, end]: readonly [number, number]): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined);
  try {
    const found = await file?.read(Buffer.alloc(end - start), 0, end - start, start);
    return found?.bytesRead === end - start ? found.buffer.toString("latin1") : undefined;
  } finally {
    await file?.close();
  }
}
