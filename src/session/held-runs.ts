import type { RunState } from '../kernel/state.ts';
import type { EventBody } from '../model/event.ts';
import type { Journal } from '../ports/journal.ts';
import { isFenced } from './catch-up.ts';
import type { LiveRun } from './drive.ts';
import { named } from './given.ts';
import type { Host } from './host.ts';
import type { Family } from './lanes/family.ts';
import type { Lease } from './lease.ts';
import { outcomeOf, type RunOutcome } from './outcome.ts';
import type { GivenTo } from './why.ts';
import { pausedFor } from './why-paused.ts';

export interface HeldRoom {
  readonly host: Host;
  readonly lease: Lease;
  readonly journal: Journal;
  readonly family: Family | undefined;
  readonly known: GivenTo;
}

/** The runs that this process drives, and the way to those it does not. */
export interface HeldRuns {
  readonly live: Map<string, LiveRun>;
  /** The run, where this process holds it and nobody else has taken it on. */
  held(runId: string): Promise<LiveRun | undefined>;
  look(runId: string): Promise<RunState>;
  /** The run, to be driven here; or to be told something, where another process drives it. */
  runOf(runId: string): Promise<LiveRun>;
  start(request: unknown): Promise<RunOutcome>;
  deliver(runId: string, input: EventBody): Promise<RunOutcome>;
  /** Brings an event to a run and nothing else; `take` a run over that this process does not hold yet, or leave it. */
  note(runId: string, input: EventBody, take: boolean): Promise<void>;
  /** Drives a run until it waits for people or has ended. */
  settle(run: LiveRun): Promise<RunOutcome>;
}

export function heldRuns({ host, lease, journal, family, known }: HeldRoom): HeldRuns {
  const live = new Map<string, LiveRun>();

  /** A run that only waits here may have gone on elsewhere: then it is not held any more. */
  const held = async (runId: string): Promise<LiveRun | undefined> => {
    const run = live.get(runId);
    if (run === undefined || run.driving || !lease.shared) return run;
    try {
      await run.lookAround();
      return run;
    } catch (error) {
      if (!isFenced(error)) throw error;
      live.delete(runId);
      return undefined;
    }
  };

  const runOf = async (runId: string): Promise<LiveRun> => (await held(runId)) ?? (await taken(runId));

  const taken = async (runId: string): Promise<LiveRun> => {
    if ((await lease.otherDriver(named(runId))) !== null) return await host.visit(runId);
    const run = await host.reload(runId);
    live.set(runId, run);
    return run;
  };

  /** What this process holds may be behind the journal now: the next one to ask loads it anew. */
  const forget =
    (runId: string) =>
    (error: unknown): never => {
      live.delete(runId);
      throw error;
    };

  const settle = async (run: LiveRun): Promise<RunOutcome> => {
    const state = await run.rest().catch(forget(run.state.id.runId));
    if (state.ending.terminal !== null) live.delete(state.id.runId);
    const above = state.seat === undefined ? null : await family?.tellParent(state, journal);
    return above ?? outcomeOf(state, known, await pausedFor(journal, state));
  };

  return {
    live,
    runOf,
    settle,
    held,
    look: async (runId) => (await held(runId))?.state ?? (await host.look(named(runId))),
    start: async (request) =>
      await lease.during(async () => {
        const run = await host.start(request);
        live.set(run.state.id.runId, run);
        return await settle(run);
      }),
    deliver: async (runId, input) =>
      await lease.during(async () => {
        const run = await runOf(runId);
        const refused = await run.deliver(input).catch(forget(runId));
        if (refused !== null) throw refused;
        if (!run.visiting) live.set(runId, run);
        return await settle(run);
      }),
    note: async (runId, input, take) => {
      const run = take ? await runOf(runId) : live.get(runId);
      await run?.deliver(input).catch(forget(runId));
    },
  };
}
