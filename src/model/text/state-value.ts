import { isJsonList, isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { jsonAt } from '../json/json-at.ts';
import { isAtOrBelow, pointerKeys, pointerToken } from '../json/pointer.ts';
import { handlePlaces, hasSealedHandle } from '../json/sealed.ts';
import type { ToolSpec } from '../tool/tool.ts';
import { formatField, labelOf } from './format-field.ts';
import { quoteOutsider } from './outsider-texts.ts';

/** The parts of a tool that say how its results are stated. */
export type StatedBy = Pick<ToolSpec, 'answers' | 'output_schema'>;

/** The tool of a stated result. */
export interface StatedResult extends StatedBy {
  /** JSON Pointers to texts that outsiders wrote, and the tool that returned them. These texts are quoted. */
  readonly quoted?: { readonly from: string; readonly texts: readonly string[] };
}

/** Limits of a stated result: an answer shows what was asked for, not a dump. */
const FIELDS_MAX = 12;
const ROWS_MAX = 20;
const COLUMNS_MAX = 6;
const TEXT_MAX = 300;

/**
 * States a result without a model: by the tool's own phrase, or as `Label: value.` sentences and small tables. With
 * `places`, only the fields at or below these JSON Pointers. Sealed values and nested JSON are never shown.
 */
export function stateValue(tool: StatedResult, value: Json, places: readonly string[] = ['']): string {
  const phrase = fillPhrase(tool, value, places);
  if (phrase !== null) return phrase;
  const stating: Stating = { tool, root: value, isShown: () => true, sentences: [], tables: [], currencies: new Map() };
  for (const place of places) {
    const part = jsonAt(value, place);
    if (part !== undefined) collect(stating, part, pointerKeys(place));
  }
  return toText(stating);
}

/**
 * States the named fields of a result without a model, each a JSON Pointer with `*` in place of a list index. The tool's
 * phrase comes first if it has one of these fields, or if no field is named; fields that it covers are not repeated.
 */
export function stateFields(tool: StatedResult, value: Json, fields: readonly string[]): string {
  const slots = slotsOf(tool);
  const isPhrased = fields.length === 0 || fields.some((field) => slots.includes(field));
  const phrase = isPhrased ? fillPhrase(tool, value, ['']) : null;
  const left = new Set(phrase === null ? fields : fields.filter((field) => !slots.includes(field)));
  const sentences = phrase === null ? [] : [phrase];
  const stating: Stating = {
    tool,
    root: value,
    isShown: (field) => left.has(field),
    sentences,
    tables: [],
    currencies: new Map(),
  };
  collect(stating, value, []);
  return toText(stating);
}

interface Stating {
  readonly tool: StatedResult;
  readonly root: Json;
  readonly isShown: (field: string) => boolean;
  readonly sentences: string[];
  readonly tables: string[];
  /** The sentences that state only a currency, with the currency. They are dropped if an amount shows it. */
  readonly currencies: Map<string, string>;
}

const toText = ({ sentences, tables, currencies }: Stating): string => {
  const stated = sentences.filter((one) => {
    const code = currencies.get(one);
    return code === undefined || !sentences.some((other) => /\d/u.test(other) && other.endsWith(` ${code}.`));
  });
  return [stated.slice(0, FIELDS_MAX).join(' '), ...tables].filter((text) => text !== '').join('\n\n');
};

const pointerTo = (keys: readonly string[]): string => keys.map(pointerToken).join('');

function collect(stating: Stating, part: Json, keys: readonly string[]): void {
  if (handlePlaces(part).includes('')) return;
  const { tool, root } = stating;
  if (isJsonList(part)) collectList(stating, part, keys);
  else if (isJsonObject(part)) for (const [key, child] of Object.entries(part)) collect(stating, child, [...keys, key]);
  else if (stating.isShown(pointerTo(keys))) {
    const text = formatPart(tool, root, keys, part);
    if (text.length > TEXT_MAX) return;
    const stated = sentence(labelFor(tool, keys), text);
    stating.sentences.push(stated);
    if (keys.at(-1) === 'currency') stating.currencies.set(stated, text);
  }
}

/** Formats one plain field. A text of an outsider becomes a quotation. */
const formatPart = (tool: StatedResult, root: Json, keys: readonly string[], part: Json): string =>
  isOutsiders(tool, pointerTo(keys)) && typeof part === 'string' ? quoteOutsider(part) : formatField(root, keys, part);

const isOutsiders = ({ quoted }: StatedResult, place: string): boolean =>
  quoted?.texts.some((text) => isAtOrBelow(place, text)) === true;

/** The label of a field or list. If it has a text of an outsider, the label names the tool that returned it. */
function labelFor(tool: StatedResult, keys: readonly string[]): string {
  const label = labelOf(tool.output_schema, keys);
  const place = pointerTo(keys);
  const isQuoted = tool.quoted?.texts.some((text) => isAtOrBelow(text, place) || isAtOrBelow(place, text)) === true;
  return isQuoted ? `${label} (quoted from ${tool.quoted?.from})`.trim() : label;
}

const sentence = (label: string, text: string): string => {
  const stated = label === '' ? text : `${label}: ${text}`;
  return /[.!?]$/u.test(stated) ? stated : `${stated}.`;
};

/** A list of plain values becomes a sentence; a list of records becomes a table. */
function collectList(stating: Stating, list: readonly Json[], keys: readonly string[]): void {
  const { tool, root, sentences, tables } = stating;
  const label = labelFor(tool, keys);
  const records = list.filter(isJsonObject);
  if (list.length > 0 && records.length === list.length) tables.push(tableOf(stating, records, keys));
  else if (!stating.isShown(pointerTo(keys))) return;
  else if (list.length === 0) sentences.push(sentence(label, 'none'));
  else {
    const texts = list.flatMap((item, index) =>
      isJsonObject(item) || isJsonList(item) || hasSealedHandle(item)
        ? []
        : [formatPart(tool, root, [...keys, String(index)], item)],
    );
    if (texts.length > 0) sentences.push(sentence(label, joinWords(texts)));
  }
}

const joinWords = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;

/** A Markdown table of the plain fields of the records. */
function tableOf({ tool, root, isShown }: Stating, records: readonly JsonObject[], keys: readonly string[]): string {
  const isPlain = (value: Json | undefined): boolean =>
    value !== undefined && !isJsonObject(value) && !isJsonList(value) && !hasSealedHandle(value);
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))]
    .filter((key) => isShown(pointerTo([...keys, '*', key])) && records.some((record) => isPlain(record[key])))
    .slice(0, COLUMNS_MAX);
  if (columns.length === 0) return '';
  const rows = records.slice(0, ROWS_MAX).map((record, index) => {
    const cells = columns.map((key) => {
      const value = record[key];
      return isPlain(value)
        ? formatPart(tool, root, [...keys, String(index), key], value as Json).replaceAll('|', '\\|')
        : '';
    });
    return `| ${cells.join(' | ')} |`;
  });
  const head = columns.map((key) => labelOf(tool.output_schema, [...keys, '0', key], true));
  const more = records.length > ROWS_MAX ? [`${records.length - ROWS_MAX} more.`] : [];
  return [`| ${head.join(' | ')} |`, `|${columns.map(() => '---').join('|')}|`, ...rows, ...more].join('\n');
}

