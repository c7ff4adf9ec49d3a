import { expect, test } from 'vitest';
import { sha256 } from '../adapters/node/ids-and-hash.ts';
import type { Turn } from '../kernel/machine/turn.ts';
import type { RunState } from '../kernel/state/run-state.ts';
import type { RunEvent } from '../model/events/event.ts';
import type { Json } from '../model/json/json.ts';
import { settledResult } from './projections.ts';

/** The part of a run state that is read: one call with a side effect, and an earlier observation of it. */
const before = { current: { call: { callId: 'call_1' }, mode: 'local_write', observed: { raw: 'before' } } };

const observed = (raw: Json, call_id = 'call_1'): object => ({ type: 'step_observed', call_id, raw });
const COMMITTED = { type: 'step_committed', call_id: 'call_1' };

const settled = (...events: object[]): string | undefined => {
  const turn = { events: events as unknown as readonly RunEvent[] };
  return settledResult(before as unknown as RunState, turn as Turn, sha256)?.text;
};

test('settles a committed call with its last result, including null', () => {
  expect(settled(observed('first'), observed({ b: 1, a: 2 }), COMMITTED)).toBe('{"a":2,"b":1}');
  expect(settled(observed('first'), observed(null), COMMITTED)).toBe('null');
  expect(settled(observed('first'), { type: 'escalation_decided', happened: { result: null } }, COMMITTED)).toBe(
    'null',
  );
});

test('ignores results of other calls and decisions without a result', () => {
  const silent = { type: 'escalation_decided' };
  expect(settled(observed('other', 'call_2'), silent, COMMITTED)).toBe('"before"');
});

test('settles nothing if the turn does not commit the call', () => {
  expect(settled(observed('first'), { ...COMMITTED, call_id: 'call_2' })).toBeUndefined();
});
