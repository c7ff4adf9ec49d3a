/** The latest end of a run, and the validation of its heartbeat. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { NOW, request } from '../../test/intake/cases.ts';
import { Fault } from '../model/fault/fault.ts';
import { type RunRequest, type RuntimeRequest, STANDARD_RUN_MS } from '../model/run/run-request.ts';
import { HEARTBEAT_MS, sessionLimits } from './receive-goal.ts';

const HOUR_MS = 3_600_000;

const standard = (runtime: RuntimeRequest): RunRequest => ({ ...request, mode: 'standard', runtime });
const long = (runtime: RuntimeRequest): RunRequest => ({
  ...request,
  mode: 'long_running',
  runtime: { max_session_duration_ms: 4 * HOUR_MS, ...runtime },
});
const refusal = (run: () => unknown): readonly [string, string | undefined] => {
  try {
    run();
  } catch (error) {
    if (Fault.is(error)) return [error.code, error.path];
  }
  return ['accepted', undefined];
};
const HEARTBEAT = ['session_options_invalid', '/runtime/heartbeat_interval_ms'];

describe('a standard run', () => {
  test('may take a day, or the requested duration', () => {
    expect(STANDARD_RUN_MS).toBe(86_400_000);
    expect(sessionLimits(standard({}), NOW, 0)).toEqual({ expires_at: NOW + STANDARD_RUN_MS, heartbeat_ms: null });
    expect(sessionLimits(standard({ max_session_duration_ms: 5_000 }), NOW, 0).expires_at).toBe(NOW + 5_000);
  });

  test('refuses heartbeat and progress intervals', () => {
    expect(refusal(() => sessionLimits(standard({ heartbeat_interval_ms: 30_000 }), NOW, 0))).toEqual(HEARTBEAT);
    const progress = ['session_options_invalid', '/runtime/progress_interval_ms'];
    expect(refusal(() => sessionLimits(standard({ progress_interval_ms: 10_000 }), NOW, 0))).toEqual(progress);
  });
});

describe('a long-running session', () => {
  test('ends after its duration and has the requested heartbeat', () => {
    const limits = sessionLimits(long({ heartbeat_interval_ms: 45_000 }), NOW, 60_000);
    expect(limits).toEqual({
      expires_at: NOW + 4 * HOUR_MS,
      heartbeat_ms: 45_000,
      progress_ms: 45_000,
      ttl_ms: 4 * HOUR_MS,
    });
  });

  test('gets a default heartbeat that its slowest tool can keep', () => {
    expect(sessionLimits(long({}), NOW, 1_000).heartbeat_ms).toBe(HEARTBEAT_MS);
    expect(sessionLimits(long({}), NOW, 600_001).heartbeat_ms).toBe(300_001);
  });

  test('refuses a heartbeat if two intervals are not longer than the silence of a healthy run', () => {
    expect(refusal(() => sessionLimits(long({ heartbeat_interval_ms: 30_000 }), NOW, 60_000))).toEqual(HEARTBEAT);
    expect(refusal(() => sessionLimits(long({ heartbeat_interval_ms: 30_000 }), NOW, 59_999))).toEqual([
      'accepted',
      undefined,
    ]);
    // The fault proposes the smallest accepted interval.
    const short = { heartbeat_interval_ms: 30_000 };
    expect(() => sessionLimits(long(short), NOW, 70_001)).toThrow('ask for 35001 ms or more');
    expect(sessionLimits(long({ heartbeat_interval_ms: 35_001 }), NOW, 70_001).heartbeat_ms).toBe(35_001);
  });

  test('refuses a heartbeat if two intervals do not fit into the session', () => {
    const all = { max_session_duration_ms: HOUR_MS, heartbeat_interval_ms: HOUR_MS / 2 };
    expect(refusal(() => sessionLimits(long(all), NOW, 0))).toEqual(HEARTBEAT);
    expect(refusal(() => sessionLimits(long({ max_session_duration_ms: HOUR_MS }), NOW, HOUR_MS))).toEqual(HEARTBEAT);
  });

  test('refuses a duration beyond the safe integers', () => {
    const forever = { max_session_duration_ms: Number.MAX_SAFE_INTEGER };
    const refused = ['session_options_invalid', '/runtime/max_session_duration_ms'];
    expect(refusal(() => sessionLimits(long(forever), NOW, 0))).toEqual(refused);
  });

  test.prop([
    fc.integer({ min: HOUR_MS, max: 1_000 * HOUR_MS }),
    fc.option(fc.integer({ min: 1, max: 1_000 * HOUR_MS }), { nil: undefined }),
    fc.integer({ min: 0, max: 100 * HOUR_MS }),
  ])(
    'has a heartbeat that neither pauses a healthy run nor comes too late, or is refused',
    (duration, interval, gap) => {
      const asked = interval === undefined ? {} : { heartbeat_interval_ms: interval };
      const runtime = { max_session_duration_ms: duration, ...asked };
      try {
        const { heartbeat_ms } = sessionLimits(long(runtime), NOW, gap);
        expect(2 * (heartbeat_ms ?? 0)).toBeGreaterThan(gap);
        expect(2 * (heartbeat_ms ?? 0)).toBeLessThan(duration);
      } catch (error) {
        expect(error).toMatchObject({ name: 'Fault', code: 'session_options_invalid' });
      }
    },
  );
});
