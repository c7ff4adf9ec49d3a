import { readFileSync } from 'node:fs';
import { type Document, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { Fault } from '../../model/fault.ts';
import { parse } from '../../model/parse.ts';
import { takeJson } from '../../model/take-json.ts';

/** A file that somebody wrote, YAML or JSON, and where in it everything stands. */
export interface WrittenFile {
  readonly name: string;
  readonly value: unknown;
  /** The value held to a shape; a fault says file, line and column. `within` is a JSON Pointer of a part. */
  read<T>(shape: z.ZodType<T>, part: unknown, within: string): T;
  /** A fault at a place in the file, by JSON Pointer. */
  fault(pointer: string, message: string): Fault;
}

/** Reads one file. JSON is YAML, so both say where their mistakes are. `text` stands for what is on the disk. */
export function readWritten(name: string, path: string, text: string = readText(name, path)): WrittenFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, version: '1.2', uniqueKeys: true, merge: false });
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
        throw fault(within + (error_.path ?? ''), error_.message);
      }
    },
  };
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? text;

export function readText(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Fault('input_invalid', `${name} cannot be read`, { cause: error });
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
