import { existsSync, readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { z } from 'zod';

/** Reads one case per line and unpacks a `.gz` file. Returns a text with the reason if there are no cases. */
export function readLines<T>(schema: z.ZodType<T>, path: string): readonly T[] | string {
  if (!existsSync(path)) return 'no such file';
  if (statSync(path).isDirectory()) return 'is a folder';
  const lines =
    textOf(path)
      ?.replace(/^\uFEFF/u, '')
      .split('\n') ?? null;
  if (lines === null) return 'cannot be unpacked';
  const cases: T[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const read = schema.safeParse(jsonOf(line));
    if (!read.success) return `line ${index + 1} is not a case (${problemOf(read.error)})`;
    cases.push(read.data);
  }
  return cases.length === 0 ? 'is empty' : cases;
}

function textOf(path: string): string | null {
  const bytes = readFileSync(path);
  if (!path.endsWith('.gz')) return bytes.toString('utf8');
  try {
    return gunzipSync(bytes).toString('utf8');
  } catch {
    return null;
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const problemOf = ({ issues: [first] }: z.ZodError): string =>
  first === undefined || first.path.length === 0 ? 'not a JSON object' : `${first.path.join('.')}: ${first.message}`;
