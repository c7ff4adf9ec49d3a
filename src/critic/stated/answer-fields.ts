import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../model/json/json.ts';
import { isAtOrBelow, pointerKeys, pointerToken } from '../../model/json/pointer.ts';
import { type StatedBy, slotsOf } from '../../model/text/state-value.ts';
import { keyWords, textWords } from '../release/facts.ts';
import { stem } from '../release/tokens.ts';
import { ID_ENDINGS, KEY_NOISE, MONEY_KEYS } from '../release/words/field-words.ts';
import { FUNCTION_WORDS } from '../release/words/lexicon.ts';

/** A committed value that the answer may show, and why it is a candidate. */
export interface Candidate {
  readonly value: Json;
  readonly tool: string;
  /** JSON Pointers to parts that the requester may not see. */
  readonly hidden: readonly string[];
  /** `plan`: a `respond` step names it. Otherwise the goal declares criteria (`criteria`) or none (`observed`). */
  readonly because: 'plan' | 'criteria' | 'observed';
  /** The statements of the criteria that it proves; empty if it proves none. */
  readonly asked: string;
}

/** A field of a candidate: a JSON Pointer with `*` in place of list indexes, and the words that name it. */
export interface AnswerField {
  readonly at: Candidate;
  readonly pointer: string;
  readonly name: ReadonlySet<string>;
  /** Words of the keys above it and of its description. */
  readonly about: ReadonlySet<string>;
  /** True if the tool's phrase states it. */
  readonly isPhrased: boolean;
  /** Words of its values, if they are short texts. */
  readonly values: Set<string>;
  readonly kind: 'id' | 'money' | 'moment' | 'other';
  /** The pointer of the list of records that it is a column of. */
  readonly list: string | null;
}

/** The values of longer texts are not compared: prose shares words with any request. */
const VALUE_LENGTH_MAX = 40;

/** The fields of a candidate that the requester may see. */
export function answerFieldsOf(at: Candidate, tool: StatedBy): readonly AnswerField[] {
  const found = new Map<string, AnswerField>();
  const slots = slotsOf(tool);
  const marks = at.hidden.map((place) => pointerKeys(place).map(indexToStar).map(pointerToken).join(''));
  const add = (keys: readonly string[], value: Json, list: string | null): void => {
    const pointer = keys.map(pointerToken).join('');
    const isHidden = marks.some((mark) => isAtOrBelow(pointer, mark) || isAtOrBelow(mark, pointer));
    if (isHidden) return;
    const words = wordsOf(at.tool, tool.output_schema, keys);
    const about = { kind: kindOf(keys, value), isPhrased: slots.includes(pointer), values: new Set<string>() };
    const field = found.get(pointer) ?? { at, pointer, list, ...about, ...words };
    if (typeof value === 'string' && value.length <= VALUE_LENGTH_MAX)
      for (const word of textWords(value)) field.values.add(stem(word));
    found.set(pointer, field);
  };
  walk(at.value, [], add);
  return [...found.values()];
}

const indexToStar = (key: string): string => (/^\d+$/u.test(key) ? '*' : key);

type AddField = (keys: readonly string[], value: Json, list: string | null) => void;

/** Visits the fields of a value. The elements of a list of records share their fields. */
function walk(value: Json, keys: readonly string[], add: AddField): void {
  if (isJsonObject(value)) {
    for (const [key, child] of Object.entries(value)) walk(child, [...keys, key], add);
    return;
  }
  const records = isJsonList(value) ? value.filter(isJsonObject) : [];
  if (!isJsonList(value) || records.length === 0 || records.length < value.length) {
    add(keys, value, null);
    return;
  }
  const list = keys.map(pointerToken).join('');
  for (const [key, child] of records.flatMap(Object.entries<Json>))
    if (!isJsonObject(child) && !isJsonList(child)) add([...keys, '*', key], child, list);
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]|$)/u;
const MINOR = /(?:^|_)(?:cents|pence|minor)$/u;

function kindOf(keys: readonly string[], value: Json): AnswerField['kind'] {
  const last = keyWords(keys.at(-1) ?? '');
  if (typeof value === 'string' && ISO_DATE.test(value)) return 'moment';
  if (typeof value === 'number') return MINOR.test(last.join('_')) || last.some(isMoneyWord) ? 'money' : 'other';
  return ID_ENDINGS.has(last.at(-1) ?? '') ? 'id' : 'other';
}

const isMoneyWord = (word: string): boolean => MONEY_KEYS.has(word);

function wordsOf(tool: string, schema: JsonObject, keys: readonly string[]): Pick<AnswerField, 'name' | 'about'> {
  const node = schemaOf(schema, keys);
  const text = (key: 'title' | 'description'): readonly string[] => {
    const value = node?.[key];
    return typeof value === 'string' ? textWords(value) : [];
  };
  const named = keys.filter((key) => key !== '*');
  const own = named.length === 0 ? keyWords(tool) : keyWords(named.at(-1) ?? '');
  const isId = ID_ENDINGS.has(own.at(-1) ?? '');
  const above = [...named.slice(0, -1).flatMap(keyWords), ...text('description')];
  return { name: isId ? new Set(own.map(stem)) : stemsOf([...own, ...text('title')]), about: stemsOf(above) };
}

/** The stems of words with a meaning. A key such as `id` has no other word and keeps it. */
function stemsOf(words: readonly string[]): ReadonlySet<string> {
  const meaning = words.filter((word) => !KEY_NOISE.has(word) && !FUNCTION_WORDS.has(word));
  return new Set((meaning.length === 0 ? words : meaning).map(stem));
}

function schemaOf(schema: JsonObject, keys: readonly string[]): JsonObject | null {
  let node: Json | undefined = schema;
  for (const key of keys) {
    if (!isJsonObject(node)) return null;
    const properties: Json | undefined = node['properties'];
    node = key === '*' ? node['items'] : isJsonObject(properties) ? own(properties, key) : undefined;
  }
  return isJsonObject(node) ? node : null;
}
