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
class ViewBuilder {
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

/** Escape sequences of strings, addresses and HTML, nested any number of times. */
const ESCAPE =
  /((?:(?:%(?:25)*|\\+x)[0-9a-f]{2})+)|\\+(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|([bfnrtv0"'`\\/]))|&(?:amp;)*(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,6}));/gi;

/** Escape sequences of mails (quoted-printable), in large letters and with line breaks that do not count. */
const MAIL_ESCAPE = /((?:=[0-9A-F]{2})+)|=\r?\n/g;

/** The views of a text in which a secret may be found: as it is, and decoded if it has escape sequences. */
export function viewsOf(input: string): readonly TextView[] {
  const views = [foldedView(input)];
  if (/[\\%&]/.test(input)) views.push(decodedView(input));
  if (/=(?:[0-9A-F]{2}|\r?\n)/.test(input)) views.push(decodeWith(input, MAIL_ESCAPE));
  return views;
}

/** The text in small letters, without accents, with single spaces. The plus sign stands for a space in addresses. */
export function foldedView(input: string): TextView {
  const view = new ViewBuilder(input.length);
  fold(view, input, 0, input.length);
  return view.build();
}

/** The text with its escape sequences replaced by what they stand for, folded. */
export const decodedView = (input: string): TextView => decodeWith(input, ESCAPE);

function decodeWith(input: string, escapes: RegExp): TextView {
  const view = new ViewBuilder(input.length);
  let done = 0;
  for (const match of input.matchAll(escapes)) {
    fold(view, input, done, match.index);
    done = match.index + match[0].length;
    const [, bytes, braced, four, simple, hex, decimal, entity] = match;
    if (bytes !== undefined) addBytes(view, bytes, match.index);
    else {
      const digits = braced ?? four ?? hex;
      const code = digits === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(digits, 16);
      view.addFolded(Number.isNaN(code) ? plainSign(simple, entity) : signOf(code), match.index, done);
    }
  }
  fold(view, input, done, input.length);
  return view.build();
}

/** The letters and digits of a view. Line breaks, quotes, separators and indentation are left out. */
export function compactView({ text, from, to }: TextView): TextView {
  const view = new ViewBuilder(text.length);
  const known = new Map<number, boolean>();
  const isKept = (code: number): boolean => {
    if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
    const kept = known.get(code) ?? /[\p{L}\p{N}\p{Cs}]/u.test(String.fromCharCode(code));
    known.set(code, kept);
    return kept;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isKept(code)) view.add(code, from[at] ?? 0, to[at] ?? 0);
  }
  return view.build();
}

function fold(view: ViewBuilder, input: string, start: number, end: number): void {
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

/** Adds a run of escaped bytes, such as `%C3%B6`. */
function addBytes(view: ViewBuilder, run: string, start: number): void {
  const places: [byte: number, from: number, to: number][] = [];
  for (const { 0: code, index } of run.matchAll(/(?:%(?:25)*|\\+x|=)([0-9a-f]{2})/gi)) {
    const to = index + code.length;
    places.push([Number.parseInt(run.slice(to - 2, to), 16), start + index, start + to]);
  }
  const bytes = places.map(([byte]) => byte);
  for (let at = 0; at < bytes.length; ) {
    const { sign, length } = signAt(bytes, at);
    view.addFolded(sign, places[at]?.[1] ?? 0, places[at + length - 1]?.[2] ?? 0);
    at += length;
  }
}

const signOf = (code: number): string => (code > 0x10_ffff ? '\ufffd' : String.fromCodePoint(code));

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", szlig: 'ß' };

/** The characters of escape sequences without a number. */
function plainSign(simple: string | undefined, entity: string | undefined): string {
  if (simple !== undefined) return /["'`\\/]/.test(simple) ? simple : ' ';
  // A line break of a mail that does not count.
  if (entity === undefined) return '';
  const name = entity.toLowerCase();
  const known = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
  if (known !== undefined) return known;
  // Such as &ouml; for a letter with an accent, which is folded to the letter.
  return /^[a-z](?:uml|acute|grave|circ|tilde|ring|cedil|slash)$/.test(name) ? name.slice(0, 1) : ' ';
}
