import { Fault, type FaultCode } from '../../model/fault/fault.ts';
import type { SessionStatus } from '../../model/run/session-status.ts';
import type { Credential } from '../../ports/approvers.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import { runReader } from '../../session/load.ts';
import type { RunOutcome } from '../../session/outcome.ts';
import { EVERY, type SessionQuery, type SessionSummary } from './list-sessions.ts';

/** The result of resuming one session. */
export type ResumedSession =
  | { readonly runId: string; readonly ok: true; readonly outcome: RunOutcome }
  | { readonly runId: string; readonly ok: false; readonly code: FaultCode; readonly message: string };

/** One credential for all sessions, or one per session, because a signature covers a single session. */
export type CredentialFor = Credential | ((session: SessionSummary) => Credential | Promise<Credential>);

export interface ResumeDeps {
  readonly journal: Pick<Journal, 'load'>;
  readonly resume: (runId: string) => Promise<RunOutcome>;
  readonly sessions: {
    list(filter: SessionQuery): Promise<readonly SessionSummary[]>;
    resume(runId: string, credential: Credential): Promise<RunOutcome>;
  };
}

/** The statuses after an outage: sessions without a driver, and sessions paused by the watchdog. */
const RESUMABLE: readonly SessionStatus[] = ['in_progress', 'paused'];

const CONCURRENCY = 16;

/**
 * Resumes every matching session independently: a failure is reported and does not affect the others. Sessions that a
 * person paused stay paused.
 */
export async function resumeAll(
  deps: ResumeDeps,
  filter: SessionQuery,
  credential: CredentialFor,
): Promise<readonly ResumedSession[]> {
  const { statuses = RESUMABLE, ...rest } = filter;
  const found = await deps.sessions.list({
    order: 'oldest',
    limit: EVERY,
    ...rest,
    statuses: statuses.filter((one) => RESUMABLE.includes(one)),
  });
  const results = new Map<string, ResumedSession>();
  const waiting = [...found];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const result = await resumeOne(deps, next, credential);
      if (result !== null) results.set(next.runId, result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, found.length) }, work));
  return found.flatMap(({ runId }) => results.get(runId) ?? []);
}

/** Returns null for a session that stays paused. */
async function resumeOne(
  deps: ResumeDeps,
  session: SessionSummary,
  credentialFor: CredentialFor,
): Promise<ResumedSession | null> {
  const { runId, status } = session;
  try {
    if (status !== 'paused') return { runId, ok: true, outcome: await deps.resume(runId) };
    if (await isHeld(deps.journal, runId)) return null;
    const credential = typeof credentialFor === 'function' ? await credentialFor(session) : credentialFor;
    return { runId, ok: true, outcome: await deps.sessions.resume(runId, credential) };
  } catch (error) {
    const fault = Fault.is(error) ? error : new Fault('internal', String(error), { cause: error });
    return { runId, ok: false, code: fault.code, message: fault.message };
  }
}

/**
 * Returns whether a person paused the session for good. An interrupted session has a queued resume and does not count.
 */
async function isHeld(journal: Pick<Journal, 'load'>, runId: string): Promise<boolean> {
  const last = (await runReader(journal).events(runId)).findLast(
    ({ type }) => type === 'run_paused' || type === 'run_resumed' || type === 'run_escalated',
  );
  return last?.type === 'run_paused' && last.resumes === undefined;
}
