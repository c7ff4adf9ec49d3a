/** The bytes of a text in UTF-8. Half of a surrogate pair becomes a replacement character. */
export function utf8Bytes(text: string): readonly number[] {
  const bytes: number[] = [];
  for (const sign of text.toWellFormed()) {
    const code = sign.codePointAt(0) ?? 0;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), tail(code));
    else if (code < 0x1_0000) bytes.push(0xe0 | (code >> 12), tail(code >> 6), tail(code));
    else bytes.push(0xf0 | (code >> 18), tail(code >> 12), tail(code >> 6), tail(code));
  }
  return bytes;
}

const tail = (code: number): number => 0x80 | (code & 0x3f);

/** The bytes of a text in UTF-16, low byte first, as Windows programs write it. */
export const utf16Bytes = (text: string): readonly number[] =>
  Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).flatMap((unit) => [unit & 0xff, unit >> 8]);

/** The sign that starts at a byte, and its number of bytes. A byte that starts no sign stands for itself. */
export function signAt(bytes: readonly number[], at: number): { readonly sign: string; readonly length: number } {
  const first = bytes[at] ?? 0;
  const length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
  const rest = bytes.slice(at + 1, at + length);
  if (length === 1 || rest.length < length - 1 || !rest.every((byte) => byte >> 6 === 2))
    return { sign: String.fromCharCode(first), length: 1 };
  const code = rest.reduce((sum, byte) => (sum << 6) | (byte & 0x3f), first & (0xff >> (length + 1)));
  return { sign: code > 0x10_ffff ? '\ufffd' : String.fromCodePoint(code), length };
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Base64 without padding. */
export function base64(bytes: readonly number[]): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b, c] = bytes.slice(at, at + 3);
    const group = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    const count = c !== undefined ? 4 : b !== undefined ? 3 : 2;
    for (let digit = 0; digit < count; digit += 1) text += DIGITS[(group >> (18 - 6 * digit)) & 0x3f];
  }
  return text;
}
