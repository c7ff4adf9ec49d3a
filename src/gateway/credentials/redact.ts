import { isJsonList, isJsonObject, type Json } from '../../model/json.ts';
import { formsOf, type SecretForm } from './secret-forms.ts';

/**
 * Strikes secrets out of whatever a tool says, in every form in which software writes them by itself. It is no wall
 * against the tool's own code: that holds the secret, and can cut it in two or turn it around.
 */
export interface Redactor {
  text(text: string): string;
  json<T extends Json>(value: T): T;
}

const STRUCK = '[redacted]';

/** Shorter values would strike out half of every text; a secret of three letters is none. */
const LENGTH_MIN = 4;

/** `secrets` may grow while the tool works: what counts is what it holds when something is said. */
export function redactor(secrets: ReadonlySet<string>): Redactor {
  const known = new Map<string, readonly SecretForm[]>();
  const forms = (): readonly (readonly SecretForm[])[] => {
    for (const secret of secrets) {
      if (secret.length >= LENGTH_MIN && !known.has(secret)) known.set(secret, formsOf(secret));
    }
    return [...known.values()];
  };
  const text = (said: string): string => strikeText(said, forms());
  return {
    text,
    json: <T extends Json>(value: T): T =>
      secrets.size === 0 ? value : (strike(value, { text, number: (said) => isSecretNumber(said, secrets) }) as T),
  };
}

type Range = [from: number, to: number];

/** All places are found before any is struck, so that no secret is hidden by another that it overlaps. */
function strikeText(said: string, forms: readonly (readonly SecretForm[])[]): string {
  const found = forms.flatMap((secret) => secret.flatMap((form) => places(said, form)));
  if (found.length === 0) return said;
  const kept: string[] = [];
  let done = 0;
  let open = false;
  for (const [from, to] of found.sort(([a], [b]) => a - b)) {
    if (!open || from > done) kept.push(said.slice(done, from), STRUCK);
    done = Math.max(done, to);
    open = true;
  }
  kept.push(said.slice(done));
  return kept.join('');
}

function places(said: string, { core, before, after }: SecretForm): readonly Range[] {
  const found: Range[] = [];
  for (let at = said.indexOf(core); at >= 0; at = said.indexOf(core, at + core.length)) {
    const to = at + core.length;
    found.push([isBase64(said[at - 1]) ? at - before : at, isBase64(said[to]) ? to + after : to]);
  }
  return found;
}

const isBase64 = (sign: string | undefined): boolean => sign !== undefined && /[\w+/-]/.test(sign);

/** A PIN that a tool reads as a number is the same PIN. Fewer digits than a secret has are too common to be one. */
function isSecretNumber(said: number, secrets: ReadonlySet<string>): boolean {
  const amount = Math.abs(said);
  if (String(amount).length < LENGTH_MIN) return false;
  for (const secret of secrets)
    if (/^[+-]?\d+(\.\d+)?$/.test(secret) && Math.abs(Number(secret)) === amount) return true;
  return false;
}

interface Striking {
  readonly text: (said: string) => string;
  readonly number: (said: number) => boolean;
}

function strike(value: Json, striking: Striking): Json {
  if (typeof value === 'string') return striking.text(value);
  if (typeof value === 'number') return striking.number(value) ? STRUCK : value;
  if (isJsonList(value)) return value.map((child) => strike(child, striking));
  if (!isJsonObject(value)) return value;
  const struck = Object.entries(value).map(([key, child]) => [striking.text(key), strike(child, striking)] as const);
  return Object.fromEntries(struck);
}
