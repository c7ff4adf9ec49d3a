import type { RunState } from '../../kernel/index.ts';
import type { EventBody } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Blob } from '../../model/json/blob.ts';
import type { Driver } from '../../ports/journal/scheduler.ts';
import type { LiveRun } from '../../session/drive.ts';
import type { Host } from '../../session/host.ts';
import { drivenBy, hasLostWork, type Lease, needsDriver } from '../../session/lease.ts';
import type { RunOutcome } from '../../session/outcome.ts';
import { decideRun, type RunAnswer, type RunDecisionDeps } from './decide-run.ts';

export interface OperatorDeps {
  readonly host: Host;
  readonly lease: Lease;
  /** The runs that this process holds. */
  readonly live: Map<string, LiveRun>;
  readonly held: (runId: string) => Promise<LiveRun | undefined>;
  readonly deliver: (runId: string, input: EventBody) => Promise<RunOutcome>;
  readonly settle: (run: LiveRun, before?: RunState) => Promise<RunOutcome>;
}

/** The process that drives a run: this one, or another one with the end of its lease. */
export type RunDriver = { readonly here: true } | ({ readonly here: false } & Driver);

/** Operations on runs that this process does not hold. */
export interface OperatorActions extends Pick<RunDecisionDeps, 'end' | 'migration'> {
  resume(runId: string): Promise<RunOutcome>;
  driver(runId: string): Promise<RunDriver | null>;
  takeOver(runId: string, answer: RunAnswer, deps: RunDecisionDeps): Promise<RunOutcome>;
}

export function createOperatorActions({ host, lease, live, held, deliver, settle }: OperatorDeps): OperatorActions {
  const drivenElsewhere = async (runId: string): Promise<Driver | null> => {
    const other = await lease.otherDriver(runId);
    return other !== null && needsDriver(await host.loadState(runId)) ? other : null;
  };

  /** Throws if another process still drives the run. */
  const assertUndriven = async (runId: string): Promise<void> => {
    const other = await drivenElsewhere(runId);
    if (other !== null) throw drivenBy(runId, other);
  };

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

  const resume = async (runId: string): Promise<RunOutcome> => {
    const known = await held(runId);
    if (known === undefined) await assertUndriven(runId);
    return await lease.during(async () => {
      const run = live.get(runId) ?? (await host.reload(runId));
      live.set(runId, run);
      const before = run.state;
      await run.wake();
      return await settle(run, before);
    });
  };

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
