import { isJsonList, isJsonObject, type Json } from '../../model/json.ts';

/** Strikes secrets out of whatever a tool says. */
export interface Redactor {
  text(text: string): string;
  json<T extends Json>(value: T): T;
}

const STRUCK = '[redacted]';

/** Shorter values would strike out half of every text; a secret of three letters is none. */
const LENGTH_MIN = 4;

/** `secrets` may grow while the tool works: what counts is what it holds when something is said. */
export function redactor(secrets: ReadonlySet<string>): Redactor {
  const text = (said: string): string => {
    let struck = said;
    for (const secret of longestFirst(secrets)) {
      for (const form of formsOf(secret)) if (struck.includes(form)) struck = struck.replaceAll(form, STRUCK);
    }
    return struck;
  };
  return {
    text,
    json: <T extends Json>(value: T): T => (secrets.size === 0 ? value : (strike(value, text) as T)),
  };
}

/** A secret that is part of another must not leave the rest of it standing. */
function longestFirst(secrets: ReadonlySet<string>): readonly string[] {
  return [...secrets].filter(({ length }) => length >= LENGTH_MIN).toSorted((a, b) => b.length - a.length);
}

/** As it is, and as it stands in addresses, in headers and inside of JSON that is itself a text. */
function formsOf(secret: string): readonly string[] {
  const whole = secret.toWellFormed();
  const quoted = JSON.stringify(secret).slice(1, -1);
  return [...new Set([secret, quoted, encodeURIComponent(whole), base64(whole), base64Url(whole)])];
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64').replace(/=+$/, '');
const base64Url = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

function strike(value: Json, text: (said: string) => string): Json {
  if (typeof value === 'string') return text(value);
  if (isJsonList(value)) return value.map((child) => strike(child, text));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [text(key), strike(child, text)]));
}
