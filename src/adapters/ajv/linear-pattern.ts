import { RE2JS } from 're2js';
import { z } from 'zod';
import { Fault } from '../../model/fault/fault.ts';
import { printable, reasonOf } from '../../model/json/printable.ts';

/** A pattern of a schema, as the schema checker uses it. */
export interface LinearPattern {
  /** The size of the compiled program. A match takes at most this many steps per character. */
  readonly size: number;
  test(text: string): boolean;
}

/**
 * Compiles a pattern of JSON Schema to a matcher whose time grows linearly with the text. The native engine would take
 * for ever over a text that the author of the pattern also chooses. Throws `input_invalid` for a pattern that has no
 * linear form: lookbehind, backreferences, and lookahead that is not at the beginning, and for one whose repetitions, when
 * they are written out, are too long.
 */
export function linearPattern(source: string): LinearPattern {
  // Refuses what ECMA-262 refuses, such as `\A` and `\Q`, which RE2 would accept.
  const native = compiling(source, () => new RegExp(source, 'u'));
  if (KNOWN_LINEAR.has(source)) return { size: 1, test: (text) => native.test(text) };
  if (source.length > SOURCE_LENGTH_MAX) throw refuse(source, `it is longer than ${SOURCE_LENGTH_MAX} characters`);
  if (expandedLength(source) > EXPANDED_MAX) throw tooLarge(source);
  const parts = compiling(source, () =>
    splitLookahead(source).map(({ text, negated }) => ({ re: RE2JS.compile(toRe2(text)), negated })),
  );
  const size = parts.reduce((sum, { re }) => sum + re.programSize(), 0);
  return { size, test: (text) => parts.every(({ re, negated }) => re.test(text) !== negated) };
}

/** Patterns that Zod writes, which have no form in RE2 and take linear time. */
const KNOWN_LINEAR: ReadonlySet<string> = new Set([z.iso.duration(), z.emoji()].map(patternOf));

function patternOf(schema: z.ZodType): string {
  return String(z.toJSONSchema(schema).pattern);
}

const SOURCE_LENGTH_MAX = 10_000;

/** The most characters of a pattern whose repetitions are written out: `(?:ab){3}` is `ababab`. */
const EXPANDED_MAX = 10_000;

function compiling<T>(source: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    throw refuse(source, reasonOf(error));
  }
}

function refuse(source: string, why: string): Fault {
  const hint =
    'a pattern may use lookahead only directly after ^, and neither lookbehind nor backreferences: write several patterns in allOf';
  return new Fault(
    'input_invalid',
    `the pattern ${printable(source)} cannot be checked in linear time (${why}): ${hint}`,
  );
}

function tooLarge(source: string): Fault {
  const hint = 'repeat less, or limit the length with maxLength';
  return new Fault(
    'input_invalid',
    `the pattern ${printable(source)} has more than ${EXPANDED_MAX} characters when its repetitions are written out: ${hint}`,
  );
}

interface Part {
  readonly text: string;
  readonly negated: boolean;
}

/** Splits `^(?=a)(?!b)c` into `^(?:a)`, not `^(?:b)`, and `^c`. RE2 has no lookahead, and this is where schemas use it. */
function splitLookahead(source: string): readonly Part[] {
  const parts: Part[] = [];
  let rest = source;
  for (let group = leadingLookahead(rest); group !== null; group = leadingLookahead(rest)) {
    const inner = rest.slice('^(?='.length, group - 1);
    parts.push({ text: `^(?:${inner})`, negated: rest[3] === '!' });
    rest = `^${rest.slice(group)}`;
  }
  if (parts.length === 0 || !hasAlternatives(rest)) return [...parts, { text: rest, negated: false }];
  throw new Error('a lookahead stands before one of several alternatives');
}

/** The index after a lookahead at the beginning of a pattern, or null. */
function leadingLookahead(source: string): number | null {
  if (!source.startsWith('^(?=') && !source.startsWith('^(?!')) return null;
  let depth = 0;
  for (const { at, text } of tokens(source)) {
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    if (text === ')' && depth === 0) return at + 1;
  }
  return null;
}

