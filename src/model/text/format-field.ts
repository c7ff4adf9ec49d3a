import { isJsonObject, type Json, type JsonObject, own } from '../json/json.ts';
import { jsonAt } from '../json/json-at.ts';
import { pointerToken } from '../json/pointer.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** The endings of keys that count hundredths of a currency. */
const MINOR = /(?:^|_)(?:cents|pence|minor)$/u;
const UNIT_ENDING = /(?:^|_)(cents|pence|minor|at|on|id|mb|gb|kb|tb|ms|kg|km|pct|percent|seconds|minutes|hours|days)$/u;
const UNITS: Readonly<Record<string, string>> = {
  mb: 'MB',
  gb: 'GB',
  kb: 'KB',
  tb: 'TB',
  ms: 'ms',
  kg: 'kg',
  km: 'km',
  pct: '%',
  percent: '%',
  seconds: 'seconds',
  minutes: 'minutes',
  hours: 'hours',
  days: 'days',
};

/** Formats one plain field for people: dates in words, minor units as money, yes and no. */
export function formatField(root: Json, keys: readonly string[], value: Json): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const key = words(keys.at(-1) ?? '').join('_');
  if (typeof value === 'number') return formatNumber(root, keys, key, value);
  if (typeof value !== 'string') return '';
  return formatDate(value) ?? (key.endsWith('month') ? formatMonth(value) : value);
}

function formatNumber(root: Json, keys: readonly string[], key: string, value: number): string {
  const currency = key.endsWith('pence') ? 'GBP' : currencyOf(root, keys);
  if (MINOR.test(key)) {
    const amount = (value / 100).toFixed(2);
    return currency === null ? amount : `${amount} ${currency}`;
  }
  const unit = UNITS[UNIT_ENDING.exec(key)?.[1] ?? ''];
  if (unit === undefined) return String(value);
  return unit === '%' ? `${value} %` : `${value} ${unit}`;
}

/** The currency in the same record or in one above it. */
function currencyOf(root: Json, keys: readonly string[]): string | null {
  for (let depth = keys.length - 1; depth >= 0; depth -= 1) {
    const record = jsonAt(root, keys.slice(0, depth).map(pointerToken).join(''));
    const currency = isJsonObject(record) ? record['currency'] : undefined;
    if (typeof currency === 'string') return currency;
  }
  return null;
}

const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/u;

/** Formats an ISO 8601 date as "3 May 2026" or "3 May 2026, 14:30 UTC"; null for any other text. */
function formatDate(text: string): string | null {
  const match = ISO_DATE.exec(text);
  if (match === null) return null;
  const [, year, month, day, time, zone] = match;
  const date = `${Number(day)} ${MONTHS[Number(month) - 1] ?? month} ${year}`;
  if (time === undefined) return date;
  const suffix = zone === undefined ? '' : zone === 'Z' ? ' UTC' : ` UTC${zone}`;
  return `${date}, ${time}${suffix}`;
}

/** Formats the month "2026-04" as "April 2026", and leaves any other text as it is. */
function formatMonth(text: string): string {
  const [, year, month] = /^(\d{4})-(\d{2})$/u.exec(text) ?? [];
  const name = MONTHS[Number(month) - 1];
  return name === undefined ? text : `${name} ${year}`;
}

/** The label of a field: the title in the output schema, or the words of its keys. A column uses its own key only. */
export function labelOf(schema: JsonObject, keys: readonly string[], isColumn = false): string {
  const titled = titleAt(schema, keys);
  if (titled !== null) return titled;
  const named = keys.filter((key) => !/^\d+$/u.test(key));
  const text = (isColumn ? named.slice(-1) : named)
    .flatMap((key, place, all) => labelWords(key, place === all.length - 1))
    .join(' ');
  return text === '' ? '' : text.charAt(0).toUpperCase() + text.slice(1);
}

const words = (key: string): readonly string[] =>
  key
    .replace(/([a-z\d])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '');

/** Drops the ending that only says the unit: `fee_cents` is "fee". */
function labelWords(key: string, isLast: boolean): readonly string[] {
  const parts = words(key);
  const ending = parts.at(-1) ?? '';
  const isUnit = isLast && parts.length > 1 && (MINOR.test(ending) || Object.hasOwn(UNITS, ending));
  return isUnit ? parts.slice(0, -1) : parts;
}

function titleAt(schema: JsonObject, keys: readonly string[]): string | null {
  let node: Json | undefined = schema;
  for (const key of keys) {
    if (!isJsonObject(node)) return null;
    const properties: Json | undefined = node['properties'];
    node = isJsonObject(properties) && own(properties, key) !== undefined ? own(properties, key) : node['items'];
  }
  const title = isJsonObject(node) ? node['title'] : undefined;
  return typeof title === 'string' ? title : null;
}
