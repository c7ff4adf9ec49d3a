import type { RunState } from '../kernel/index.ts';
import type { EventBody } from '../model/events/event.ts';
import { Fault } from '../model/fault/fault.ts';
import { reasonOf } from '../model/json/printable.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { LiveRun } from '../session/drive.ts';
import type { AgentCapabilities } from '../session/explain-outcome.ts';
import type { GoalReceived, Host } from '../session/host.ts';
import { isFenced } from '../session/journal-writer.ts';
import type { Family } from '../session/lanes/family.ts';
import { drivenBy, hasLostWork, type Lease, needsDriver } from '../session/lease.ts';
import { loadOutcome } from '../session/load-outcome.ts';
import type { RunOutcome } from '../session/outcome.ts';
import { isUnproven } from '../session/proofs/assert-proven.ts';
import { requireId } from '../session/read-input.ts';
import { VERSION_FAULTS } from '../session/used-versions.ts';
import { asBusy, readThreadAnswer, type TakenBy, type ThreadMessageDeps } from './sessions/thread-messages.ts';

export interface HeldRunsDeps {
  readonly host: Host;
  readonly lease: Lease;
  readonly journal: Journal;
  readonly family: Family | undefined;
  readonly known: AgentCapabilities;
  readonly nowMs: () => number;
}

/** A run that is starting. Both promises reject with the fault of a run that could not start. */
interface StartedRun {
  /** Resolves when the message is durable, with the run that has taken it. */
  readonly begun: Promise<TakenBy>;
  readonly settled: Promise<RunOutcome>;
}

/** The runs that this process drives, and access to the others. */
export interface HeldRuns {
  readonly live: Map<string, LiveRun>;
  /** The run if this process holds it and no other process has taken it over. */
  held(runId: string): Promise<LiveRun | undefined>;
  /** Returns a handler that drops a run after an error, because its state may be behind the journal. */
  forget(run: LiveRun): (error: unknown) => never;
  look(runId: string): Promise<RunState>;
  /** The run, taken over to be driven here; if another process drives it, opened only to deliver events. */
  runOf(runId: string): Promise<LiveRun>;
  /** The run, taken over to be driven here. Throws `session_driven` if another process drives it. */
  take(runId: string): Promise<LiveRun>;
  /**
   * Repeats work that another writer fenced, on the run as it is now. The work ends with its first write, so nothing of
   * fenced work was stored.
   */
  retryFenced<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Starts a run, or answers the open question of its thread, and drives it until it waits for people or has ended. A signal that has aborted before the goal is
   * durable cancels the run before its first call.
   */
  start(goal: GoalReceived, signal?: AbortSignal): StartedRun;
  deliver(runId: string, input: EventBody): Promise<RunOutcome>;
  /**
   * Delivers an event to a run without driving it. `take` says whether to load a run that this process does not hold.
   */
  note(runId: string, input: EventBody, take: boolean): Promise<void>;
  /**
   * Drives a run until it waits for people or has ended. `before` is its state before the last input: if that input
   * ended a pause, the lanes of the run go on too.
   */
  settle(run: LiveRun, before?: RunState): Promise<RunOutcome>;
}

const isPaused = ({ session }: RunState): boolean => session.status === 'paused';

/** The command with which the requester of a run cancels it. */
export const cancellation = ({ identity }: Pick<GoalReceived, 'identity'>, reason: string): EventBody => ({
  type: 'run_cancelled',
  by: identity.actor,
  reason,
});

/** Whether an input ends its run. Ending a run is not continuing it, so it needs no version to match. */
function endsRun(input: EventBody): boolean {
  if (input.type === 'run_cancelled') return true;
  if (input.type === 'gate_decided') return input.decision === 'reject';
  return input.type === 'escalation_decided' && input.decision === 'terminate';
}

const isOtherVersion = (error: unknown): boolean => Fault.is(error) && VERSION_FAULTS.includes(error.code);

