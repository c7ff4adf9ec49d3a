import { isJsonList, isJsonObject, type Json } from '../../json/json.ts';
import { type Dump, dumpOf } from './dump.ts';
import { type FindParts, findParts } from './find-parts.ts';
import { type FindWords, findWords } from './find-words.ts';
import { type Base64Form, base64Range, LENGTH_MIN, type Range, type SecretForms, secretForms } from './secret-forms.ts';
import { secretNumbers } from './secret-numbers.ts';
import { compactView, viewsOf } from './text-view.ts';
import type { TextView } from './view-builder.ts';

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
  let search = searchFor([]);
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
        const secret = current().numbered(number);
        return secret === null ? null : replacementOf(secret);
      };
      return strike(value, { text, secretNumber }) as T;
    },
  };
}

/** The prepared search for some secrets. */
interface Search {
  readonly secrets: readonly string[];
  readonly folded: Owned<string, FindWords>;
  readonly base64: Owned<Base64Form, FindWords>;
  readonly compact: Owned<string, FindParts>;
  /** The secret with this number, or null. */
  readonly numbered: (value: number) => string | null;
}

/** Forms of all secrets, the index of the secret of each, and the search for them. */
interface Owned<Form, Find> {
  readonly forms: readonly Form[];
  readonly owners: readonly number[];
  readonly find: Find;
}

function searchFor(secrets: readonly string[]): Search {
  const forms = secrets.map(secretForms);
  const owned = <Form, Find>(
    pick: (form: SecretForms) => readonly Form[],
    textOf: (form: Form) => string,
    prepare: (texts: readonly string[]) => Find,
  ): Owned<Form, Find> => {
    const all = forms.flatMap((form, secret) => pick(form).map((value) => [secret, value] as const));
    const find = prepare(all.map(([, value]) => textOf(value)));
    return { forms: all.map(([, value]) => value), owners: all.map(([secret]) => secret), find };
  };
  return {
    secrets,
    folded: owned((form) => form.folded, String, findWords),
    base64: owned(
      (form) => form.base64,
      ({ core }) => core,
      findWords,
    ),
    compact: owned((form) => form.compact, String, findParts),
    numbered: secretNumbers(secrets),
  };
}

/** A part of the text that holds a secret. */
interface Struck {
  readonly range: Range;
  readonly secret: number;
}

function findSecrets(input: string, search: Search): readonly Struck[] {
  const { base64 } = search;
  const exact = base64.find(input).flatMap(({ from, word }) => {
    const form = base64.forms[word];
    return form === undefined ? [] : [{ range: base64Range(input, from, form), secret: base64.owners[word] ?? 0 }];
  });
  const found = [...exact, ...viewsOf(input).flatMap((view) => findIn(view, search))];
  const dump = dumpOf(input);
  if (dump === null) return found;
  const dumped = findIn(dump.view, search);
  return [...found, ...dumped, ...columnsOf(dump, [...found, ...dumped])];
}

function findIn(view: TextView, { folded, compact }: Search): readonly Struck[] {
  const packed = compactView(view);
  return [
    ...folded.find(view.text).map(({ from, to, word }) => ({
      range: rangeIn(view, from, to),
      secret: folded.owners[word] ?? 0,
    })),
    ...compact.find(packed.text).map(({ from, to, form }) => ({
      range: rangeIn(packed, from, to),
      secret: compact.owners[form] ?? 0,
    })),
  ];
}

/** The text columns of the dumped lines in which something was found. */
function columnsOf({ lines }: Dump, found: readonly Struck[]): readonly Struck[] {
  const sorted = found.toSorted((a, b) => a.range[0] - b.range[0]);
  const columns: Struck[] = [];
  let next = 0;
  let last: Struck | null = null;
  for (const { from, to, column } of lines) {
    for (let struck = sorted[next]; struck !== undefined && struck.range[0] < to; struck = sorted[next]) {
      if (last === null || struck.range[1] > last.range[1]) last = struck;
      next += 1;
    }
    if (last !== null && last.range[1] > from && column > to)
      columns.push({ range: [to, column], secret: last.secret });
  }
  return columns;
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
