/** Proves that the pages work: links have targets, commands exist, code compiles. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { compile } from './compile.ts';
import { pages, programs, ROOT, snippets } from './markdown.ts';

/** The compiler is a process of its own, possibly on a busy machine. */
const SLOW = { timeout: 240_000 };

test('every link into the repository has a target', () => {
  const dead = pages().flatMap(({ path, text }) =>
    Array.from(text.matchAll(/\]\((?<to>[^)#]+)(#[^)]*)?\)/g), ({ groups }) => groups?.['to'] ?? '')
      .filter((to) => !/^[a-z]+:/.test(to) && !existsSync(join(ROOT, dirname(path), to)))
      .map((to) => `${path} → ${to}`),
  );
  expect(dead).toEqual([]);
});

test('every npm script that a page names exists', () => {
  const manifest: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const missing = pages().flatMap(({ path, text }) =>
    Array.from(text.matchAll(/npm run (?<name>[a-z][a-z:-]*)/g), ({ groups }) => groups?.['name'] ?? '')
      .filter((name) => !Object.hasOwn(manifest.scripts, name))
      .map((name) => `${path}: npm run ${name}`),
  );
  expect(missing).toEqual([]);
});

test('every snippet imports only published entries and files of its page', () => {
  const inside = pages().flatMap(({ path, text }) =>
    snippets(text)
      .flatMap((code) => Array.from(code.matchAll(/from '(?<from>[^']+)'/g), ({ groups }) => groups?.['from'] ?? ''))
      .filter((from) => /(^|\/)(dist|examples)\//.test(from) || /^\.\.\/src\//.test(from))
      .map((from) => `${path}: ${from}`),
  );
  expect(inside).toEqual([]);
});

test(
  'every TypeScript block compiles against the source, and the runtime has every member that a page names',
  SLOW,
  () => {
    const blocks = pages().flatMap(({ path, text }) =>
      programs(text).map(({ name, text: code }) => ({ name: `${path.replaceAll(/\W/g, '-')}/${name}`, code })),
    );
    expect(blocks.length).toBeGreaterThan(0);
    expect(compile([...blocks, { name: 'runtime-members.ts', code: namedMembers() }])).toEqual([]);
  },
);

/** A program with one line for each `runtime.…` in the prose of the documentation, such as `runtime.approve`. */
function namedMembers(): string {
  const prose = pages().filter(({ path }) => /^(README\.md|docs\/(?!decisions))/.test(path));
  const names = prose.flatMap(({ text }) =>
    Array.from(text.matchAll(/`runtime\.(?<name>[a-zA-Z]+(\.[a-zA-Z]+)*)/g), ({ groups }) => groups?.['name'] ?? ''),
  );
  const lines = [...new Set(names)].map((name) => `void runtime.${name};`);
  return ["import type { Ambit } from 'ambit';", 'declare const runtime: Ambit;', ...lines].join('\n');
}

test('reports a block that does not compile', SLOW, () => {
  const errors = compile([{ name: 'wrong.ts', code: "export const a: number = 'no';\n" }]);
  expect(errors).toEqual([expect.stringContaining('wrong.ts(1,14): error TS2322')]);
});
