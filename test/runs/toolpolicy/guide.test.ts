/** The guide says what the code says: its ten rows, their gates and their settings are those of the source. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CATEGORY_GATES } from '../../../src/model/default-gates.ts';

const guide = readFileSync(new URL('../../../docs/guides/tool-categories.md', import.meta.url), 'utf8');

test('the ten categories and their gates', () => {
  const rows = Array.from(
    guide.matchAll(/^\| `(?<name>[a-z_]+)` \|.*\| `(?<gate>GATE_[A-Z_]+)` \|/gm),
    ({ groups }) => [groups?.['name'], groups?.['gate']],
  );
  expect(Object.fromEntries(rows)).toEqual(CATEGORY_GATES);
});
