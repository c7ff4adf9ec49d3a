import { isJsonList, isJsonObject, type Json } from '../../json/json.ts';
import { type FindParts, findParts } from './find-parts.ts';
import { type Base64Form, findBase64, LENGTH_MIN, type Range, type SecretForms, secretForms } from './secret-forms.ts';
import { compactView, type TextView, viewsOf } from './text-view.ts';

/**
 * Replaces secrets in texts and documents, in every encoding that software commonly produces. It does not protect
 * against code that has the secret and splits or reverses it.
 */
export interface Redactor {
  text(text: string): string;
  json<T extends Json>(value: T): T;
}

const STRUCK = '[redacted]';

/**
 * Creates a redactor. `secrets` may grow while a tool runs; each use reads its current content. A map gives each secret
 * a replacement of its own.
 */
export function redactor(secrets: ReadonlySet<string> | ReadonlyMap<string, string>): Redactor {
  let search: Search = EMPTY;
  let size = 0;
  const current = (): Search => {
    if (secrets.size === size) return search;
    size = secrets.size;
    search = searchFor([...secrets.keys()].filter((secret) => secret.length >= LENGTH_MIN));
    return search;
  };
  const replacementOf = (secret: string): string => (secrets instanceof Map ? (secrets.get(secret) ?? STRUCK) : STRUCK);
  const text = (input: string): string => strikeText(input, current(), replacementOf);
  return {
    text,
    json: <T extends Json>(value: T): T => {
      if (secrets.size === 0) return value;
      const secretNumber = (number: number): string | null => {
        const secret = secretOfNumber(number, secrets.keys());
        return secret === null ? null : replacementOf(secret);
      };
      return strike(value, { text, secretNumber }) as T;
    },
  };
}

/** The prepared search for some secrets. */
interface Search {
  readonly secrets: readonly string[];
  /** Forms of all secrets, each with the index of its secret. */
  readonly folded: readonly (readonly [secret: number, form: string])[];
  readonly base64: readonly (readonly [secret: number, form: Base64Form])[];
  readonly compactOwners: readonly number[];
  readonly compact: FindParts;
}

const EMPTY: Search = { secrets: [], folded: [], base64: [], compactOwners: [], compact: () => [] };

function searchFor(secrets: readonly string[]): Search {
  const forms = secrets.map(secretForms);
  const each = <T>(pick: (form: SecretForms) => readonly T[]): readonly (readonly [number, T])[] =>
    forms.flatMap((form, secret) => pick(form).map((value) => [secret, value] as const));
  const compact = each((form) => form.compact);
  return {
    secrets,
    folded: each((form) => form.folded),
    base64: each((form) => form.base64),
    compactOwners: compact.map(([secret]) => secret),
    compact: findParts(compact.map(([, text]) => text)),
  };
}

/** A part of the text that holds a secret. */
interface Struck {
  readonly range: Range;
  readonly secret: number;
}

function findSecrets(input: string, search: Search): readonly Struck[] {
  const exact = search.base64.flatMap(([secret, form]) => findBase64(input, form).map((range) => ({ range, secret })));
  return [...exact, ...viewsOf(input).flatMap((view) => [...findFolded(view, search), ...findCompact(view, search)])];
}

function findFolded(view: TextView, { folded }: Search): readonly Struck[] {
  const found: Struck[] = [];
  for (const [secret, form] of folded) {
    for (let at = view.text.indexOf(form); at >= 0; at = view.text.indexOf(form, at + form.length))
      found.push({ range: rangeIn(view, at, at + form.length), secret });
  }
  return found;
}

function findCompact(view: TextView, { compact, compactOwners }: Search): readonly Struck[] {
  if (compactOwners.length === 0) return [];
  const packed = compactView(view);
  return compact(packed.text).map(({ from, to, form }) => ({
    range: rangeIn(packed, from, to),
    secret: compactOwners[form] ?? 0,
  }));
}

const rangeIn = (view: TextView, from: number, to: number): Range => [view.from[from] ?? 0, view.to[to - 1] ?? 0];

/** Finds all occurrences before replacing any, so that overlapping secrets are both found. */
function strikeText(input: string, search: Search, replacementOf: (secret: string) => string): string {
  if (search.secrets.length === 0 || input.length < LENGTH_MIN) return input;
  const found = findSecrets(input, search);
  if (found.length === 0) return input;
  const kept: string[] = [];
  let done = 0;
  let open = false;
  for (const { range, secret } of found.toSorted((a, b) => a.range[0] - b.range[0])) {
    const [from, to] = range;
    if (!open || from > done) kept.push(input.slice(done, from), replacementOf(search.secrets[secret] ?? ''));
    done = Math.max(done, to);
    open = true;
  }
  kept.push(input.slice(done));
  return kept.join('');
}

/** The secret that a number equals, such as a PIN. Shorter numbers are too common to be redacted. */
function secretOfNumber(value: number, secrets: Iterable<string>): string | null {
  const amount = Math.abs(value);
  if (String(amount).length < LENGTH_MIN) return null;
  for (const secret of secrets)
    if (/^[+-]?\d+(\.\d+)?$/.test(secret) && Math.abs(Number(secret)) === amount) return secret;
  return null;
}

interface Striking {
  readonly text: (input: string) => string;
  readonly secretNumber: (value: number) => string | null;
}

function strike(value: Json, striking: Striking): Json {
  if (typeof value === 'string') return striking.text(value);
  if (typeof value === 'number') return striking.secretNumber(value) ?? value;
  if (isJsonList(value)) return strikeBytes(value, striking) ?? value.map((child) => strike(child, striking));
  if (!isJsonObject(value)) return value;
  const bytes = Object.hasOwn(value, '0') ? strikeBytes(Object.values(value), striking) : null;
  if (bytes !== null) return bytes;
  const struck = Object.entries(value).map(([key, child]) => [striking.text(key), strike(child, striking)] as const);
  return Object.fromEntries(struck);
}

/** The text of a list of bytes, such as a Buffer as JSON, if it holds a secret. Null if it does not. */
function strikeBytes(values: readonly Json[], { text }: Striking): string | null {
  if (values.length < LENGTH_MIN || !values.every(isByte)) return null;
  const written = values.join(', ');
  const struck = text(written);
  return struck === written ? null : struck;
}

const isByte = (value: Json): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