const SLOT = /\{([^{}]+)\}/gu;

/** The fields in a tool's phrase, as JSON Pointers. A slot is a key, or a JSON Pointer for a nested field. */
export const slotsOf = ({ answers }: StatedBy): readonly string[] =>
  [...(answers?.say ?? '').matchAll(SLOT)].map(([, slot = '']) => (slot.startsWith('/') ? slot : pointerToken(slot)));

/**
 * Fills the tool's phrase: `You are on the {plan} plan.` The phrase is used only if every slot has a value and it covers
 * the fields that were asked for.
 */
function fillPhrase(tool: StatedResult, value: Json, places: readonly string[]): string | null {
  const say = tool.answers?.say;
  if (say === undefined) return null;
  const slots = slotsOf(tool);
  const covers = places.every(
    (place) => place === '' || slots.some((slot) => slot === place || slot.startsWith(`${place}/`)),
  );
  const values = slots.map((slot) => jsonAt(value, slot));
  const isUsable = values.every(
    (one) => one !== undefined && one !== null && typeof one !== 'object' && !hasSealedHandle(one),
  );
  if (!covers || !isUsable) return null;
  let next = 0;
  return say.replace(SLOT, () => {
    const slot = slots[next] ?? '';
    const text = formatPart(tool, value, pointerKeys(slot), values[next] as Json);
    next += 1;
    return text;
  });
}
