import { expect, test } from 'vitest';
import type { RunState } from '../../kernel/state.ts';
import { callClaims } from './call-claims.ts';

/** As much of a run as a claim looks at: which one it is, what it has heard, and that it has nothing out. */
const run = (runId: string, seq = 1): RunState =>
  ({ id: { runId }, seq, work: { doubts: {} }, current: null }) as unknown as RunState;

test('a call that a lane is about to make is taken for its relatives, and no other call is', () => {
  const [lane, other] = [run('lane_1'), run('lane_2')];
  const claims = callClaims();
  claims.take([lane, other], lane, 'root', { tool: 'prepay', args_hash: 'sha256:1' });
  const taken = (tool: string, args_hash: string): string | null =>
    claims.taken([lane, other], [lane], { tool, args_hash });
  expect(taken('prepay', 'sha256:1')).toBe('lane_1');
  expect([taken('pay', 'sha256:1'), taken('prepay', 'sha256:2')]).toEqual([null, null]);
});

test('once the lane has heard more, its own state says whether it made the call', () => {
  const lane = run('lane_1');
  const claims = callClaims();
  claims.take([lane], lane, 'root', { tool: 'pay', args_hash: 'sha256:1' });
  const later = run('lane_1', 2);
  expect(claims.taken([later], [later], { tool: 'pay', args_hash: 'sha256:1' })).toBeNull();
});
