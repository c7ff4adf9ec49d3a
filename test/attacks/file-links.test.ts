/** Tests that every attack on the links and folders of a workspace is held. */
import { expect, test } from 'vitest';
import { fileLinkAttacks } from './batteries/file-links.ts';
import { runBattery } from './battery.ts';

test('every attack on links is held', { timeout: 120_000 }, async () => {
  const { broken, non_fault_errors, attempts } = await runBattery({ name: 'files', attacks: fileLinkAttacks });
  expect({ broken, non_fault_errors }).toEqual({ broken: [], non_fault_errors: 0 });
  expect(attempts).toBeGreaterThanOrEqual(10);
});
