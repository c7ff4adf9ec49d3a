/** The infrastructure port permits a call only with an explicit `{ ok: true }`. */
import { expect, test } from 'vitest';
import { askInfrastructure } from './infrastructure.ts';

const CALL = { tool: 'pay', args: {}, tenantId: 'acme', runId: 'run_1' };
const ruling = (permits: () => unknown): unknown => askInfrastructure({ permits: permits as never }, CALL);

test('returns a permit, and a refusal with its reason', () => {
  expect(ruling(() => ({ ok: true }))).toEqual({ ok: true });
  expect(ruling(() => ({ ok: false, reason: 'not on the list' }))).toEqual({ ok: false, reason: 'not on the list' });
});

test.each<[string, () => unknown]>([
  ['nothing', () => undefined],
  ['null', () => null],
  ['a bare yes', () => true],
  ['a word for yes', () => ({ ok: 'yes' })],
  ['a number for yes', () => ({ ok: 1 })],
  ['nothing said', () => ({})],
  ['a no without a reason', () => ({ ok: false })],
  ['a no with a reason that is none', () => ({ ok: false, reason: { deep: 1 } })],
  ['a promise of a yes', () => Promise.resolve({ ok: true })],
  ['a promise that breaks', () => Promise.reject(new Error('late'))],
  [
    'a throw',
    () => {
      throw new Error('gone');
    },
  ],
  [
    'an answer that breaks when it is read',
    () => ({
      get ok() {
        throw new Error('gone');
      },
    }),
  ],
])('%s is a refusal with a reason', (_name, permits) => {
  expect(ruling(permits)).toEqual({ ok: false, reason: expect.stringMatching(/./) });
});
