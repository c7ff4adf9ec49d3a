import { PlacedBytes, type TextView, ViewBuilder } from './view-builder.ts';

/** The dumped lines of a text, and the text that their bytes are. */
export interface Dump {
  readonly view: TextView;
  readonly lines: readonly DumpLine[];
}

/** A line of a dump: its offset and bytes, and where the column with their text ends, if there is one. */
export interface DumpLine {
  readonly from: number;
  readonly to: number;
  readonly column: number;
}

/** The offset at the start of a line. */
const OFFSET = /(?<=^|[^0-9a-z]|\\n)[0-9a-f]{6,8}:?(?=[ \t])/gi;

/** How a program writes the bytes of a line. */
interface DumpStyle {
  /** The bytes behind an offset. */
  readonly bytes: RegExp;
  readonly token: RegExp;
  /** The bytes of a token. */
  readonly read: (token: string) => readonly number[];
}

const number =
  (radix: number) =>
  (token: string): readonly number[] => [Number.parseInt(token, radix) & 0xff];

/** A word of two bytes, the lower one first. */
const word =
  (radix: number) =>
  (token: string): readonly number[] => {
    const value = Number.parseInt(token, radix);
    return [value & 0xff, (value >> 8) & 0xff];
  };

/** A cell of `od -c`: a character, an escape sequence or an octal number, at its right. */
function cell(token: string): readonly number[] {
  const sign = token.trim();
  if (sign.length === 3) return [Number.parseInt(sign, 8)];
  return [sign.length === 1 ? sign.charCodeAt(0) & 0xff : 0x20];
}

/** `od -c`; `hexdump -C` and `od -t x1`; `xxd`; `hexdump` and `od -x`; `od -b`; `od`. */
const STYLES: readonly DumpStyle[] = [
  {
    bytes: /(?: {3}[^\s\\]| {2}\\[0abfnrtv\\]| [0-3][0-7]{2}| {4}){1,16}(?![0-9a-z])/iy,
    token: /[\s\S]{4}/g,
    read: cell,
  },
  { bytes: /[ \t]{1,4}(?:[0-9a-f]{2}(?![0-9a-z]) {0,2}){1,32}/iy, token: /[0-9a-f]{2}/gi, read: number(16) },
  {
    bytes: /(?<=:)[ \t](?:[0-9a-f]{4} ){0,15}[0-9a-f]{2}(?:[0-9a-f]{2})?(?![0-9a-z])/iy,
    token: /[0-9a-f]{2}/gi,
    read: number(16),
  },
  { bytes: /[ \t]{1,8}(?:[0-9a-f]{4}(?![0-9a-z])[ \t]{0,8}){1,16}/iy, token: /[0-9a-f]{4}/gi, read: word(16) },
  { bytes: /[ \t]{1,4}(?:[0-3][0-7]{2}(?![0-9a-z])[ \t]{0,4}){1,32}/iy, token: /[0-7]{3}/g, read: number(8) },
  { bytes: /[ \t]{1,8}(?:[01][0-7]{5}(?![0-9a-z])[ \t]{0,8}){1,16}/iy, token: /[0-7]{6}/g, read: word(8) },
];

/** The column behind the bytes: between bars, as `hexdump -C` writes it, or without them, as `xxd` does. */
const COLUMN = /[ \t]{0,160}(?:[|>]|(?<= {2}))/y;

/** Reads the lines of dumps in a text. Null if there is none. */
export function dumpOf(input: string): Dump | null {
  const lines: DumpLine[] = [];
  const bytes = new PlacedBytes();
  const offsets = new RegExp(OFFSET);
  for (let match = offsets.exec(input); match !== null; match = offsets.exec(input)) {
    const line = readLine(input, offsets.lastIndex, bytes);
    if (line === null) continue;
    lines.push({ from: match.index, ...line });
    offsets.lastIndex = line.column;
  }
  if (lines.length === 0) return null;
  const view = new ViewBuilder(input.length);
  bytes.addTo(view);
  return { view: view.build(), lines };
}

/** Adds the bytes of a line behind its offset. Returns where they and their column end, or null if they are no bytes. */
function readLine(input: string, start: number, bytes: PlacedBytes): Omit<DumpLine, 'from'> | null {
  for (const { bytes: pattern, token, read } of STYLES) {
    const written = matchAt(pattern, input, start);
    if (written === null) continue;
    let count = 0;
    for (const { 0: text, index } of written.matchAll(token)) {
      for (const byte of read(text)) bytes.add(byte, start + index, start + index + text.length);
      count += read(text).length;
    }
    const to = start + written.trimEnd().length;
    return { to, column: columnEnd(input, to, count) };
  }
  return null;
}

/** Where the column of so many bytes ends. A column is in the line of its bytes. */
function columnEnd(input: string, to: number, count: number): number {
  const gap = matchAt(COLUMN, input, to);
  if (gap === null) return to;
  const start = to + gap.length;
  const text = /^[^\r\n]*/.exec(input.slice(start, start + count))?.[0] ?? '';
  const closing = /[|>]$/.test(gap) && /[|<]/.test(input.charAt(start + text.length)) ? 1 : 0;
  return text === '' ? to : start + text.length + closing;
}

function matchAt(pattern: RegExp, input: string, at: number): string | null {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = at;
  return sticky.exec(input)?.[0] ?? null;
}
