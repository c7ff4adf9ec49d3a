import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { ContextItem, PackRef } from '../../model/evidence/context.ts';
import { type ContextPack, packAddress } from '../../model/evidence/context-pack.ts';
import { Fault } from '../../model/fault/fault.ts';
import { exactObject, JsonRecord } from '../../model/json/exact.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { Name } from '../../model/json/name.ts';
import { readText, readYamlFile, type YamlFile } from './yaml-file.ts';

/** The header of a pack, in `pack.yaml` or `pack.json`. */
interface PackHead {
  readonly pack: string;
  readonly version: string;
  /** Default labels of all items. */
  readonly defaults?: JsonObject;
}
const PackHead: z.ZodType<PackHead> = exactObject({
  pack: Name,
  version: Name,
  defaults: JsonRecord.exactOptional(),
});

const HEAD_FIELDS: readonly string[] = ['pack', 'version', 'defaults'];
/** Listed with `satisfies`, so that the compiler reports a label that is missing here. */
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
 * Reads a pack from a folder: `pack.yaml` with name and version, and one file per item under `items/`. An item is
 * `.yaml`, `.json`, or `.md` with its labels as front matter between two `---` lines and its value as the text after
 * it. Faults name the file and line.
 */
export function readPack(folder: string, hash: Hash): ContextPack {
  const head = readHead(folder);
  head.assertFields(head.value, HEAD_FIELDS, '');
  const { pack, version, defaults = {} } = head.read(PackHead, head.value, '');
  head.assertFields(defaults, ITEM_FIELDS, '/defaults');
  const pin = head.read(PackRef, `${pack}@${version}`, '/version');
  const items = itemFiles(folder).map((name) => readItem(folder, name, defaults));
  assertDistinct(items);
  const read = { pin, items: items.map(({ item }) => item) };
  return deepFreeze({ ...read, address: packAddress(hash, read) });
}

function readHead(folder: string): YamlFile {
  const found = HEADS.filter((name) => listFolder(folder, '').includes(name));
  const [name] = found;
  if (name === undefined) throw new Fault('input_invalid', `${folder} is no pack: it has no ${HEADS.join(' or ')}`);
  if (found.length > 1) throw new Fault('input_invalid', `${folder} has both ${found.join(' and ')}: keep one`);
  return readYamlFile(join(folder, name));
}

/** Sorted by name, so that a folder gives the same pack on every machine. */
function itemFiles(folder: string): readonly string[] {
  const names = listFolder(folder, ITEMS).toSorted();
  const unsupported = names.find((name) => !/\.(?:ya?ml|json|md)$/.test(name));
  if (unsupported === undefined) return names;
  throw new Fault('input_invalid', `${join(folder, ITEMS, unsupported)}: an item is a .yaml, .json or .md file`);
}

function listFolder(folder: string, below: string): readonly string[] {
  try {
    return readdirSync(join(folder, below)).filter((name) => !name.startsWith('.'));
  } catch (error) {
    throw new Fault('input_invalid', `${join(folder, below)} cannot be read as a folder`, { cause: error });
  }
}

interface ReadItem {
  readonly item: ContextItem;
  readonly file: YamlFile;
}

function readItem(folder: string, name: string, defaults: JsonObject): ReadItem {
  const path = join(folder, ITEMS, name);
  const { file, extra } = name.endsWith('.md') ? readMarkdown(path) : { file: readYamlFile(path), extra: {} };
  const labels = file.read(JsonRecord, file.value, '');
  file.assertFields(labels, ITEM_FIELDS, '');
  const item = file.read(ContextItem, { ...defaults, ...labels, ...extra }, '');
  return { item, file };
}

const FRONT = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/u;

/** Reads a Markdown item: front matter and text. The labels keep their line numbers for fault messages. */
function readMarkdown(path: string): { readonly file: YamlFile; readonly extra: { readonly value: Json } } {
  const [, front, text] = FRONT.exec(readText(path)) ?? [];
  if (front === undefined || text === undefined) {
    throw new Fault('input_invalid', `${path}:1:1: begins with its labels between two lines of ---`);
  }
  return { file: readYamlFile(path, `\n${front}`), extra: { value: text } };
}

function assertDistinct(items: readonly ReadItem[]): void {
  const files = new Map<string, string>();
  for (const { item, file } of items) {
    const before = files.get(item.key);
    if (before !== undefined) throw file.fault('/key', `${item.key} is the key of ${before}, too`);
    files.set(item.key, file.name);
  }
}
