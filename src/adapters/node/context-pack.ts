import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ContextItem, PackRef } from '../../model/context.ts';
import { type ContextPack, packAddress } from '../../model/context-pack.ts';
import { Fault } from '../../model/fault.ts';
import { deepFreeze } from '../../model/freeze.ts';
import type { Hash } from '../../model/hash.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { JsonRecord } from '../../model/json-schema.ts';
import { Name } from '../../model/name.ts';
import { readText, readWritten, type WrittenFile } from './yaml-file.ts';

/** What a pack says of itself, in `pack.yaml` or `pack.json`. */
interface PackHead {
  readonly pack: string;
  readonly version: string;
  /** Labels of every item that does not say otherwise. */
  readonly defaults?: JsonObject;
}
const PackHead: z.ZodType<PackHead> = z.strictObject({
  pack: Name,
  version: Name,
  defaults: JsonRecord.exactOptional(),
});

const HEAD_FIELDS: readonly string[] = ['pack', 'version', 'defaults'];
/** Spelt out by the type, so that a label that is added there is known here. */
const ITEM_FIELDS: readonly string[] = Object.keys({
  key: true,
  type: true,
  value: true,
  source_id: true,
  permission_scope: true,
  observed_at: true,
  fresh_until: true,
  trusted: true,
  authority: true,
  personal_data: true,
} satisfies Record<keyof ContextItem, true>);

const HEADS = ['pack.yaml', 'pack.json'];
const ITEMS = 'items';

/**
 * Reads a folder: `pack.yaml` with name and version, and under `items/` one file an item (`.yaml`, `.json`), or `.md`
 * with the labels between two lines of dashes and the text after them. Whatever is wrong is said with file and line.
 */
export function readPack(folder: string, hash: Hash): ContextPack {
  const head = headOf(folder);
  head.assertFields(head.value, HEAD_FIELDS, '');
  const { pack, version, defaults = {} } = head.read(PackHead, head.value, '');
  head.assertFields(defaults, ITEM_FIELDS, '/defaults');
  const pin = head.read(PackRef, `${pack}@${version}`, '/version');
  const items = itemFiles(folder).map((name) => itemIn(folder, name, defaults));
  assertDistinct(items);
  const read = { pin, items: items.map(({ item }) => item) };
  return deepFreeze({ ...read, address: packAddress(hash, read) });
}

function headOf(folder: string): WrittenFile {
  const found = HEADS.filter((name) => listed(folder, '').includes(name));
  const [name] = found;
  if (name === undefined) throw new Fault('input_invalid', `${folder} is no pack: it has no ${HEADS.join(' or ')}`);
  if (found.length > 1) throw new Fault('input_invalid', `${folder} has both ${found.join(' and ')}: keep one`);
  return readWritten(join(folder, name));
}

/** In the order of their names, so that the same folder is the same pack on every machine. */
function itemFiles(folder: string): readonly string[] {
  const names = listed(folder, ITEMS).toSorted();
  const strange = names.find((name) => !/\.(?:ya?ml|json|md)$/.test(name));
  if (strange === undefined) return names;
  throw new Fault('input_invalid', `${join(folder, ITEMS, strange)}: an item is a .yaml, .json or .md file`);
}

function listed(folder: string, below: string): readonly string[] {
  try {
    return readdirSync(join(folder, below)).filter((name) => !name.startsWith('.'));
  } catch (error) {
    throw new Fault('input_invalid', `${join(folder, below)} cannot be read as a folder`, { cause: error });
  }
}

interface ReadItem {
  readonly item: ContextItem;
  readonly file: WrittenFile;
}

function itemIn(folder: string, name: string, defaults: JsonObject): ReadItem {
  const path = join(folder, ITEMS, name);
  const { file, extra } = name.endsWith('.md') ? withText(path) : { file: readWritten(path), extra: {} };
  const said = file.read(JsonRecord, file.value, '');
  file.assertFields(said, ITEM_FIELDS, '');
  const item = file.read(ContextItem, { ...defaults, ...said, ...extra }, '');
  return { item, file };
}

const FRONT = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/u;

/** The labels keep the lines they stand on; the text after them is the value. */
function withText(path: string): { readonly file: WrittenFile; readonly extra: { readonly value: Json } } {
  const [, front, text] = FRONT.exec(readText(path)) ?? [];
  if (front === undefined || text === undefined) {
    throw new Fault('input_invalid', `${path}:1:1: begins with its labels between two lines of ---`);
  }
  return { file: readWritten(path, `\n${front}`), extra: { value: text } };
}

function assertDistinct(items: readonly ReadItem[]): void {
  const files = new Map<string, string>();
  for (const { item, file } of items) {
    const before = files.get(item.key);
    if (before !== undefined) throw file.fault('/key', `${item.key} is the key of ${before}, too`);
    files.set(item.key, file.name);
  }
}
