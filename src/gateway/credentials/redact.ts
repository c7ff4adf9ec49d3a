import { isJsonList, isJsonObject, type Json } from '../../model/json/json.ts';
import { findForm, type SecretForm, secretForms } from './secret-forms.ts';

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
      if (secret.length >= LENGTH_MIN && !known.has(secret)) known.set(secret, secretForms(secret));
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

/** Finds all occurrences before replacing any, so that overlapping secrets are both found. */
function strikeText(input: string, forms: readonly (readonly SecretForm[])[]): string {
  const found = forms.flatMap((secret) => secret.flatMap((form) => findForm(input, form)));
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
