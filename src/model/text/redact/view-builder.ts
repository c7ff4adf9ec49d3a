import { signAt } from './bytes.ts';

/** A text in a simpler spelling. Each character knows the range of the original text that it stands for. */
export interface TextView {
  readonly text: string;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

const SPACE = 0x20;
const PLUS = 0x2b;

/** Collects the characters of a view. A run of spaces becomes one space. */
export class ViewBuilder {
  readonly #folded = new Map<string, string>();
  #codes: Uint16Array;
  #from: Uint32Array;
  #to: Uint32Array;
  #length = 0;

  /** `size` is the expected number of characters. */
  constructor(size: number) {
    this.#codes = new Uint16Array(size);
    this.#from = new Uint32Array(size);
    this.#to = new Uint32Array(size);
  }

  add(code: number, from: number, to: number): void {
    const at = this.#length;
    if (at === this.#codes.length) this.#grow();
    this.#codes[at] = code;
    this.#from[at] = from;
    this.#to[at] = to;
    this.#length = at + 1;
  }

  /** Adds a sign in its simplest spelling. */
  addFolded(sign: string, from: number, to: number): void {
    const code = sign.charCodeAt(0);
    if (code < 0x80) {
      this.addAscii(code, from, to);
      return;
    }
    const folded = this.#folded.get(sign) ?? foldSign(sign);
    this.#folded.set(sign, folded);
    for (let unit = 0; unit < folded.length; unit += 1) this.addAscii(folded.charCodeAt(unit), from, to);
  }

  /** Adds a character as a small letter or a single space, if it is ASCII. */
  addAscii(code: number, from: number, to: number): void {
    if (code <= SPACE || code === PLUS) {
      if (this.#length === 0 || this.#codes[this.#length - 1] !== SPACE) this.add(SPACE, from, to);
      return;
    }
    this.add(code >= 0x41 && code <= 0x5a ? code + 0x20 : code, from, to);
  }

  build(): TextView {
    const length = this.#length;
    const parts: string[] = [];
    for (let at = 0; at < length; at += CHUNK)
      parts.push(String.fromCharCode(...this.#codes.subarray(at, Math.min(at + CHUNK, length))));
    return { text: parts.join(''), from: this.#from.subarray(0, length), to: this.#to.subarray(0, length) };
  }

  #grow(): void {
    const size = 2 * this.#length + 16;
    const [codes, from, to] = [new Uint16Array(size), new Uint32Array(size), new Uint32Array(size)];
    codes.set(this.#codes);
    from.set(this.#from);
    to.set(this.#to);
    [this.#codes, this.#from, this.#to] = [codes, from, to];
  }
}

/** The number of characters that are converted at once. */
const CHUNK = 8_192;

/** Adds a part of a text, folded. */
export function fold(view: ViewBuilder, input: string, start: number, end: number): void {
  for (let at = start; at < end; ) {
    const code = input.charCodeAt(at);
    if (code < 0x80) {
      view.addAscii(code, at, at + 1);
      at += 1;
      continue;
    }
    const next = at + ((input.codePointAt(at) ?? 0) > 0xffff && at + 1 < end ? 2 : 1);
    view.addFolded(input.slice(at, next), at, next);
    at = next;
  }
}

/** A sign without accents in small letters, such as `o` for `Ö` and `ss` for `ß`. */
function foldSign(sign: string): string {
  if (/^\s/.test(sign)) return ' ';
  return sign.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().toLowerCase();
}

/** Bytes, each with the part of a text that it is written as. */
export class PlacedBytes {
  readonly #bytes: number[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];

  add(byte: number, from: number, to: number): void {
    this.#bytes.push(byte);
    this.#from.push(from);
    this.#to.push(to);
  }

  /** Adds the signs that the bytes are in UTF-8. */
  addTo(view: ViewBuilder): void {
    for (let at = 0; at < this.#bytes.length; ) {
      const { sign, length } = signAt(this.#bytes, at);
      view.addFolded(sign, this.#from[at] ?? 0, this.#to[at + length - 1] ?? 0);
      at += length;
    }
  }
}
