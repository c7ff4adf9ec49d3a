/** Proves that a wait is told where there is one, and only there. */
import { expect, test } from 'vitest';
import type { DescribedAgent, RunEvent } from '../../index.ts';
import { leftCall, leftCallWords } from './left-call.ts';

const NOW = 100_000;
const sent = { type: 'step_attempted', at: 90_000, call_id: 'c1', step_id: 's2', tool: 'pay' } as const;
const events = [{ ...sent, dispatch_before: 95_000, timeout_ms: 30_000 }] as unknown as readonly RunEvent[];

const toolsWith = (spec: object): DescribedAgent['tools'] =>
  [{ name: 'pay', side_effect: true, idempotency: { kind: 'key' }, ...spec }] as unknown as DescribedAgent['tools'];

test('a call that may still be on its way is waited for, until it cannot be any more', () => {
  const left = leftCall(events, toolsWith({}), NOW);
  expect(left).toEqual({ tool: 'pay', stepId: 's2', until: 125_000 });
  expect(left === null ? '' : leftCallWords(left, NOW)).toContain('until 1970-01-01 00:02:05Z, in 25 s');
  expect(leftCall(events, toolsWith({}), 125_000)).toBeNull();
  const probed = { idempotency: { kind: 'none' }, probes: { reconcile: 'find' } };
  expect(leftCall(events, toolsWith(probed), NOW)).not.toBeNull();
});

test('a call that was heard of, one that only looks, and one that a person decides about are not', () => {
  const heard = { type: 'step_observed', at: 91_000, call_id: 'c1' } as unknown as RunEvent;
  expect(leftCall([...events, heard], toolsWith({}), NOW)).toBeNull();
  expect(leftCall(events, toolsWith({ side_effect: false }), NOW)).toBeNull();
  expect(leftCall(events, toolsWith({ idempotency: { kind: 'none' } }), NOW)).toBeNull();
  expect(leftCall([], toolsWith({}), NOW)).toBeNull();
});
