import { readFileSync } from 'node:fs';
import { type Document, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { Fault } from '../../model/fault.ts';
import { parse } from '../../model/parse.ts';
import { pointerToken } from '../../model/pointer.ts';
import { takeJson } from '../../model/take-json.ts';

/** A file that somebody wrote, YAML or JSON, and where in it everything stands. */
export interface WrittenFile {
  readonly name: string;
  readonly value: unknown;
  /** The value held to a shape; a fault says file, line and column. `within` is a JSON Pointer of a part. */
  read<T>(shape: z.ZodType<T>, part: unknown, within: string): T;
  /** Refuses a field that nobody reads, at the place where it stands, and says which there are. */
  assertFields(part: unknown, fields: readonly string[], within: string): void;
  /** A fault at a place in the file, by JSON Pointer. */
  fault(pointer: string, message: string): Fault;
}

/** Reads one file. JSON is YAML, so both say where their mistakes are. `text` stands for what is on the disk. */
export function readWritten(name: string, text: string = readText(name)): WrittenFile {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    version: '1.2',
    uniqueKeys: true,
    merge: false,
    // The place stands before every message already.
    prettyErrors: false,
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new Fault('input_invalid', `${name}:${line}:${col}: ${firstLine(error.message)}`, { path: '' });
  }
  const place = (pointer: string): string => {
    const { line, col } = lines.linePos(offsetOf(document, pointer));
    return `${name}:${line}:${col}`;
  };
  const fault = (pointer: string, message: string): Fault =>
    new Fault('input_invalid', `${place(pointer)}: ${message}`, { path: pointer });
  return {
    name,
    value: plainValue(document, name),
    fault,
    read: (shape, part, within) => {
      try {
        return parse(shape, part, 'input_invalid');
      } catch (error_) {
        if (!Fault.is(error_)) throw error_;
        throw fault(within + (error_.path ?? ''), inWriting(error_.message));
      }
    },
    assertFields: (part, fields, within) => {
      const given = typeof part === 'object' && part !== null ? Object.keys(part) : [];
      const strange = given.find((key) => !fields.includes(key));
      if (strange === undefined) return;
      const message = `there is no field ${JSON.stringify(strange)}; there are ${fields.join(', ')}`;
      throw fault(within + pointerToken(strange), message);
    },
  };
}

/** Unquoted, 1.0 is a number and yes is a word: whoever writes YAML by hand is told what to write. */
const inWriting = (message: string): string =>
  /expected string, received (?:number|boolean)/.test(message) ? `${message}: put it in quotes` : message;

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? text;

export function readText(name: string): string {
  try {
    return readFileSync(name, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const why = code === 'ENOENT' ? `there is no such file in ${process.cwd()}` : code;
    throw new Fault('input_invalid', `${name} cannot be read: ${why}`, { cause: error });
  }
}

/** Plain JSON only: no tags, no anchors that stand for a value elsewhere, no dates. */
function plainValue(document: Document, name: string): unknown {
  try {
    return takeJson(document.toJS({ maxAliasCount: 0 }));
  } catch (error) {
    throw new Fault('input_invalid', `${name}: is not plain data (${String(error)})`, { cause: error });
  }
}

/** Where the innermost part of the pointer that is there begins: what is missing is missing from that. */
function offsetOf(document: Document, pointer: string): number {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  for (let length = tokens.length; length >= 0; length -= 1) {
    const keys = tokens.slice(0, length).map((token) => (/^\d+$/.test(token) ? Number(token) : token));
    const node = length === 0 ? document.contents : document.getIn(keys, true);
    const range = (node as { readonly range?: readonly number[] } | null | undefined)?.range;
    if (range !== undefined) return range[0] ?? 0;
  }
  return 0;
}
