/**
 * Whether the JSON text of a value is longer than `bytesMax`, with escapes counted. The text is not built, because the
 * text of an untrusted value may be too long for a string. The value must be plain JSON of limited depth.
 */
export function exceedsBytes(value: unknown, bytesMax: number): boolean {
  return sizeUpTo(value, bytesMax, leafCeiling) > bytesMax && sizeUpTo(value, bytesMax, leafBytes) > bytesMax;
}

/** An escaped character takes six bytes, and no number takes more than 26. */
const CHARACTER_MAX_BYTES = 6;
const PLAIN_MAX_BYTES = 26;
/** Two quotes, a colon and a comma. */
const MARKS_BYTES = 4;

/** The bytes of a value without parts. The result is only known to exceed `max` if it does. */
type LeafSize = (leaf: unknown, max: number) => number;

/** An upper bound that reads no characters. It decides for most values, because most values are small. */
export const leafCeiling = (leaf: unknown): number =>
  typeof leaf === 'string' ? leaf.length * CHARACTER_MAX_BYTES + MARKS_BYTES : PLAIN_MAX_BYTES;

const leafBytes: LeafSize = (leaf, max) => (typeof leaf === 'string' ? textBytes(leaf, max) : String(leaf).length);

/** The bytes of a value. Counting ends as soon as there are more than `max`. */
function sizeUpTo(value: unknown, max: number, leafSize: LeafSize): number {
  if (typeof value !== 'object' || value === null) return leafSize(value, max);
  const list: readonly unknown[] | null = Array.isArray(value) ? value : null;
  const keys = list === null ? Object.keys(value) : NO_KEYS;
  const parts = list?.length ?? keys.length;
  let bytes = 2 + Math.max(0, parts - 1);
  for (let at = 0; at < parts && bytes <= max; at += 1) {
    const key = keys[at];
    if (key !== undefined) bytes += leafSize(key, max - bytes) + 1;
    const part = key === undefined ? list?.[at] : Reflect.get(value, key);
    bytes += sizeUpTo(part, max - bytes, leafSize);
  }
  return bytes;
}

const NO_KEYS: readonly string[] = Object.freeze([]);

const SHORT_ESCAPES: ReadonlySet<number> = new Set(Array.from('\b\t\n\f\r"\\', (character) => character.charCodeAt(0)));

/** The bytes of a well-formed text in JSON, with its quotes. */
function textBytes(text: string, max: number): number {
  let bytes = 2;
  for (let at = 0; at < text.length && bytes <= max; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) bytes += code <= 0x7ff || isSurrogate(code) ? 2 : 3;
    else if (SHORT_ESCAPES.has(code)) bytes += 2;
    else bytes += code < 0x20 ? CHARACTER_MAX_BYTES : 1;
  }
  return bytes;
}

/** A pair of surrogates takes four bytes. */
const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;
