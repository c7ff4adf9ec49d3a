import { Fault } from '../model/fault.ts';
import type { RunRequest, RuntimeRequest } from '../model/run-request.ts';

export const HOUR_MS = 3_600_000;

/** How long a run that asked for nothing else may take, waiting for people included. */
export const STANDARD_RUN_MS: number = 24 * HOUR_MS;

/** The heartbeat of a long-running session that asked for none, where its tools are fast enough for it. */
export const HEARTBEAT_MS = 30_000;

export interface SessionLimits {
  readonly expires_at: number;
  readonly heartbeat_ms: number | null;
  /** How often a session says how far it has come; as often as it is heard of, unless it was asked for otherwise. */
  readonly progress_ms?: number;
  /** Of a session: its hard end is this long after it began, to the millisecond. */
  readonly ttl_ms?: number;
}

/** When the run ends at the latest, and how often it must be heard of until then. */
export function sessionLimits(request: RunRequest, now: number, verdictGapMs: number): SessionLimits {
  const runtime = request.runtime ?? {};
  const durationMs = runtime.max_session_duration_ms ?? STANDARD_RUN_MS;
  if (!Number.isSafeInteger(now + durationMs)) {
    throw refuse('max_session_duration_ms', `a session cannot last ${durationMs} ms`);
  }
  const expires_at = now + durationMs;
  if (request.mode === 'standard') return { expires_at, heartbeat_ms: noHeartbeat(runtime) };
  const heartbeat_ms = heartbeat(runtime, durationMs, verdictGapMs);
  const progress_ms = runtime.progress_interval_ms ?? heartbeat_ms;
  return { expires_at, heartbeat_ms, progress_ms, ttl_ms: durationMs };
}

/** Nobody watches a standard run, so a request that counts on being watched is told so. */
function noHeartbeat(runtime: RuntimeRequest): null {
  for (const option of ['heartbeat_interval_ms', 'progress_interval_ms'] as const) {
    if (runtime[option] !== undefined) throw refuse(option, 'only a long-running session has one');
  }
  return null;
}

/**
 * The watchdog pauses a session it has not heard of for two intervals. That must be longer than a healthy run can be
 * silent, or it would pause healthy runs; and shorter than the session, or it would never look.
 */
function heartbeat(runtime: RuntimeRequest, durationMs: number, verdictGapMs: number): number {
  const asked = runtime.heartbeat_interval_ms;
  const leastMs = Math.floor(verdictGapMs / 2) + 1;
  const intervalMs = asked ?? Math.max(HEARTBEAT_MS, leastMs);
  if (intervalMs < leastMs) {
    const why = `a healthy run may be silent for ${verdictGapMs} ms, and two intervals of ${intervalMs} ms are not longer`;
    const fix = `ask for ${leastMs} ms or more, leave it out, or give the slowest tool less time or fewer retries`;
    throw refuse('heartbeat_interval_ms', `${why}: ${fix}`);
  }
  if (2 * intervalMs >= durationMs) {
    const why = `two intervals of ${intervalMs} ms do not fit into a session of ${durationMs} ms`;
    throw refuse('heartbeat_interval_ms', why);
  }
  return intervalMs;
}

function refuse(option: keyof RuntimeRequest, why: string): Fault {
  return new Fault('session_options_invalid', `${option}: ${why}`, { path: `/runtime/${option}` });
}
