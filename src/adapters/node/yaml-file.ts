import { readFileSync } from 'node:fs';
import { type Document, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { Fault } from '../../model/fault/fault.ts';
import { parse } from '../../model/json/parse.ts';
import { pointerKeys, pointerToken } from '../../model/json/pointer.ts';
import { reasonOf } from '../../model/json/printable.ts';
import { takeJson } from '../../model/json/take-json.ts';

/** A hand-written YAML or JSON file with the positions of its values. */
export interface YamlFile {
  readonly name: string;
  readonly value: unknown;
  /** Parses a part with a schema; faults name file, line and column. `within` is the part's JSON Pointer. */
  read<T>(shape: z.ZodType<T>, part: unknown, within: string): T;
  /** Rejects an unknown field at its position and lists the known ones. */
  assertFields(part: unknown, fields: readonly string[], within: string): void;
  /** Creates a fault at a position in the file, given as a JSON Pointer. */
  fault(pointer: string, message: string): Fault;
}

/** Reads one file. JSON is parsed as YAML, so both report positions. `text` overrides the content on disk. */
export function readYamlFile(name: string, text: string = readText(name)): YamlFile {
  const lines = new LineCounter();
  const document = parsing(name, () =>
    parseDocument(text, {
      lineCounter: lines,
      version: '1.2',
      // The check of the library compares every key with every other.
      uniqueKeys: false,
      merge: false,
      // Every message already begins with the position.
      prettyErrors: false,
    }),
  );
  const error = document.errors.map(({ pos, message }) => ({ at: pos[0], message }))[0] ?? findRepeatedKey(document);
  if (error !== null) {
    const { line, col } = lines.linePos(error.at);
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
        throw fault(within + (error_.path ?? ''), withQuotesHint(error_.message));
      }
    },
    assertFields: (part, fields, within) => {
      const keys = typeof part === 'object' && part !== null ? Object.keys(part) : [];
      const unknownKey = keys.find((key) => !fields.includes(key));
      if (unknownKey === undefined) return;
      const message = `there is no field ${JSON.stringify(unknownKey)}; there are ${fields.join(', ')}`;
      throw fault(within + pointerToken(unknownKey), message);
    },
  };
}

/** Runs the parser, which overflows the stack for a text that is nested thousands of levels deep. */
function parsing<T>(name: string, parseText: () => T): T {
  try {
    return parseText();
  } catch (error) {
    throw new Fault('input_invalid', `${name}: cannot be parsed: ${reasonOf(error)}`, { cause: error });
  }
}

/** The first key that a map has twice, or null. */
function findRepeatedKey(document: Document): { readonly at: number; readonly message: string } | null {
  let at: number | null = null;
  visit(document, {
    Map: (_, { items }) => {
      const known = new Set<unknown>();
      for (const { key } of items) {
        const value = isScalar(key) ? key.value : key;
        if (known.has(value)) {
          at = (isNode(key) ? key.range?.[0] : undefined) ?? 0;
          return visit.BREAK;
        }
        known.add(value);
      }
      return undefined;
    },
  });
  return at === null ? null : { at, message: 'Map keys must be unique' };
}

/** Adds a hint about quotes, because unquoted `1.0` is a number in YAML. */
const withQuotesHint = (message: string): string =>
  /expected string, received (?:number|boolean)/.test(message) ? `${message}: put it in quotes` : message;

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? text;

export function readText(name: string): string {
  // Node.js reads an open file by its number, and waits if that file is a pipe.
  if (typeof name !== 'string') throw new Fault('input_invalid', 'the name of a file must be a text');
  try {
    return readFileSync(name, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const why = code === 'ENOENT' ? `there is no such file in ${process.cwd()}` : code;
    throw new Fault('input_invalid', `${name} cannot be read: ${why}`, { cause: error });
  }
}

/** Accepts plain JSON only: no tags, no aliases, no dates. */
function plainValue(document: Document, name: string): unknown {
  try {
    return takeJson(document.toJS({ maxAliasCount: 0 }));
  } catch (error) {
    throw new Fault('input_invalid', `${name}: is not plain data (${String(error)})`, { cause: error });
  }
}

/** The offset of the innermost existing part of the pointer, which is where a missing value belongs. */
function offsetOf(document: Document, pointer: string): number {
  const tokens = pointerKeys(pointer);
  for (let length = tokens.length; length >= 0; length -= 1) {
    const keys = tokens.slice(0, length).map((token) => (/^\d+$/.test(token) ? Number(token) : token));
    const node = length === 0 ? document.contents : document.getIn(keys, true);
    const range = (node as { readonly range?: readonly number[] } | null | undefined)?.range;
    if (range !== undefined) return range[0] ?? 0;
  }
  return 0;
}
