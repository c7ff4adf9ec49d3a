/** Proves that the real house is whole: the walls hold, and the published doors are the ones on the plan. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkHouse } from '../../scripts/house/check.ts';
import { DOORS, PROGRAM, ROOMS, THREADS } from '../../scripts/house/plan.ts';
import { readHouse } from '../../scripts/house/read.ts';

const root = new URL('../..', import.meta.url).pathname;

test('no wall of the house is broken', () => {
  const broken = checkHouse(readHouse(root)).map(
    ({ wall, path, line, message }) => `${path}:${line} [${wall}] ${message}`,
  );
  expect(broken).toEqual([]);
});

test('package.json publishes exactly the doors on the floor plan', () => {
  const manifest: { bin: unknown; exports: Record<string, unknown> } = JSON.parse(
    readFileSync(`${root}/package.json`, 'utf8'),
  );
  const sources = Object.values(manifest.exports).flatMap((door) =>
    typeof door === 'object' && door !== null && 'default' in door
      ? [String(door.default).replace('./dist/', 'src/').replace(/\.js$/, '.ts')]
      : [],
  );
  expect(sources).toEqual(DOORS);
  expect(manifest.bin).toEqual({ ambit: PROGRAM.replace('src/', './dist/').replace(/\.ts$/, '.js') });
  const unused: { workspaces: { '.': { entry: string[] } } } = JSON.parse(readFileSync(`${root}/knip.json`, 'utf8'));
  const entries = unused.workspaces['.'].entry.filter((entry) => entry.startsWith('src/'));
  expect(entries).toEqual([...DOORS, PROGRAM, ...THREADS]);
});

test('docs/architecture.md shows every room with the doors of the floor plan', () => {
  const text = readFileSync(`${root}/docs/architecture.md`, 'utf8');
  const rows = text.matchAll(/^\| `(?<room>[a-z]+)\/` \|.*\|(?<doors>[^|]*)\|$/gm);
  const shown = Array.from(rows, ({ groups }) => [groups?.['room'], groups?.['doors']?.trim()]);
  const planned = Object.entries(ROOMS).map(([room, { opens }]) => [room, opens.join(', ')]);
  expect(shown).toEqual(planned);
});
