import { base64, utf8Bytes, utf16Bytes } from './bytes.ts';
import { compactView, decodedView, foldedView } from './text-view.ts';

/** A Base64 form of a secret. `core` is searched for; the adjacent characters may hold some of its bits too. */
export interface Base64Form {
  readonly core: string;
  readonly before: 0 | 1;
  readonly after: 0 | 1;
}

/** The forms in which a secret is searched for. */
export interface SecretForms {
  /** In folded and decoded texts. */
  readonly folded: readonly string[];
  /** In texts of letters and digits only, also in parts. */
  readonly compact: readonly string[];
  /** In the text as it is. */
  readonly base64: readonly Base64Form[];
}

/** A shorter text would be found in ordinary words that only punctuation separates. */
const TEXT_MIN = 12;

/** Shorter digits would be found in a row of ordinary numbers. */
const DIGITS_MIN = 10;

/** A shorter list of bytes would be found in ordinary numbers. */
const BYTES_MIN = 8;

/**
 * The forms that software commonly produces: other case and accents, other line ends and indentation, escape sequences,
 * dumps of bytes, and Base64 and its Base64 at every byte offset: the Base64 of `user:password` has no part that is the Base64 of the
 * password.
 */
export function secretForms(secret: string): SecretForms {
  const views = [foldedView(secret), decodedView(secret)];
  const once = base64Forms(utf8Bytes(secret));
  const twice = once.flatMap(({ core }) => base64Forms(utf8Bytes(core)));
  const texts = views
    .map((view) => compactView(view).text)
    .filter((text) => text.length >= (/^\d+$/.test(text) ? DIGITS_MIN : TEXT_MIN));
  const dumps = [...variantsOf(secret).map(utf8Bytes), utf16Bytes(secret)].flatMap(dumpsOf);
  return {
    folded: unique(views.map(({ text }) => text.trim())).filter(({ length }) => length >= LENGTH_MIN),
    compact: unique([...texts, ...dumps, ...twice.map(packedCore).filter(({ length }) => length >= TEXT_MIN)]),
    base64: [...once, ...twice, ...[...once, ...twice].filter(({ core }) => /[+/]/.test(core)).map(forAddresses)],
  };
}

/** Shorter values are not redacted: they would match half of every text. */
export const LENGTH_MIN = 4;

const unique = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];

/** The secret with other line ends, and as a JSON text. */
function variantsOf(secret: string): readonly string[] {
  const unix = secret.replaceAll('\r\n', '\n');
  const lines = [secret, unix, unix.replaceAll('\n', '\r\n')];
  return unique([...lines, ...lines.map((text) => JSON.stringify(text).slice(1, -1))]);
}

/** Bytes as hexadecimal with and without `0x`, as decimal numbers, and as Base64: letters and digits only. */
function dumpsOf(bytes: readonly number[]): readonly string[] {
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
  const coded = [hex.join(''), hex.map((byte) => `0x${byte}`).join(''), bytes.join('')];
  const encoded = base64Forms(bytes).map(packedCore);
  return [...coded.filter(({ length }) => length >= BYTES_MIN), ...encoded.filter(({ length }) => length >= TEXT_MIN)];
}

/** The letters and digits of a Base64 form. */
const packedCore = ({ core }: Base64Form): string => core.replace(/[+/]/g, '').toLowerCase();

const forAddresses = (form: Base64Form): Base64Form => ({
  ...form,
  core: form.core.replaceAll('+', '-').replaceAll('/', '_'),
});

/** The three Base64 forms, one per offset within a group of three bytes, without padding. */
function base64Forms(bytes: readonly number[]): readonly Base64Form[] {
  return [0, 1, 2].map((offset): Base64Form => {
    const bits = (offset + bytes.length) * 8;
    const encoded = base64([...Array.from({ length: offset }, () => 0), ...bytes]);
    const core = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
    return { core, before: offset === 0 ? 0 : 1, after: bits % 6 === 0 ? 0 : 1 };
  });
}

export type Range = readonly [from: number, to: number];

/** The range of a form whose core is at `at`, with the adjacent characters that share its bits. */
export function base64Range(input: string, at: number, { core, before, after }: Base64Form): Range {
  const to = at + core.length;
  return [isBase64(input[at - 1]) ? at - before : at, isBase64(input[to]) ? to + after : to];
}

const isBase64 = (sign: string | undefined): boolean => sign !== undefined && /[\w+/-]/.test(sign);