/**
 * Opens a run that this process may not continue, in order to end it. Rethrows the fault if the input does not end the
 * run, or if the fault has another cause.
 */
async function openToEnd(
  { host, lease }: Pick<HeldRunsDeps, 'host' | 'lease'>,
  runId: string,
  input: EventBody,
  error: unknown,
): Promise<LiveRun> {
  if (!endsRun(input) || !(isUnproven(error) || isOtherVersion(error))) throw error;
  const isDriven = (await lease.otherDriver(runId)) !== null;
  return await (isDriven ? host.visit(runId, 'any') : host.open(runId, 'any'));
}

/**
 * Opens a run that this process may not continue, if its time is over, and ends it. Rethrows the fault if the run has
 * time left, if another process drives it, or if the fault has another cause.
 */
export async function openToExpire(
  { host, lease }: Pick<HeldRunsDeps, 'host' | 'lease'>,
  runId: string,
  error: unknown,
): Promise<LiveRun> {
  if (!(isUnproven(error) || isOtherVersion(error)) || (await lease.otherDriver(runId)) !== null) throw error;
  const run = await host.open(runId, 'any');
  if (!(await run.expire())) throw error;
  return run;
}

interface MessageDeps extends Pick<HeldRunsDeps, 'host' | 'lease'>, Pick<HeldRuns, 'live' | 'settle'> {
  readonly threads: ThreadMessageDeps;
  /** Calls `delivered` when the event is durable. */
  readonly deliver: (runId: string, input: EventBody, delivered: () => void) => Promise<RunOutcome>;
}

/** Begins a run with a message, or delivers the message as the answer to the open question of its thread. */
function startMessage(
  { host, lease, live, threads, deliver, settle }: MessageDeps,
  goal: GoalReceived,
  signal: AbortSignal | undefined,
): StartedRun {
  const begun = Promise.withResolvers<TakenBy>();
  const settled = lease.during(async () => {
    const answer = await readThreadAnswer(threads, goal, host.agent.name);
    if (answer !== null) {
      const { runId, event } = answer;
      return await deliver(runId, event, () => begun.resolve(answer)).catch(asBusy(runId, event));
    }
    const run = await host.begin(goal);
    live.set(goal.run_id, run);
    if (signal?.aborted === true) await run.deliver(cancellation(goal, reasonOf(signal.reason)));
    begun.resolve({ runId: goal.run_id });
    return await settle(run);
  });
  // A caller may wait for one of the two promises and not for the other.
  begun.promise.catch(() => undefined);
  settled.catch(begun.reject);
  return { begun: begun.promise, settled };
}

/** How often work is repeated that other writers fenced. Each time, one of them has made progress. */
const TRIES_MAX = 20;

type RunTaker = Pick<HeldRuns, 'held' | 'take' | 'runOf' | 'retryFenced' | 'forget'>;

