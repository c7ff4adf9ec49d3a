import { Fault, type FaultCode } from '../model/fault.ts';
import type { SessionStatus } from '../model/session-status.ts';
import type { Credential } from '../ports/approvers.ts';
import type { Journal } from '../ports/journal.ts';
import type { RunOutcome } from './outcome.ts';
import { runReader } from './read-run.ts';
import { EVERY, type SessionQuery, type SessionSummary } from './session-list.ts';

/** What became of one session of many. */
export type ResumedSession =
  | { readonly runId: string; readonly ok: true; readonly outcome: RunOutcome }
  | { readonly runId: string; readonly ok: false; readonly code: FaultCode; readonly message: string };

/** The same credential for all of them, or one for each: a signature is about one session. */
export type CredentialFor = Credential | ((session: SessionSummary) => Credential | Promise<Credential>);

export interface ResumeRoom {
  readonly journal: Pick<Journal, 'load'>;
  readonly sessions: (filter: SessionQuery) => Promise<readonly SessionSummary[]>;
  readonly resume: (runId: string) => Promise<RunOutcome>;
  readonly resumeSession: (runId: string, credential: Credential) => Promise<RunOutcome>;
}

/** What an outage leaves: sessions that nobody drives, and those that the watchdog has paused. */
const LEFT: readonly SessionStatus[] = ['in_progress', 'paused'];

const AT_ONCE = 16;

/**
 * Lets every session go on that the filter leaves, each on its own: one that cannot says why and keeps none of the rest.
 * What somebody has paused was no outage, and stays as they left it.
 */
export async function resumeAll(
  room: ResumeRoom,
  filter: SessionQuery,
  credential: CredentialFor,
): Promise<readonly ResumedSession[]> {
  const { statuses = LEFT, ...rest } = filter;
  const found = await room.sessions({
    order: 'oldest',
    limit: EVERY,
    ...rest,
    statuses: statuses.filter((one) => LEFT.includes(one)),
  });
  const results = new Map<string, ResumedSession>();
  const waiting = [...found];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const result = await resumed(room, next, credential);
      if (result !== null) results.set(next.runId, result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, found.length) }, work));
  return found.flatMap(({ runId }) => results.get(runId) ?? []);
}

/** Null for one that is left alone. */
async function resumed(
  room: ResumeRoom,
  session: SessionSummary,
  given: CredentialFor,
): Promise<ResumedSession | null> {
  const { runId, status } = session;
  try {
    if (status !== 'paused') return { runId, ok: true, outcome: await room.resume(runId) };
    if (await isHeld(room.journal, runId)) return null;
    const credential = typeof given === 'function' ? await given(session) : given;
    return { runId, ok: true, outcome: await room.resumeSession(runId, credential) };
  } catch (error) {
    const fault = Fault.is(error) ? error : new Fault('internal', String(error), { cause: error });
    return { runId, ok: false, code: fault.code, message: fault.message };
  }
}

/** Whether a paused session was paused by somebody, and not only for a moment: an interrupted one goes on by itself. */
async function isHeld(journal: Pick<Journal, 'load'>, runId: string): Promise<boolean> {
  const last = (await runReader(journal).events(runId)).findLast(
    ({ type }) => type === 'run_paused' || type === 'run_resumed' || type === 'run_escalated',
  );
  return last?.type === 'run_paused' && last.resumes === undefined;
}
