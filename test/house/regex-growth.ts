/** Finds the regular expressions of `src/`, and texts over which one takes more than linear time. */
import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

export interface Regex {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** Every regular expression literal of `src/` that is not in a test, each once. */
export function regexLiterals(): readonly Regex[] {
  const found = new Map<string, Regex>();
  for (const file of globSync('src/**/*.ts').filter((name) => !name.endsWith('.test.ts'))) {
    const text = readFileSync(file, 'utf8');
    visit(parseSync(file, text).program, ({ pattern, flags }, start) => {
      const place = `${file}:${text.slice(0, start).split('\n').length}`;
      found.set(`/${pattern}/${flags}`, { place, source: pattern, flags });
    });
  }
  return [...found.values()];
}

type OnRegex = (regex: { readonly pattern: string; readonly flags: string }, start: number) => void;

function visit(node: unknown, onRegex: OnRegex): void {
  if (typeof node !== 'object' || node === null) return;
  if ('regex' in node && 'start' in node) onRegex(node.regex as Parameters<OnRegex>[0], Number(node.start));
  for (const child of Object.values(node)) visit(child, onRegex);
}

/** Characters that stand for the classes which patterns use. */
const COMMON = [
  'a',
  'A',
  '0',
  ' ',
  '\n',
  '.',
  '-',
  '/',
  '"',
  "'",
  '(',
  '[',
  '{',
  '<',
  '!',
  ':',
  '_',
  ',',
  '@',
  'é',
  '\u0000',
];

/** Parts to repeat: the common characters, and the words and characters of the pattern itself. */
function pumpsOf({ source }: Regex): readonly string[] {
  const plain = source.replaceAll(/\\[bBdDsSwW]|\\[pP]\{[^}]*\}|\(\?[:=!<]+/gu, ' ').replaceAll('\\', '');
  const words = plain.match(/[\w' -]+/gu) ?? [];
  const own = [...words.flatMap((word) => [word, `${word} `, `${word}.`]), ...new Set(plain)].slice(0, 60);
  return [...new Set([...COMMON, ...own, '0.', 'a ', ' \n', 'a.', 'a-', '/a', '::', '((', 'aA'])].filter(
    (pump) => pump !== '',
  );
}

/** What follows the repeated part, so that the match fails at its end. */
const SUFFIXES = ['', '\u0001', '!', '\n\u0001'];

/** The lengths of the texts. They begin small, so that exponential time is found before it takes long. */
const SHORT_LENGTHS = [20, 24, 28, 100, 2_000] as const;
const SHORT = 2_000;
const GROWTH = 8;

/** Quadratic time grows 64-fold when the text grows 8-fold. */
const RATIO_MAX = 24;
/** Below this time a growth says nothing. Linear time takes less over 2,000 characters, quadratic more over 16,000. */
const NOTICED_MS = 80;

/** The first text over which the time of a regular expression grows faster than the text; null if there is none. */
export function growsTooFast(regex: Regex): string | null {
  const compiled = new RegExp(regex.source, regex.flags.replaceAll(/[gy]/gu, ''));
  for (const pump of pumpsOf(regex)) {
    for (const suffix of SUFFIXES) {
      const text = (length: number): string => pump.repeat(Math.ceil(length / pump.length)) + suffix;
      const shown = `${JSON.stringify(pump)} repeated, then ${JSON.stringify(suffix)}`;
      if (SHORT_LENGTHS.some((length) => isNoticed(compiled, text(length)))) return shown;
      const long = text(SHORT * GROWTH);
      if (isNoticed(compiled, long) && fastest(compiled, long) > RATIO_MAX * fastest(compiled, text(SHORT)))
        return shown;
    }
  }
  return null;
}

const isNoticed = (regex: RegExp, text: string): boolean =>
  cpuMs(regex, text) >= NOTICED_MS && fastest(regex, text) >= NOTICED_MS;

/** The least of several measurements: a measurement can only be too long. */
const fastest = (regex: RegExp, text: string): number =>
  Math.min(...Array.from({ length: 3 }, () => cpuMs(regex, text)));

/** The time of this thread alone, which does not depend on the load of the machine. */
function cpuMs(regex: RegExp, text: string): number {
  const before = process.threadCpuUsage();
  regex.test(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