/** Takes over runs, each with one copy in this process. */
function runTaker({ host, lease, live }: Pick<HeldRunsDeps, 'host' | 'lease'> & Pick<HeldRuns, 'live'>): RunTaker {
  /** A newer copy of the same run stays. */
  const drop = (run: LiveRun): void => {
    const { runId } = run.state.id;
    if (live.get(runId) === run) live.delete(runId);
  };

  /** A run that waits here may have continued in another process; then this process drops it. */
  const held = async (runId: string): Promise<LiveRun | undefined> => {
    const run = live.get(runId);
    if (run === undefined || run.driving || !lease.shared) return run;
    try {
      await run.syncFromJournal();
      return run;
    } catch (error) {
      if (!isFenced(error) && !isUnproven(error)) throw error;
      drop(run);
      return undefined;
    }
  };

  const loading = new Map<string, Promise<LiveRun>>();

  const loadToDrive = async (runId: string): Promise<LiveRun> => {
    const run = await host.open(runId);
    // Checked after the load: a driver that begins later fences this copy, and an earlier one is seen here.
    const other = needsDriver(run.state) ? await lease.otherDriver(runId) : null;
    if (other !== null) throw drivenBy(runId, other);
    await host.continueRun(run);
    live.set(runId, run);
    return run;
  };

  /** Concurrent callers share one copy of a run, because two copies would fence each other. */
  const take: HeldRuns['take'] = async (runId) => {
    const here = (await held(runId)) ?? live.get(runId);
    if (here !== undefined) return here;
    const load =
      loading.get(runId) ??
      loadToDrive(runId).finally(() => {
        loading.delete(runId);
      });
    loading.set(runId, load);
    return await load;
  };

  const runOf = async (runId: string): Promise<LiveRun> => {
    const run = await held(runId);
    if (run !== undefined) return run;
    if ((await lease.otherDriver(requireId(runId))) !== null) return await host.visit(runId);
    return await take(runId).catch((error: unknown) => {
      if (Fault.is(error) && error.code === 'session_driven') return host.visit(runId);
      throw error;
    });
  };

  const retryFenced: HeldRuns['retryFenced'] = async (work) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (!isFenced(error) || tries >= TRIES_MAX) throw error;
      }
    }
  };

  /** Drops a run whose state may be behind the journal; the next call loads it again. */
  const forget: HeldRuns['forget'] = (run) => (error) => {
    drop(run);
    throw error;
  };

  return { held, take, runOf, retryFenced, forget };
}

export function heldRuns({ host, lease, journal, family, known, nowMs }: HeldRunsDeps): HeldRuns {
  const live = new Map<string, LiveRun>();

  const { held, take, runOf, retryFenced, forget } = runTaker({ host, lease, live });

  const settle = async (run: LiveRun, before: RunState = run.state): Promise<RunOutcome> => {
    if (isPaused(before) && !isPaused(run.state)) await family?.wakeLanes(run.state, journal);
    const state = await run.runUntilIdle().catch(forget(run));
    if (state.ending.terminal !== null) live.delete(state.id.runId);
    const parentOutcome = state.laneContext === undefined ? null : await family?.tellParent(state, journal);
    return parentOutcome ?? (await loadOutcome(journal, state, known));
  };

  const look: HeldRuns['look'] = async (runId) =>
    (await held(runId))?.state ?? (await host.loadState(requireId(runId)));

  const deliver = async (runId: string, input: EventBody, delivered: () => void = () => undefined) => {
    const { run, isLost, before } = await retryFenced(async () => {
      const run = await runOf(runId).catch((error: unknown) => openToEnd({ host, lease }, runId, input, error));
      // A run that was opened only to end is not kept, so that the next call checks its versions again.
      const isKept = run.visiting || live.get(runId) === run;
      const isLost = !isKept && hasLostWork(run.state);
      const before = run.state;
      const sealed = await host.seal(before, input);
      const refused = await run.deliver(sealed).catch(forget(run));
      if (refused !== null) throw refused;
      return { run, isLost, before };
    });
    delivered();
    if (isLost) await host.continueRun(run);
    return await settle(run, before);
  };

  const wake = async (runId: string): Promise<unknown> => {
    const { run, before } = await retryFenced(async () => {
      const run = await runOf(runId).catch((error: unknown) => openToExpire({ host, lease }, runId, error));
      const before = run.state;
      await run.wake().catch(forget(run));
      return { run, before };
    });
    return await settle(run, before);
  };
  const threads = { journal, nowMs, look, wake };

  return {
    live,
    runOf,
    take,
    retryFenced,
    forget,
    settle,
    held,
    look,
    start: (goal, signal) => startMessage({ host, lease, live, threads, deliver, settle }, goal, signal),
    deliver: async (runId, input) => await lease.during(() => deliver(runId, input)),
    note: async (runId, input, isTaken) => {
      await retryFenced(async () => {
        const run = isTaken ? await runOf(runId) : live.get(runId);
        if (run === undefined) return;
        await run.deliver(await host.seal(run.state, input)).catch(forget(run));
      });
    },
  };
}
