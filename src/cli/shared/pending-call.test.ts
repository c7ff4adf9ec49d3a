import { expect, test } from 'vitest';
import type { DescribedAgent, RunEvent } from '../../records.ts';
import { describePendingCall, findPendingCall } from './pending-call.ts';

const NOW = 100_000;
const sent = { type: 'step_attempted', at: 90_000, call_id: 'c1', step_id: 's2', tool: 'pay' } as const;
const events = [{ ...sent, dispatch_before: 95_000, timeout_ms: 30_000 }] as unknown as readonly RunEvent[];

const toolsWith = (spec: object): DescribedAgent['tools'] =>
  [{ name: 'pay', side_effect: true, idempotency: { kind: 'key' }, ...spec }] as unknown as DescribedAgent['tools'];

test('finds a call that may still arrive, until its time is over', () => {
  const pending = findPendingCall(events, toolsWith({}), NOW);
  expect(pending).toEqual({ tool: 'pay', stepId: 's2', until: 125_000 });
  expect(pending === null ? '' : describePendingCall(pending, NOW)).toBe(
    'waiting for pay (step s2): its process died, and the call may still arrive until 1970-01-01 00:02:05Z, in 25 s',
  );
  expect(findPendingCall(events, toolsWith({}), 125_000)).toBeNull();
  const probed = { idempotency: { kind: 'none' }, probes: { reconcile: 'find' } };
  expect(findPendingCall(events, toolsWith(probed), NOW)).not.toBeNull();
});

test('ignores a call that was observed, has no side effect, or goes to a person', () => {
  const observed = { type: 'step_observed', at: 91_000, call_id: 'c1' } as unknown as RunEvent;
  expect(findPendingCall([...events, observed], toolsWith({}), NOW)).toBeNull();
  expect(findPendingCall(events, toolsWith({ side_effect: false }), NOW)).toBeNull();
  expect(findPendingCall(events, toolsWith({ idempotency: { kind: 'none' } }), NOW)).toBeNull();
  expect(findPendingCall([], toolsWith({}), NOW)).toBeNull();
});
