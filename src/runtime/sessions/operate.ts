import type { EventBody } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Blob } from '../../model/json/blob.ts';
import type { Driver } from '../../ports/journal/scheduler.ts';
import type { LiveRun } from '../../session/drive.ts';
import type { Host } from '../../session/host.ts';
import { drivenBy, hasLostWork, type Lease, needsDriver } from '../../session/lease.ts';
import type { RunOutcome } from '../../session/outcome.ts';
import { type HeldRuns, openToExpire } from '../held-runs.ts';
import { decideRun, type RunAnswer, type RunDecisionDeps } from './decide-run.ts';

export interface OperatorDeps
  extends Pick<HeldRuns, 'live' | 'held' | 'take' | 'retryFenced' | 'forget' | 'deliver' | 'settle'> {
  readonly host: Host;
  readonly lease: Lease;
}

/** The process that drives a run: this one, or another one with the end of its lease. */
export type RunDriver = { readonly here: true } | ({ readonly here: false } & Driver);

/** Operations on runs that this process does not hold. */
export interface OperatorActions extends Pick<RunDecisionDeps, 'end' | 'migration'> {
  resume(runId: string): Promise<RunOutcome>;
  driver(runId: string): Promise<RunDriver | null>;
  takeOver(runId: string, answer: RunAnswer, deps: RunDecisionDeps): Promise<RunOutcome>;
}

export function createOperatorActions({
  host,
  lease,
  live,
  held,
  take,
  retryFenced,
  forget,
  deliver,
  settle,
}: OperatorDeps): OperatorActions {
  const drivenElsewhere = async (runId: string): Promise<Driver | null> => {
    const other = await lease.otherDriver(runId);
    return other !== null && needsDriver(await host.loadState(runId)) ? other : null;
  };

  /** Throws if another process still drives the run. */
  const assertUndriven = async (runId: string): Promise<void> => {
    const other = await drivenElsewhere(runId);
    if (other !== null) throw drivenBy(runId, other);
  };

  const resume = createResume({ host, lease, held, take, retryFenced, forget, settle }, assertUndriven);

  /** Delivers a decision to a run that was only opened, and continues the run here. */
  const deliverDecision = async (
    run: LiveRun,
    input: EventBody,
    { blobs, isLost = true }: { readonly blobs?: readonly Blob[]; readonly isLost?: boolean } = {},
  ): Promise<RunOutcome> =>
    await lease.during(async () => {
      const refused = await run.deliver(input, blobs);
      if (refused !== null) throw refused;
      if (isLost) await host.continueRun(run);
      live.set(run.state.id.runId, run);
      return await settle(run);
    });

  const takeOver: OperatorActions['takeOver'] = async (runId, answer, deps) => {
    const other = await lease.otherDriver(runId);
    if (other === null) {
      return await resume(runId).catch((error: unknown) => {
        // Another process began to drive the run after this look.
        if (error instanceof Fault && error.code === 'session_driven') return takeOver(runId, answer, deps);
        throw error;
      });
    }
    const run = await host.open(runId);
    const taking: RunDecisionDeps = { ...deps, deliver: (_, input) => deliverDecision(run, input) };
    const { credential, reason } = answer;
    return await decideRun(taking, runId, 'run_taken_over', { from: other.writer, reason }, credential);
  };

  return {
    resume,
    driver: async (runId) => {
      if (live.get(runId)?.driving === true) return { here: true };
      const other = await drivenElsewhere(runId);
      return other === null ? null : { here: false, ...other };
    },
    end: async (runId, input) => {
      if ((await held(runId)) !== undefined) return await deliver(runId, input);
      await assertUndriven(runId);
      const run = await host.open(runId, 'any');
      return await deliverDecision(run, input, { isLost: hasLostWork(run.state) });
    },
    migration: async (runId, to) => {
      await assertUndriven(runId);
      const { run, planned, newContext, blobs } = await host.migration(runId, to);
      const isLost = hasLostWork(run.state);
      return { ...planned, newContext, deliver: (_, input) => deliverDecision(run, input, { blobs, isLost }) };
    },
    takeOver,
  };
}

/** Returns a function that takes a run over and drives it on. */
function createResume(
  {
    host,
    lease,
    held,
    take,
    retryFenced,
    forget,
    settle,
  }: Pick<OperatorDeps, 'host' | 'lease' | 'held' | 'take' | 'retryFenced' | 'forget' | 'settle'>,
  assertUndriven: (runId: string) => Promise<void>,
): OperatorActions['resume'] {
  return async (runId) => {
    if ((await held(runId)) === undefined) await assertUndriven(runId);
    return await lease.during(async () => {
      const { run, before } = await retryFenced(async () => {
        const run = await take(runId).catch((error: unknown) => openToExpire({ host, lease }, runId, error));
        const before = run.state;
        await run.wake().catch(forget(run));
        return { run, before };
      });
      return await settle(run, before);
    });
  };
}
