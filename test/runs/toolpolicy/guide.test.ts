/** The guide matches the source: its ten categories and their gates. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CATEGORY_GATES } from '../../../src/model/gate/default-gates.ts';

const guide = readFileSync(new URL('../../../docs/how-to/restrict-tools.md', import.meta.url), 'utf8');

test('the guide lists the ten categories with their gates', () => {
  const rows = Array.from(
    guide.matchAll(/^\| `(?<name>[a-z_]+)` \|.*\| `(?<gate>GATE_[A-Z_]+)` \|/gm),
    ({ groups }) => [groups?.['name'], groups?.['gate']],
  );
  expect(Object.fromEntries(rows)).toEqual(CATEGORY_GATES);
});
