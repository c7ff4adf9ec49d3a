import { expect, test } from 'vitest';
import type { RunState } from '../../kernel/state/run-state.ts';
import { callClaims } from './family.ts';

/** The part of a run state that claims read: its id, its sequence number, and no open call. */
const run = (runId: string, seq = 1): RunState =>
  ({ id: { runId }, seq, work: { doubts: {} }, current: null }) as unknown as RunState;

test('reserves a call for the lane that is about to make it, and no other call', () => {
  const [lane, other] = [run('lane_1'), run('lane_2')];
  const claims = callClaims();
  claims.take([lane, other], lane, 'root', { tool: 'prepay', args_hash: 'sha256:1', effect_tool: 'prepay' });
  const taken = (tool: string, args_hash: string): string | null =>
    claims.taken([lane, other], [lane], { tool, args_hash, effect_tool: tool });
  expect(taken('prepay', 'sha256:1')).toBe('lane_1');
  expect([taken('pay', 'sha256:1'), taken('prepay', 'sha256:2')]).toEqual([null, null]);
});

test('drops a claim once the lane has processed another event', () => {
  const lane = run('lane_1');
  const claims = callClaims();
  claims.take([lane], lane, 'root', { tool: 'pay', args_hash: 'sha256:1', effect_tool: 'pay' });
  const later = run('lane_1', 2);
  expect(claims.taken([later], [later], { tool: 'pay', args_hash: 'sha256:1', effect_tool: 'pay' })).toBeNull();
});