/** Whether a pattern has alternatives outside of every group. */
function hasAlternatives(source: string): boolean {
  let depth = 0;
  for (const { text } of tokens(source)) {
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    if (text === '|' && depth === 0) return true;
  }
  return false;
}

/** The length of a pattern whose repetitions are written out. The compiled program grows with it. */
function expandedLength(source: string): number {
  /** Per open group: the length before its last part, and the length of this part, which a repetition multiplies. */
  const groups = [{ before: 0, last: 0 }];
  let previous = '';
  let end = 0;
  for (const { at, text } of tokens(source)) {
    if (at < end) continue;
    const group = groups.at(-1) ?? { before: 0, last: 0 };
    const repetition = text === '{' && previous !== '\\u' ? REPETITION.exec(source.slice(at)) : null;
    previous = text;
    if (repetition !== null) {
      group.last *= timesOf(repetition);
      end = at + repetition[0].length;
    } else if (text === '(') {
      groups.push({ before: 0, last: 0 });
      end = at + (GROUP_START.exec(source.slice(at, at + 100))?.[0].length ?? 0);
    } else if (text === ')' && groups.length > 1) {
      groups.pop();
      const outer = groups.at(-1) ?? group;
      Object.assign(outer, { before: outer.before + outer.last, last: group.before + group.last });
    } else Object.assign(group, { before: group.before + group.last, last: 1 });
  }
  return groups.reduce((sum, { before, last }) => sum + before + last, 0);
}

/** The first characters of a group: `(`, `(?:`, `(?=`, `(?!` or `(?<name>`. */
const GROUP_START = /^\((?:\?(?:[:=!]|<[^>]*>))?/u;

/** `{3}`, `{3,}` or `{3,5}`. An unescaped brace begins a repetition, the name of a property or a code point. */
const REPETITION = /^\{(\d+)(,?)(\d*)\}/u;

function timesOf([, least = '', comma = '', most = '']: RegExpExecArray): number {
  if (most !== '') return Math.max(1, Number(most));
  return Math.max(1, Number(least) + comma.length);
}

interface Token {
  readonly at: number;
  /** An escape with its character, a character class, or a single character. */
  readonly text: string;
}

/** A pair of escaped surrogates, an escape, a character class, or a character. */
const TOKEN = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\[\s\S]|\[(?:[^\\\]]|\\[\s\S])*\]|[\s\S]/gu;

const tokens = (source: string): readonly Token[] =>
  Array.from(source.matchAll(TOKEN), ({ index: at, 0: text }) => ({ at, text }));

/** The characters of `\s` in ECMA-262; RE2 knows only those of ASCII. */
const SPACES =
  '\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const LINE_ENDS = '\\n\\r\\x{2028}\\x{2029}';

/** Writes a pattern of ECMA-262 as one of RE2 with the same meaning. */
const toRe2 = (source: string): string =>
  RE2JS.translateRegExp(
    tokens(source)
      .map(({ text }) => outsideClass(text))
      .join(''),
  );

function outsideClass(text: string): string {
  if (text === '.') return `[^${LINE_ENDS}]`;
  if (text === '\\s') return `[${SPACES}]`;
  if (text === '\\S') return `[^${SPACES}]`;
  if (text === '\\k') throw new Error('it refers back to a group');
  if (text.startsWith('\\u') && text.length > 2) return fromSurrogates(text);
  if (!text.startsWith('[') || text === '[^]') return text;
  return `[${tokens(text.slice(1, -1)).map(insideClass).join('')}]`;
}

function insideClass({ text, at }: Token): string {
  if (text === '\\s') return SPACES;
  if (text === '\\S') throw new Error('\\S stands in a class of characters');
  if (text.startsWith('\\u') && text.length > 2) return fromSurrogates(text);
  // A class in a class is a class of POSIX in RE2, and `[` is a character in ECMA-262.
  return text.startsWith('[') ? text.replaceAll('[', '\\[') : at === 0 || text !== '^' ? text : '\\^';
}

const fromSurrogates = (pair: string): string => {
  const [high, low] = [pair.slice(2, 6), pair.slice(8)].map((digits) => Number.parseInt(digits, 16));
  return `\\x{${String.fromCharCode(high ?? 0, low ?? 0)
    .codePointAt(0)
    ?.toString(16)}}`;
};
