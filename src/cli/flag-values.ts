import type { Json } from '../index.ts';

/** What the value of a flag has to be. */
export type Reads = 'count' | 'time' | 'cursor' | 'assignment' | 'amount' | 'json' | 'text';

/** How the value of a flag is read, and what to say to whoever wrote another one. Undefined is what cannot be read. */
interface Reader {
  readonly read: (text: string) => Json | readonly [name: string, value: Json] | undefined;
  readonly wants: string;
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, min: 60_000 };

/** Values that are more than text. Each is read when the line is, before anything is opened. */
export const READERS: Readonly<Record<Reads, Reader>> = {
  count: {
    read: (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined),
    wants: 'a whole number from 1 on, such as 5',
  },
  /** In milliseconds. */
  time: {
    read: (text) => {
      const { count, unit = '' } = /^(?<count>\d{1,6})(?<unit>d|h|min)$/.exec(text)?.groups ?? {};
      const ms = UNITS[unit];
      return count === undefined || ms === undefined ? undefined : Number(count) * ms;
    },
    wants: 'a time such as 90d, 12h or 30min',
  },
  cursor: {
    read: (text) => (/^\d{1,15}\.\d{1,15}$/.test(text) ? text : undefined),
    wants: 'the cursor of an event, such as 3.1, as sessions watch --json prints it',
  },
  /** What reads as JSON is that, and everything else is text. */
  assignment: {
    read: (text) =>
      named(text, (value) => {
        const json = asJson(value);
        return json === undefined ? value : json;
      }),
    wants: 'name=value, such as order_id=ord_881',
  },
  amount: {
    read: (text) =>
      named(text, (value) => {
        const amount = asJson(value);
        return typeof amount === 'number' && amount > 0 ? amount : undefined;
      }),
    wants: 'a dimension and by how much it grows, such as tool_calls=5',
  },
  json: { read: asJson, wants: `JSON, such as '{"receipt":"r_1"}'` },
  text: { read: (text) => (text.trim() === '' ? undefined : text), wants: 'some text' },
};

function named(text: string, read: (value: string) => Json | undefined): readonly [string, Json] | undefined {
  const at = text.indexOf('=');
  const value = at < 1 ? undefined : read(text.slice(at + 1));
  return value === undefined ? undefined : [text.slice(0, at), value];
}

function asJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
