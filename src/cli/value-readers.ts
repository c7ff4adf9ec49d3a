import type { Json } from '../index.ts';

/** The type of an option's value. */
export type ValueKind = 'count' | 'time' | 'cursor' | 'assignment' | 'amount' | 'json' | 'text';

interface ValueReader {
  /** Returns undefined for a value that is not of this kind. */
  readonly read: (text: string) => Json | readonly [name: string, value: Json] | undefined;
  /** Completes the message "Expected …". */
  readonly expected: string;
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, min: 60_000 };

/** The parsers of option values. They run while the line is parsed, before any command starts. */
export const VALUE_READERS: Readonly<Record<ValueKind, ValueReader>> = {
  count: {
    read: (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined),
    expected: 'a positive integer, such as 5',
  },
  /** A duration in milliseconds. */
  time: {
    read: (text) => {
      const { count, unit = '' } = /^(?<count>\d{1,6})(?<unit>d|h|min)$/.exec(text)?.groups ?? {};
      const ms = UNITS[unit];
      return count === undefined || ms === undefined ? undefined : Number(count) * ms;
    },
    expected: 'a duration, such as 90d, 12h or 30min',
  },
  cursor: {
    read: (text) => (/^\d{1,15}\.\d{1,15}$/.test(text) ? text : undefined),
    expected: 'an event cursor from sessions watch --json, such as 3.1',
  },
  /** Valid JSON becomes that value; everything else stays text. */
  assignment: {
    read: (text) =>
      parseAssignment(text, (value) => {
        const json = parseJson(value);
        return json === undefined ? value : json;
      }),
    expected: 'name=value, such as order_id=ord_881',
  },
  amount: {
    read: (text) =>
      parseAssignment(text, (value) => {
        const amount = parseJson(value);
        return typeof amount === 'number' && amount > 0 ? amount : undefined;
      }),
    expected: 'a budget dimension and an increment, such as tool_calls=5',
  },
  json: { read: parseJson, expected: `JSON, such as '{"receipt":"r_1"}'` },
  text: { read: (text) => (text.trim() === '' ? undefined : text), expected: 'a non-empty text' },
};

function parseAssignment(text: string, read: (value: string) => Json | undefined): readonly [string, Json] | undefined {
  const at = text.indexOf('=');
  const value = at < 1 ? undefined : read(text.slice(at + 1));
  return value === undefined ? undefined : [text.slice(0, at), value];
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
