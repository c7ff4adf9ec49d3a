/** Proves that the architecture page knows every effect there is, and of which kind it is. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isOutside, LOCAL_KINDS } from '../../src/kernel/effect-kinds.ts';
import type { Effect } from '../../src/model/effect.ts';
import { ROOT } from './markdown.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

function effectsOf(kind: string): readonly string[] {
  const row = read('docs/architecture.md').match(new RegExp(`^\\| ${kind} \\|([^|]*)\\|`, 'm'))?.[1] ?? '';
  return Array.from(row.matchAll(/`([a-z_]+)`/g), ([, name = '']) => name);
}

test('the table of effects is complete, and each stands in the row of its kind', () => {
  const bodies = read('src/model/effect.ts').match(/interface EffectBodies \{(.*?)\n\}/s)?.[1] ?? '';
  const kinds = Array.from(bodies.matchAll(/^ {2}([a-z_]+): /gm), ([, name = '']) => name);
  const outside = kinds.filter((kind) => isOutside({ kind } as Effect));
  const local: readonly string[] = LOCAL_KINDS;
  const derived = kinds.filter((kind) => ![...outside, ...local, 'save_checkpoint'].includes(kind));
  expect(effectsOf('outside').toSorted()).toEqual(outside.toSorted());
  expect(effectsOf('local').toSorted()).toEqual(local.toSorted());
  expect(effectsOf('derived').toSorted()).toEqual(derived.toSorted());
});

test('the front page leads to every guide', () => {
  const front = read('README.md');
  const guides = readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`);
  expect(guides.filter((guide) => !front.includes(`](${guide})`))).toEqual([]);
});

test('the front page says what init takes of a folder that has a manifest, as init does', () => {
  const said = 'npm pkg set type=module';
  expect(read('src/cli/actions/init.ts')).toContain(said);
  expect(read('README.md')).toContain(said);
});
