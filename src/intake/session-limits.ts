import { Fault } from '../model/fault/fault.ts';
import type { RunRequest, RuntimeRequest } from '../model/run/run-request.ts';
import type { ToolSpec } from '../model/tool/tool.ts';

export const HOUR_MS = 3_600_000;

/** The default duration of a run, including waits for people. */
export const STANDARD_RUN_MS: number = 24 * HOUR_MS;

/** The default heartbeat of a long-running session, if its tools are fast enough. */
export const HEARTBEAT_MS = 30_000;

interface SessionLimits {
  readonly expires_at: number;
  readonly heartbeat_ms: number | null;
  /** The interval of progress reports. Default: the heartbeat. */
  readonly progress_ms?: number;
  /** The duration of a long-running session, after which it ends. */
  readonly ttl_ms?: number;
}

/** Computes the latest end of a run and its heartbeat. */
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

/** Refuses heartbeat and progress options for a standard run, which has no watchdog. */
function noHeartbeat(runtime: RuntimeRequest): null {
  for (const option of ['heartbeat_interval_ms', 'progress_interval_ms'] as const) {
    if (runtime[option] !== undefined) throw refuse(option, 'only a long-running session has one');
  }
  return null;
}

/**
 * Validates the heartbeat. The watchdog pauses a session after two silent intervals, so two intervals have to be longer
 * than the longest silence of a healthy run, and shorter than the session.
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

/** The time limits that determine how long a run can be silent. */
export interface Pace {
  /** How long after its intent a call may still be dispatched. */
  readonly dispatchWindowMs: number;
  /** The pause before the first retry; it doubles with each further one. */
  readonly retryBaseMs: number;
  readonly plannerTimeoutMs: number;
}

/** The retry policy stops doubling here. */
const DOUBLINGS_MAX = 16;

/** The longest silence of a healthy run: planning, then all attempts of the slowest tool with their pauses. */
export function longestVerdictGapMs(tools: readonly ToolSpec[], pace: Pace): number {
  const slowest = tools.reduce((longest, tool) => Math.max(longest, longestCallMs(tool, pace)), 0);
  return pace.plannerTimeoutMs + slowest;
}

function longestCallMs(tool: ToolSpec, { dispatchWindowMs, retryBaseMs }: Pace): number {
  let total = dispatchWindowMs + tool.timeout_ms;
  for (let retry = 0; retry < tool.retries_max; retry += 1) {
    total += retryBaseMs * 2 ** Math.min(retry, DOUBLINGS_MAX) + dispatchWindowMs + tool.timeout_ms;
  }
  return total;
}
