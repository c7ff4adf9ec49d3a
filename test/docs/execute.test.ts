/** Proves that every TypeScript block of every page runs, and that the page shows its output. */
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { blocksIn, fences, pages, ROOT } from './markdown.ts';
import { DATA, FIXTURES, fixtureOf, runPage, shownBy } from './run-page.ts';

/** A page with programs starts a process, possibly on a busy machine. */
const SLOW = 240_000;

const programmed = pages().filter(({ text }) =>
  fences(text).some(({ language }) => ['ts', ...DATA].includes(language)),
);

test.concurrent.each(programmed.map(({ path, text }) => [path, text] as const))(
  'every block of %s runs and prints the output that the page shows',
  { timeout: SLOW },
  async (path, text) => {
    const { exit, stdout, stderr } = await runPage(path, text);
    expect({ exit, stdout: lines(stdout), stderr }).toEqual({ exit: 0, stdout: lines(shownBy(text)), stderr: '' });
  },
);

/** A program may end without a new line. */
const lines = (text: string): readonly string[] => text.trimEnd().split('\n');

test('reports a program, a function and a data block that nothing executed', { timeout: SLOW }, async () => {
  const code = 'export const called = () => 1;\nexport const uncalled = () => 2;\n';
  const page = ['```ts', `${code}called();`, '```', '```json', '{}', '```', ''].join('\n');
  expect(await runPage('docs/x.md', page)).toEqual({
    exit: 0,
    stdout: '',
    stderr: 'program 1: the function uncalled was not executed\nunread json block: {}\n\n',
  });
});

test('reports a program that fails', { timeout: SLOW }, async () => {
  const page =
    '```ts\n// a.ts\nexport const one = 1;\n```\n\n```ts\n// a.ts, continued\nthrow new Error(String(one));\n```\n';
  expect(await runPage('docs/x.md', page)).toMatchObject({ exit: 1, stderr: expect.stringContaining('Error: 1') });
});

/** What executes or reads the blocks of each language. A block in another language would be tested by nothing. */
const LANGUAGES: readonly string[] = ['ts', 'text', 'sh', 'mermaid', ...DATA];

test('every fixture belongs to a page', () => {
  const fixtures = globSync('**/*.ts', { cwd: FIXTURES }).filter((file) => file !== 'parts.ts');
  const named = programmed.flatMap(({ path }) => fixtureOf(path) ?? []).map((file) => relative(FIXTURES, file));
  expect(fixtures.toSorted()).toEqual(named.toSorted());
});

test('every block has a language that a test executes', () => {
  const untested = pages().flatMap(({ path, text }) =>
    fences(text)
      .filter(({ language }) => !LANGUAGES.includes(language))
      .map(({ language }) => `${path}: ${language}`),
  );
  expect(untested).toEqual([]);
});

test('no program declares a value that it does not have', () => {
  const declared = pages().flatMap(({ path, text }) =>
    blocksIn(text, 'ts').flatMap((code) => (/^declare /m.test(code) ? [path] : [])),
  );
  expect(declared).toEqual([]);
});

/** Pages whose command lines run in `start.test.ts` and `commands.test.ts`. */
const TYPED = /^docs\/(start\/.*|how-to\/command-line|reference\/cli)\.md$/;

test('every other command line runs a script of the repository or installs packages that it tests with', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  const isKnown = (command: string): boolean => {
    const [, verb = '', rest = ''] = /^npm (ci|test|pack|run|install)\b(.*)$/.exec(command) ?? [];
    const words = rest.trim().split(/\s+/);
    if (verb === 'run') return Object.hasOwn(manifest.scripts, words[0] ?? '');
    if (verb === 'install') return words.every((word) => word.endsWith('.tgz') || packages.includes(word));
    return verb !== '' || /^cd \S+$/.test(command);
  };
  const unknown = pages()
    .filter(({ path }) => !TYPED.test(path))
    .flatMap(({ path, text }) =>
      blocksIn(text, 'sh')
        .flatMap((block) => block.trim().split(/\n| && /))
        .map((line) => line.replace(/ {2,}#.*/, '').replaceAll(/^\(|\)$/g, ''))
        .filter((line) => !isKnown(line))
        .map((line) => `${path}: ${line}`),
    );
  expect(unknown).toEqual([]);
});

type Manifest = Readonly<Record<'scripts' | 'dependencies' | 'devDependencies', object>>;
