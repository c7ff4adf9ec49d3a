/** Compares the effects on the architecture page, the index of the documentation and the README with the source. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EFFECTS } from '../../src/model/events/effect-kinds.ts';
import { pages, ROOT } from './markdown.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

function effectsOf(kind: string): readonly string[] {
  const row = read('docs/architecture.md').match(new RegExp(`^\\| ${kind} \\|([^|]*)\\|`, 'm'))?.[1] ?? '';
  return Array.from(row.matchAll(/`([a-z_]+)`/g), ([, name = '']) => name);
}

test('the architecture page lists every effect in the row of its kind', () => {
  for (const by of ['derived', 'local', 'outside']) {
    const named = Object.entries(EFFECTS).flatMap(([effect, answered]) => (answered === by ? [effect] : []));
    expect(effectsOf(by).toSorted()).toEqual(named.toSorted());
  }
});

test('the index of the documentation links every page', () => {
  const index = read('docs/README.md');
  const unlisted = pages()
    .map(({ path }) => path)
    .filter((path) => /^docs\/(start|concepts|how-to|reference)\//.test(path))
    .filter((path) => !index.includes(`](${path.slice('docs/'.length)})`));
  expect(unlisted).toEqual([]);
});

test('README and init give the same command for a folder with a CommonJS manifest', () => {
  const command = 'npm pkg set type=module';
  expect(read('src/cli/actions/init.ts')).toContain(command);
  expect(read('README.md')).toContain(command);
});
