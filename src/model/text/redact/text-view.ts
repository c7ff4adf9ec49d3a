import { latinView } from './latin-view.ts';
import { fold, PlacedBytes, type TextView, ViewBuilder } from './view-builder.ts';

/** Escape sequences of strings, addresses and HTML, nested any number of times. */
const ESCAPE =
  /((?:(?:%(?:25)*|\\+x)[0-9a-f]{2}|\\+[0-3][0-7]{2})+)|\\+(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|([bfnrtv0"'`\\/]))|&(?:amp;)*(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,6}));/gi;

/** Escape sequences of mails (quoted-printable), in large letters and with line breaks that do not count. */
const MAIL_ESCAPE = /((?:=[0-9A-F]{2})+)|=\r?\n/g;

/** The views of a text in which a secret may be found: as it is, and decoded if it has escape sequences. */
export function viewsOf(input: string): readonly TextView[] {
  const views = [foldedView(input)];
  if (/[\\%&]/.test(input)) views.push(decodedView(input));
  if (/=(?:[0-9A-F]{2}|\r?\n)/.test(input)) views.push(decodeWith(input, MAIL_ESCAPE));
  const latin = latinView(input);
  if (latin !== null) views.push(latin);
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

/** Adds a run of escaped bytes, such as `%C3%B6`. */
function addBytes(view: ViewBuilder, run: string, start: number): void {
  const bytes = new PlacedBytes();
  for (const { 0: code, 1: hex, 2: octal = '', index } of run.matchAll(
    /(?:%(?:25)*|\\+x|=)([0-9a-f]{2})|\\+([0-3][0-7]{2})/gi,
  )) {
    const byte = hex === undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex, 16);
    bytes.add(byte, start + index, start + index + code.length);
  }
  bytes.addTo(view);
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
