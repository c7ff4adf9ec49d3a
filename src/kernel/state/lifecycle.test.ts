/** Proves the lifecycle of a session: all 64 pairs of statuses, and the status that each ending of a run leads to. */
import { readFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import { Fault } from '../../model/fault/fault.ts';
import { TERMINAL_CODES } from '../../model/fault/terminal-code.ts';
import { SESSION_STATUSES, type SessionStatus } from '../../model/run/session-status.ts';
import { canTransition, endPath, isTerminal, statusFor, transition } from './lifecycle.ts';

const ENDS: readonly SessionStatus[] = ['completed', 'failed', 'expired', 'rejected', 'cancelled'];
const ends = fc.constantFrom(...ENDS);
const living = fc.constantFrom<SessionStatus>('in_progress', 'awaiting_gate', 'paused');

/** The new status, or the fault code of the refused transition. */
function answer(from: SessionStatus, to: SessionStatus): string {
  try {
    return transition(from, to);
  } catch (error) {
    return Fault.is(error) ? error.code : 'not a fault';
  }
}

const rowOf = (from: SessionStatus): string[] => SESSION_STATUSES.map((to) => answer(from, to));
const ILLEGAL = 'illegal_transition';

describe('transition matrix, columns in the order of SESSION_STATUSES', () => {
  test('has one column per status', () => {
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

  test.each(ENDS)('%s has no exits', (end) => {
    expect(rowOf(end)).toEqual(SESSION_STATUSES.map(() => 'session_terminal'));
  });

  test('the guide lists every transition', () => {
    const guide = readFileSync(new URL('../../../docs/concepts/how-runs-end.md', import.meta.url), 'utf8');
    const listed = Array.from(
      guide.matchAll(/^\| `([a-z_]+)` \| (`[a-z_]+`(?:, `[a-z_]+`)*) \|$/gm),
      ([, from, to]) => [from, to?.replaceAll('`', '').split(', ')],
    );
    const living = SESSION_STATUSES.filter((status) => !isTerminal(status));
    expect(listed).toEqual(living.map((from) => [from, SESSION_STATUSES.filter((to) => canTransition(from, to))]));
  });

  test('five statuses are terminal', () => {
    expect(SESSION_STATUSES.filter(isTerminal)).toEqual(ENDS);
  });
});

describe('endPath', () => {
  test('cancelling passes through paused from every open status', () => {
    expect(endPath('in_progress', 'cancelled')).toEqual(['paused', 'cancelled']);
    expect(endPath('paused', 'cancelled')).toEqual(['cancelled']);
    expect(endPath('awaiting_gate', 'cancelled')).toEqual(['in_progress', 'paused', 'cancelled']);
  });

  test('failing while waiting for people passes through in_progress', () => {
    expect(endPath('in_progress', 'failed')).toEqual(['failed']);
    expect(endPath('paused', 'failed')).toEqual(['in_progress', 'failed']);
    expect(endPath('awaiting_gate', 'failed')).toEqual(['in_progress', 'failed']);
    expect(endPath('awaiting_gate', 'rejected')).toEqual(['rejected']);
  });

  test.prop([living, ends])('reaches every end by legal transitions', (from, to) => {
    const path = endPath(from, to);
    expect(path.reduce<SessionStatus>((at, next) => transition(at, next), from)).toBe(to);
    expect(path.slice(0, -1).some(isTerminal)).toBe(false);
  });

  test.each(ENDS)('finds no path from %s', (end) => {
    expect(() => endPath(end, 'cancelled')).toThrowError(expect.objectContaining({ code: 'session_terminal' }));
  });

  test('refuses a target that is not terminal', () => {
    expect(() => endPath('paused', 'in_progress')).toThrowError(expect.objectContaining({ code: ILLEGAL }));
  });

  test.prop([ends, fc.array(fc.constantFrom(...SESSION_STATUSES))])(
    'a terminal session has no transitions',
    (end, walk) => {
      expect(walk.filter((to) => canTransition(end, to))).toEqual([]);
    },
  );
});

describe('statusFor', () => {
  test('maps every terminal code without a reason', () => {
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

  test('a refused approval ends as rejected, a denied permission as failed', () => {
    expect(statusFor('PERMISSION_DENIED', 'approval_rejected')).toBe('rejected');
    expect(statusFor('PERMISSION_DENIED', 'tool_not_allowed')).toBe('failed');
    expect(statusFor('VALIDATION_FAIL', 'approval_rejected')).toBe('failed');
  });

  test('an expired wait ends as expired, for gates, sessions and questions', () => {
    expect(statusFor('CONFIRM_REQUIRED', 'gate_expired')).toBe('expired');
    expect(statusFor('TIMEOUT', 'session_expired')).toBe('expired');
    expect(statusFor('MISSING_INFO', 'wait_expired')).toBe('expired');
    expect(statusFor('TIMEOUT', 'workflow_timeout')).toBe('failed');
  });

  test.prop([fc.constantFrom(...TERMINAL_CODES), fc.string()])('always returns a terminal status', (code, reason) => {
    expect(isTerminal(statusFor(code, reason))).toBe(true);
  });
});
