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
import { hasLostWork, type Lease } from '../session/lease.ts';
import { loadOutcome } from '../session/load-outcome.ts';
import type { RunOutcome } from '../session/outcome.ts';
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
  look(runId: string): Promise<RunState>;
  /** The run, loaded here to be driven; if another process drives it, opened only to deliver events. */
  runOf(runId: string): Promise<LiveRun>;
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
  if (!endsRun(input) || !Fault.is(error) || !VERSION_FAULTS.includes(error.code)) throw error;
  const isDriven = (await lease.otherDriver(runId)) !== null;
  return await (isDriven ? host.visit(runId, 'any') : host.open(runId, 'any'));
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

export function heldRuns({ host, lease, journal, family, known, nowMs }: HeldRunsDeps): HeldRuns {
  const live = new Map<string, LiveRun>();

  /** A run that waits here may have continued in another process; then this process drops it. */
  const held = async (runId: string): Promise<LiveRun | undefined> => {
    const run = live.get(runId);
    if (run === undefined || run.driving || !lease.shared) return run;
    try {
      await run.syncFromJournal();
      return run;
    } catch (error) {
      if (!isFenced(error)) throw error;
      live.delete(runId);
      return undefined;
    }
  };

  const runOf = async (runId: string): Promise<LiveRun> => (await held(runId)) ?? (await loadRun(runId));

  const loadRun = async (runId: string): Promise<LiveRun> => {
    if ((await lease.otherDriver(requireId(runId))) !== null) return await host.visit(runId);
    const run = await host.reload(runId);
    live.set(runId, run);
    return run;
  };

  /** Drops a run whose state may be behind the journal; the next call loads it again. */
  const forget =
    (runId: string) =>
    (error: unknown): never => {
      live.delete(runId);
      throw error;
    };

  const settle = async (run: LiveRun, before: RunState = run.state): Promise<RunOutcome> => {
    if (isPaused(before) && !isPaused(run.state)) await family?.wakeLanes(run.state, journal);
    const state = await run.runUntilIdle().catch(forget(run.state.id.runId));
    if (state.ending.terminal !== null) live.delete(state.id.runId);
    const parentOutcome = state.laneContext === undefined ? null : await family?.tellParent(state, journal);
    return parentOutcome ?? (await loadOutcome(journal, state, known));
  };

  const look: HeldRuns['look'] = async (runId) =>
    (await held(runId))?.state ?? (await host.loadState(requireId(runId)));

  const deliver = async (runId: string, input: EventBody, delivered: () => void = () => undefined) => {
    const run = await runOf(runId).catch((error: unknown) => openToEnd({ host, lease }, runId, input, error));
    // A run that was opened only to end is not kept, so that the next call checks its versions again.
    const isKept = run.visiting || live.get(runId) === run;
    const isLost = !isKept && hasLostWork(run.state);
    const before = run.state;
    const refused = await run.deliver(input).catch(forget(runId));
    if (refused !== null) throw refused;
    delivered();
    if (isLost) await host.continueRun(run);
    return await settle(run, before);
  };

  const wake = async (runId: string): Promise<unknown> => {
    const run = await runOf(runId);
    const before = run.state;
    await run.wake();
    return await settle(run, before);
  };
  const threads = { journal, nowMs, look, wake, seal: host.seal };

  return {
    live,
    runOf,
    settle,
    held,
    look,
    start: (goal, signal) => startMessage({ host, lease, live, threads, deliver, settle }, goal, signal),
    deliver: async (runId, input) => await lease.during(() => deliver(runId, input)),
    note: async (runId, input, take) => {
      const run = take ? await runOf(runId) : live.get(runId);
      await run?.deliver(input).catch(forget(runId));
    },
  };
}
