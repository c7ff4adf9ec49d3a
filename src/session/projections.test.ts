import { expect, test } from 'vitest';
import { sha256 } from '../adapters/node/sha256.ts';
import type { RunState } from '../kernel/state.ts';
import type { Turn } from '../kernel/turn.ts';
import type { RunEvent } from '../model/event.ts';
import type { Json } from '../model/json.ts';
import { settledResult } from './projections.ts';

/** As much of a run as is looked at: one call that changes something, and what was observed of it before. */
const before = { current: { call: { callId: 'call_1' }, mode: 'local_write', observed: { raw: 'before' } } };

const observed = (raw: Json, call_id = 'call_1'): object => ({ type: 'step_observed', call_id, raw });
const COMMITTED = { type: 'step_committed', call_id: 'call_1' };

const settled = (...events: object[]): string | undefined => {
  const turn = { events: events as unknown as readonly RunEvent[] };
  return settledResult(before as unknown as RunState, turn as Turn, sha256)?.text;
};

test('a call that is committed has come to what was said of it last, nothing at all included', () => {
  expect(settled(observed('first'), observed({ b: 1, a: 2 }), COMMITTED)).toBe('{"a":2,"b":1}');
  expect(settled(observed('first'), observed(null), COMMITTED)).toBe('null');
  expect(settled(observed('first'), { type: 'escalation_decided', happened: { result: null } }, COMMITTED)).toBe(
    'null',
  );
});

test('what is said of another call, or by nobody, leaves what was observed before', () => {
  const silent = { type: 'escalation_decided' };
  expect(settled(observed('other', 'call_2'), silent, COMMITTED)).toBe('"before"');
});

test('nothing is settled by a turn that commits nothing of the call', () => {
  expect(settled(observed('first'), { ...COMMITTED, call_id: 'call_2' })).toBeUndefined();
});
