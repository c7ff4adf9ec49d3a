/** Tests that every standing attack is held, and that the harness reports one that is not. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Fault } from '../../src/index.ts';
import { BATTERIES } from './batteries.ts';
import { attack, runBattery } from './battery.ts';

const PAGE = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');

/** The number of attempts that the page on security states for a battery. */
function documentedAttempts(name: string): number {
  const [, stated] = PAGE.match(new RegExp(`^\\| \`${name}\` \\|.*\\| ([\\d,]+) \\|$`, 'm')) ?? [];
  if (stated === undefined) throw new Error(`docs/security.md does not list the battery ${name}`);
  return Number(stated.replaceAll(',', ''));
}

test.each(BATTERIES.map((battery) => [battery.name, battery] as const))(
  'every attack of the battery %s is held',
  { timeout: 240_000 },
  async (_, battery) => {
    const { broken, non_fault_errors, attempts } = await runBattery(battery);
    expect({ broken, non_fault_errors }).toEqual({ broken: [], non_fault_errors: 0 });
    expect(attempts).toBeGreaterThanOrEqual(Math.max(20, documentedAttempts(battery.name)));
  },
);

test('a battery reports broken attempts and raw errors', async () => {
  const result = await runBattery({
    name: 'sample',
    attacks: [
      attack('holds', () => undefined),
      attack('breaks', () => Promise.reject(new Error('it paid'))),
      {
        name: 'junk',
        run: async ({ refuses }) => {
          await refuses('a fault', () => Promise.reject(new Fault('input_invalid', 'x')), 'input_invalid');
          await refuses('a raw error', () => Promise.reject(new TypeError('y')));
          await refuses('nothing', () => undefined);
          throw new Error('set-up failed');
        },
      },
    ],
  });
  expect(result).toEqual({
    attempts: 6,
    held: 2,
    broken: [
      { attack: 'sample: breaks', why: 'Error: it paid' },
      { attack: 'sample: junk: a raw error', why: 'TypeError: y' },
      { attack: 'sample: junk: nothing', why: 'Error: it was accepted' },
      { attack: 'sample: junk', why: 'Error: set-up failed' },
    ],
    non_fault_errors: 1,
  });
});
