import type { Blob } from '../model/blob.ts';
import type { EventBody } from '../model/event.ts';
import type { Driver } from '../ports/drivers.ts';
import { decide, type RunAnswer, type RunDecisionRoom } from './decide-run.ts';
import type { LiveRun } from './drive.ts';
import type { Host } from './host.ts';
import { drivenBy, type Lease, wantsDriver } from './lease.ts';
import type { RunOutcome } from './outcome.ts';

export interface OperatorRoom {
  readonly host: Host;
  readonly lease: Lease;
  /** The runs that this process holds. */
  readonly live: Map<string, LiveRun>;
  readonly held: (runId: string) => Promise<LiveRun | undefined>;
  readonly deliver: (runId: string, input: EventBody) => Promise<RunOutcome>;
  readonly settle: (run: LiveRun) => Promise<RunOutcome>;
}

/** Whoever drives a run: this process, or another one and until when that is certain. */
export type RunDriver = { readonly here: true } | ({ readonly here: false } & Driver);

/** Ways to get at a run that this process does not hold, beside what drives or keeps it elsewhere. */
export interface OperatorWays extends Pick<RunDecisionRoom, 'end' | 'migration'> {
  resume(runId: string): Promise<RunOutcome>;
  driver(runId: string): Promise<RunDriver | null>;
  takeOver(runId: string, answer: RunAnswer, room: RunDecisionRoom): Promise<RunOutcome>;
}

export function operatorWays({ host, lease, live, held, deliver, settle }: OperatorRoom): OperatorWays {
  const drivenElsewhere = async (runId: string): Promise<Driver | null> => {
    const other = await lease.otherDriver(runId);
    return other !== null && wantsDriver(await host.look(runId)) ? other : null;
  };

  /** Another process that has not let go is not passed over. */
  const assertUndriven = async (runId: string): Promise<void> => {
    const other = await drivenElsewhere(runId);
    if (other !== null) throw drivenBy(runId, other);
  };

  /** Brings a decision to a run that was only opened, and goes on with it here. */
  const decided = async (run: LiveRun, input: EventBody, blobs?: readonly Blob[]): Promise<RunOutcome> =>
    await lease.during(async () => {
      const refused = await run.deliver(input, blobs);
      if (refused !== null) throw refused;
      await host.goOn(run);
      live.set(run.state.id.runId, run);
      return await settle(run);
    });

  const resume = async (runId: string): Promise<RunOutcome> => {
    const known = await held(runId);
    if (known === undefined) await assertUndriven(runId);
    return await lease.during(async () => {
      const run = live.get(runId) ?? (await host.reload(runId));
      live.set(runId, run);
      await run.wake();
      return await settle(run);
    });
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
      return await decided(await host.open(runId, 'any'), input);
    },
    migration: async (runId, { to }) => {
      await assertUndriven(runId);
      const { run, from, told, blobs } = await host.migration(runId, to);
      return { from, told, deliver: (_, input) => decided(run, input, blobs) };
    },
    takeOver: async (runId, { credential, reason }, room) => {
      const other = await lease.otherDriver(runId);
      if (other === null) return await resume(runId);
      const run = await host.open(runId);
      const taking: RunDecisionRoom = { ...room, deliver: (_, input) => decided(run, input) };
      return await decide(taking, runId, 'run_taken_over', { from: other.writer, reason }, credential);
    },
  };
}
