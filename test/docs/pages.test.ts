/** Proves that the documentation stays short, linked and plainly worded. */
import { expect, test } from 'vitest';
import { pages } from './markdown.ts';

const WORDS_PER_PAGE_MAX = 1_000;
/** A new feature may bring a page; the pages stay short on average. */
const WORDS_PER_PAGE_MEAN_MAX = 640;

/** Pages that a test compares with a table in the source, line by line. Their wording is the table's. */
const FROM_THE_SOURCE = ['docs/reference/cli.md', 'docs/reference/faults.md', 'docs/reference/terminal-codes.md'];
/** Pages that quote a table of the source among other text. Their table rows are the source's. */
const QUOTING_THE_SOURCE = ['docs/reference/graphs.md', 'docs/reference/metrics.md', 'docs/reference/pathologies.md'];

const guides = pages().filter(
  ({ path }) => /^docs\/(README\.md|start|concepts|how-to|reference)/.test(path) && !FROM_THE_SOURCE.includes(path),
);

/** Counts the words of prose, tables and code, without the bars of tables. */
const words = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

test(`no page has more than ${WORDS_PER_PAGE_MAX} words, code and tables included`, () => {
  const long = guides.map(({ path, text }) => [path, words(text)] as const).filter(([, n]) => n > WORDS_PER_PAGE_MAX);
  expect(long).toEqual([]);
});

test(`a page has at most ${WORDS_PER_PAGE_MEAN_MAX} words on average`, () => {
  const total = guides.reduce((sum, { text }) => sum + words(text), 0);
  expect(total / guides.length).toBeLessThanOrEqual(WORDS_PER_PAGE_MEAN_MAX);
});

test('every link to a heading names a heading', () => {
  const headings = new Map(pages().map(({ path, text }) => [path, anchors(text)]));
  const dead = pages().flatMap(({ path, text }) =>
    Array.from(text.matchAll(/\]\((?<to>[^)#:]*)#(?<anchor>[^)]+)\)/g), ({ groups }) => ({
      page: groups?.['to'] === '' ? path : resolve(path, groups?.['to'] ?? ''),
      anchor: groups?.['anchor'] ?? '',
    }))
      .filter(({ page, anchor }) => headings.get(page)?.has(anchor) === false)
      .map(({ page, anchor }) => `${path} → ${page}#${anchor}`),
  );
  expect(dead).toEqual([]);
});

/** Words that hide the subject of a sentence, openings without a subject, and private metaphors. */
const VAGUE: readonly RegExp[] = [
  /\b(nobody|somebody|whoever|whomever|whosoever)\b/i,
  /(^|[.:!?]\s+|[|*-]\s+)Whatever\b/,
  /(^|[.!?]\s+)(What|Where|That)\b/,
  /\b(rooms?|desks?|doors?|streets?|seats?|bells?|heeds?)\b/i,
];

test('every sentence names its subject', () => {
  const worded = pages().filter(({ path }) => !FROM_THE_SOURCE.includes(path));
  const vague = worded.flatMap(({ path, text }) =>
    prose(path, text)
      .filter((line) => VAGUE.some((pattern) => pattern.test(line)))
      .map((line) => `${path}: ${line}`),
  );
  expect(vague).toEqual([]);
});

test('detects a vague sentence', () => {
  const found = prose('docs/x.md', 'Fine.\n\nWhatever comes.\n\n- nobody asks `nobody`\n\n`whoever`\n').map((line) =>
    VAGUE.some((pattern) => pattern.test(line)),
  );
  expect(found).toEqual([false, true, true, false]);
});

/** The lines of a page without code and without tables that come from the source. */
function prose(path: string, text: string): readonly string[] {
  return text
    .replaceAll(/^```.*?^```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, '`code`')
    .split('\n')
    .filter((line) => line.trim() !== '' && !(QUOTING_THE_SOURCE.includes(path) && line.startsWith('| ')));
}

/** The anchors that GitHub gives the headings of a page. */
function anchors(text: string): ReadonlySet<string> {
  const titles = text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (?<title>.*)$/gm);
  return new Set(
    Array.from(titles, ({ groups }) =>
      (groups?.['title'] ?? '')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** The target, as a path from the root, of a link in the page `from`. */
const resolve = (from: string, to: string): string => new URL(to, `file:///${from}`).pathname.slice(1);
