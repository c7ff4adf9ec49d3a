import { isJsonList, isJsonObject, type Json } from '../../model/json/json.ts';

/**
 * Replaces secrets in a tool's output by `[redacted]`, in every encoding that software commonly produces. It does not
 * protect against the tool's own code, which has the secret and can split or reverse it.
 */
export interface Redactor {
  text(text: string): string;
  json<T extends Json>(value: T): T;
}

const STRUCK = '[redacted]';

/** Shorter values are not redacted: they would match half of every text. */
const LENGTH_MIN = 4;

/** Creates a redactor. `secrets` may grow while the tool runs; each use reads its current content. */
export function redactor(secrets: ReadonlySet<string>): Redactor {
  const known = new Map<string, readonly SecretForm[]>();
  const forms = (): readonly (readonly SecretForm[])[] => {
    for (const secret of secrets) {
      if (secret.length >= LENGTH_MIN && !known.has(secret)) known.set(secret, formsOf(secret));
    }
    return [...known.values()];
  };
  const text = (input: string): string => strikeText(input, forms());
  return {
    text,
    json: <T extends Json>(value: T): T =>
      secrets.size === 0 ? value : (strike(value, { text, number: (value) => isSecretNumber(value, secrets) }) as T),
  };
}

type Range = [from: number, to: number];

/** Finds all occurrences before replacing any, so that overlapping secrets are both found. */
function strikeText(input: string, forms: readonly (readonly SecretForm[])[]): string {
  const found = forms.flatMap((secret) => secret.flatMap((form) => places(input, form)));
  if (found.length === 0) return input;
  const kept: string[] = [];
  let done = 0;
  let open = false;
  for (const [from, to] of found.sort(([a], [b]) => a - b)) {
    if (!open || from > done) kept.push(input.slice(done, from), STRUCK);
    done = Math.max(done, to);
    open = true;
  }
  kept.push(input.slice(done));
  return kept.join('');
}

function places(input: string, { core, before, after }: SecretForm): readonly Range[] {
  const found: Range[] = [];
  for (let at = input.indexOf(core); at >= 0; at = input.indexOf(core, at + core.length)) {
    const to = at + core.length;
    found.push([isBase64(input[at - 1]) ? at - before : at, isBase64(input[to]) ? to + after : to]);
  }
  return found;
}

const isBase64 = (sign: string | undefined): boolean => sign !== undefined && /[\w+/-]/.test(sign);

/** Whether a number equals a numeric secret such as a PIN. Shorter numbers are too common to be redacted. */
function isSecretNumber(value: number, secrets: ReadonlySet<string>): boolean {
  const amount = Math.abs(value);
  if (String(amount).length < LENGTH_MIN) return false;
  for (const secret of secrets)
    if (/^[+-]?\d+(\.\d+)?$/.test(secret) && Math.abs(Number(secret)) === amount) return true;
  return false;
}

interface Striking {
  readonly text: (input: string) => string;
  readonly number: (value: number) => boolean;
}

function strike(value: Json, striking: Striking): Json {
  if (typeof value === 'string') return striking.text(value);
  if (typeof value === 'number') return striking.number(value) ? STRUCK : value;
  if (isJsonList(value)) return value.map((child) => strike(child, striking));
  if (!isJsonObject(value)) return value;
  const struck = Object.entries(value).map(([key, child]) => [striking.text(key), strike(child, striking)] as const);
  return Object.fromEntries(struck);
}

/** One encoding of a secret. `core` is searched for; the adjacent characters may hold some of its bits too. */
interface SecretForm {
  readonly core: string;
  readonly before: 0 | 1;
  readonly after: 0 | 1;
}

/**
 * The secret as it is, JSON-escaped, percent-encoded, in hexadecimal, and in Base64 at every byte offset: the Base64 of
 * `user:password` has no part that is the Base64 of the password.
 */
function formsOf(secret: string): readonly SecretForm[] {
  const text = secret.toWellFormed();
  const bytes = Buffer.from(text, 'utf8');
  const hex = bytes.toString('hex');
  const plain = [secret, JSON.stringify(secret).slice(1, -1), hex, hex.toUpperCase(), ...percentForms(text, bytes)];
  const exact = [...new Set(plain)].map((core): SecretForm => ({ core, before: 0, after: 0 }));
  return [...exact, ...base64Forms(bytes, 'base64'), ...base64Forms(bytes, 'base64url')];
}

/**
 * Percent-encodings. Encoders differ in the characters they leave alone, in the space and in the case of the digits.
 */
function percentForms(text: string, bytes: Buffer): readonly string[] {
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const every = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
  const once = [encodeURI(text), component, strict, every].flatMap((form) => [form, form.replaceAll('%20', '+')]);
  const cased = once.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]);
  return [...cased, ...cased.map(encodeURIComponent)];
}

/** The three Base64 forms, one per offset within a group of three bytes, without padding. */
function base64Forms(bytes: Buffer, alphabet: 'base64' | 'base64url'): readonly SecretForm[] {
  return [0, 1, 2].map((offset): SecretForm => {
    const bits = (offset + bytes.length) * 8;
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString(alphabet);
    const core = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
    return { core, before: offset === 0 ? 0 : 1, after: bits % 6 === 0 ? 0 : 1 };
  });
}
