/** Proves the lifecycle of a session: every one of its 64 pairs of statuses, and how a run's ending becomes a status. */
import { readFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { verifies } from '../../test/requirements/verifies.ts';
import { Fault } from '../model/fault.ts';
import { SESSION_STATUSES, type SessionStatus } from '../model/session-status.ts';
import { TERMINAL_CODES } from '../model/terminal-code.ts';
import { canTransition, endPath, isTerminal, statusFor, transition } from './lifecycle.ts';

const ENDS: readonly SessionStatus[] = ['completed', 'failed', 'expired', 'rejected', 'cancelled'];
const ends = fc.constantFrom(...ENDS);
const living = fc.constantFrom<SessionStatus>('in_progress', 'awaiting_gate', 'paused');

/** What a transition answers: the new status, or the code of the refusal. */
function answer(from: SessionStatus, to: SessionStatus): string {
  try {
    return transition(from, to);
  } catch (error) {
    return Fault.is(error) ? error.code : 'not a fault';
  }
}

const rowOf = (from: SessionStatus): string[] => SESSION_STATUSES.map((to) => answer(from, to));
const ILLEGAL = 'illegal_transition';

describe('the matrix, columns in the order of SESSION_STATUSES', () => {
  test('the columns', () => {
    expect(SESSION_STATUSES).toEqual([
      'in_progress',
      'awaiting_gate',
      'paused',
      'completed',
      'failed',
      'expired',
      'rejected',
      'cancelled',
    ]);
  });

  verifies('session:state:in-progress-exits', 'in_progress has five exits', () => {
    expect(rowOf('in_progress')).toEqual([
      ILLEGAL,
      'awaiting_gate',
      'paused',
      'completed',
      'failed',
      'expired',
      ILLEGAL,
      ILLEGAL,
    ]);
  });

  verifies('session:state:awaiting-gate-exits', 'awaiting_gate has three exits', () => {
    expect(rowOf('awaiting_gate')).toEqual([
      'in_progress',
      ILLEGAL,
      ILLEGAL,
      ILLEGAL,
      ILLEGAL,
      'expired',
      'rejected',
      ILLEGAL,
    ]);
  });

  verifies('session:state:paused-exits', 'paused has three exits', () => {
    expect(rowOf('paused')).toEqual([
      'in_progress',
      ILLEGAL,
      ILLEGAL,
      ILLEGAL,
      ILLEGAL,
      'expired',
      ILLEGAL,
      'cancelled',
    ]);
  });

  test.each(ENDS)('%s has no exits at all', (end) => {
    expect(rowOf(end)).toEqual(SESSION_STATUSES.map(() => 'session_terminal'));
  });

  test('the guide tells every edge', () => {
    const guide = readFileSync(new URL('../../docs/guides/termination.md', import.meta.url), 'utf8');
    const told = Array.from(guide.matchAll(/^\| `([a-z_]+)` \| (`[a-z_]+`(?:, `[a-z_]+`)*) \|$/gm), ([, from, to]) => [
      from,
      to?.replaceAll('`', '').split(', '),
    ]);
    const living = SESSION_STATUSES.filter((status) => !isTerminal(status));
    expect(told).toEqual(living.map((from) => [from, SESSION_STATUSES.filter((to) => canTransition(from, to))]));
  });

  test('five statuses are terminal', () => {
    expect(SESSION_STATUSES.filter(isTerminal)).toEqual(ENDS);
  });
});

describe('the way to an end', () => {
  test('cancelling passes through paused from every living status', () => {
    expect(endPath('in_progress', 'cancelled')).toEqual(['paused', 'cancelled']);
    expect(endPath('paused', 'cancelled')).toEqual(['cancelled']);
    expect(endPath('awaiting_gate', 'cancelled')).toEqual(['in_progress', 'paused', 'cancelled']);
  });

  test('failing while waiting for people takes the authority back first', () => {
    expect(endPath('in_progress', 'failed')).toEqual(['failed']);
    expect(endPath('paused', 'failed')).toEqual(['in_progress', 'failed']);
    expect(endPath('awaiting_gate', 'failed')).toEqual(['in_progress', 'failed']);
    expect(endPath('awaiting_gate', 'rejected')).toEqual(['rejected']);
  });

  test.prop([living, ends])('every end can be reached by legal edges only', (from, to) => {
    const path = endPath(from, to);
    expect(path.reduce<SessionStatus>((at, next) => transition(at, next), from)).toBe(to);
    expect(path.slice(0, -1).some(isTerminal)).toBe(false);
  });

  test.each(ENDS)('nothing leads on from %s', (end) => {
    expect(() => endPath(end, 'cancelled')).toThrowError(expect.objectContaining({ code: 'session_terminal' }));
  });

  test('an end path that does not end is refused', () => {
    expect(() => endPath('paused', 'in_progress')).toThrowError(expect.objectContaining({ code: ILLEGAL }));
  });

  test.prop([ends, fc.array(fc.constantFrom(...SESSION_STATUSES))])('an ended session stays ended', (end, walk) => {
    expect(walk.filter((to) => canTransition(end, to))).toEqual([]);
  });
});

describe('the status of an ending', () => {
  test('without a reason', () => {
    const statuses = Object.fromEntries(TERMINAL_CODES.map((code) => [code, statusFor(code)]));
    expect(statuses).toEqual({
      SUCCESS: 'completed',
      PARTIAL_SUCCESS: 'completed',
      IMPOSSIBLE: 'failed',
      MISSING_INFO: 'failed',
      AMBIGUOUS_INTENT: 'failed',
      CONFIRM_REQUIRED: 'failed',
      REVIEW_REQUIRED: 'failed',
      BUDGET_EXHAUSTED: 'failed',
      TIMEOUT: 'failed',
      VALIDATION_FAIL: 'failed',
      LOW_CONFIDENCE: 'failed',
      SOURCE_CONFLICT: 'failed',
      REPEATED_FAILURE: 'failed',
      PERMISSION_DENIED: 'failed',
      UNSAFE_DETECTION: 'failed',
      UNAVAILABLE_DEP: 'failed',
      USER_CANCEL: 'cancelled',
    });
  });

  test('a refused approval is a rejection, a denied permission is not', () => {
    expect(statusFor('PERMISSION_DENIED', 'approval_rejected')).toBe('rejected');
    expect(statusFor('PERMISSION_DENIED', 'tool_not_allowed')).toBe('failed');
    expect(statusFor('VALIDATION_FAIL', 'approval_rejected')).toBe('failed');
  });

  test('a wait that ran out expires the session, whatever it waited for', () => {
    expect(statusFor('CONFIRM_REQUIRED', 'gate_expired')).toBe('expired');
    expect(statusFor('TIMEOUT', 'session_expired')).toBe('expired');
    expect(statusFor('MISSING_INFO', 'wait_expired')).toBe('expired');
    expect(statusFor('TIMEOUT', 'workflow_timeout')).toBe('failed');
  });

  test.prop([fc.constantFrom(...TERMINAL_CODES), fc.string()])('is terminal', (code, reason) => {
    expect(isTerminal(statusFor(code, reason))).toBe(true);
  });
});
