import { type RunState, type Turn, type TurnEnv, type TurnResult, takeTurn } from '../kernel/index.ts';
import type { EventBody } from '../model/events/event.ts';
import { Fault, type FaultCode } from '../model/fault/fault.ts';
import type { Blob } from '../model/json/blob.ts';
import { reasonOf } from '../model/json/printable.ts';
import type { Clock } from '../ports/clock.ts';
import type { Proofs } from '../ports/proofs.ts';
import { guestWriter, readGuestFrames } from './guest-writer.ts';
import { isFenced, type JournalPlace, type JournalWriter, writeTurn } from './journal-writer.ts';
import type { ReadAncestry } from './lanes/ancestry.ts';
import type { Loaded } from './load.ts';
import { intentsOf } from './projections.ts';
import type { Counted } from './run-metrics.ts';
import type { StandingView } from './standing-grants.ts';

/** The faults of a call that was stopped after the gateway had allowed it. No intent was stored. */
const STOPPING: readonly FaultCode[] = ['kill_switch_on', 'lane_parent_ended', 'approval_authority_exceeded'];

const isKilled = (error: unknown): error is Fault => Fault.is(error) && STOPPING.includes(error.code);

/** The same turn, with the call refused by the kill switch after the gateway had allowed it. */
function refuseStopped(turn: TurnEnv, { code, message }: Fault): TurnEnv {
  return {
    ...turn,
    local: (state, effect) => {
      if (effect.kind !== 'clear_step') return turn.local(state, effect);
      const { step_id } = effect;
      const event = { type: 'step_refused', step_id, layer: 'infrastructure', code, message, missing: [] } as const;
      return { event, blobs: [] };
    },
  };
}

/** The event that ends a run whose retry has been stopped meanwhile. */
function stopEvent({ code, message }: Fault): EventBody {
  return { type: 'stop_raised', stop: { code: 'PERMISSION_DENIED', reason: code, detail: { message } } };
}

/** Runs work one at a time, in the order of the calls. A failure does not block the rest. */
type Enqueue = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates such a queue. Work starts at once if the queue is idle. */
export function createQueue(): Enqueue {
  const waiting: (() => void)[] = [];
  let busy = false;
  return async (work) => {
    if (busy) await new Promise<void>((goOn) => waiting.push(goOn));
    busy = true;
    try {
      return await work();
    } finally {
      // The turn is handed to the next waiter directly, so that a new caller cannot overtake it.
      const next = waiting.shift();
      if (next === undefined) busy = false;
      else next();
    }
  };
}

/** The event that pauses a lane whose parent is paused. It goes on by itself once the parent does. */
function pauseEvent({ laneContext }: RunState, { message }: Fault): EventBody {
  const by = laneContext?.parent_run_id ?? '';
  return { type: 'run_paused', cause: 'operator', by, reason: message, resumes: true };
}

const TAKES_MAX = 3;

/** How often an intent of a lane is tried again because a run above it has recorded something meanwhile. */
const MOVES_MAX = 20;

/** Repeats a turn whose grant was used up or revoked meanwhile, without that grant. Throws other failures. */
export async function retakeIfStale<T>(
  failure: unknown,
  take: () => Promise<T>,
  refresh: () => Promise<void>,
): Promise<T> {
  let error = failure;
  for (let takes = 1; takes < TAKES_MAX && isStale(error); takes += 1) {
    await refresh();
    try {
      return await take();
    } catch (again) {
      error = again;
    }
  }
  throw error;
}

const isStale = (error: unknown): boolean => Fault.is(error) && error.code === 'grant_stale';

export interface TurnsEnv {
  readonly turn: TurnEnv;
  readonly writer: JournalWriter;
  readonly clock: Clock;
  readonly standing: StandingView;
  /** Checks the decisions that other processes recorded. Omitted if decisions are not signed. */
  readonly proofs?: Proofs;
  readonly ancestry: ReadAncestry;
  /** Called after every write to a session. */
  readonly wrote?: (session: string) => void;
  /** Called with every durable turn; omitted without metrics. */
  readonly counted?: Counted;
  /** Called with every state in which the run has given up on a tool. */
  readonly noteTripped?: (state: RunState) => void;
}

/** Callbacks for a durable turn, and for a cancellation by another writer. */
interface TurnCallbacks {
  readonly dispatch: (turn: Turn) => void;
  readonly cancel: () => void;
}

/** Processes the inputs of a run one at a time; each is durable before the next. */
export interface RunWriter {
  readonly state: RunState;
  readonly visiting: boolean;
  readonly deliver: (input: EventBody, blobs?: readonly Blob[]) => Promise<Fault | null>;
  /** Folds the frames of guest writers. Throws `fenced` if another process drives the run. */
  readonly syncFromJournal: () => Promise<void>;
}

/** Writes a turn. The intents of a lane are stored only while every run above it permits them. */
async function writePermitted(
  { ancestry: readAncestry }: TurnsEnv,
  to: JournalWriter,
  { place, before }: { readonly place: JournalPlace; readonly before: RunState },
  turn: Turn,
): Promise<JournalPlace> {
  const isLaneIntent = turn.state.laneContext !== undefined && intentsOf(before, turn).length > 0;
  if (!isLaneIntent) return await writeTurn(to, place, before, turn);
  for (let tries = 1; ; tries += 1) {
    const ancestry = await readAncestry(turn.state);
    if (ancestry.refused !== null) throw ancestry.refused;
    try {
      return await writeTurn(to, place, before, turn, ancestry);
    } catch (error) {
      if (!Fault.is(error) || error.code !== 'lane_parent_moved' || tries >= MOVES_MAX) throw error;
    }
  }
}

export function runWriter(
  env: TurnsEnv,
  from: Loaded,
  how: 'driving' | 'visiting',
  callbacks: TurnCallbacks,
): RunWriter {
  let { state, place } = from;
  let visiting = how === 'visiting';
  const { journal, writer } = env.writer;
  const guest = { ...env.writer, writer: guestWriter(writer) };
  /** A second input sees the state that the first one left. */
  const enqueue = createQueue();

  /** Returns false if another process has taken over the run, or if there are no new frames. */
  const foldGuestFrames = async (): Promise<boolean> => {
    const news = await readGuestFrames(env.turn.env, journal, { state, place }, env.proofs);
    if (news === null) return false;
    ({ state, place } = news);
    if (news.recalled) callbacks.cancel();
    return true;
  };

  const commit = async (input: EventBody, blobs: readonly Blob[], by: TurnEnv = env.turn): Promise<Fault | null> => {
    const result = takeSafely(by, state, input, env.clock.nowMs());
    if (!result.ok) return result.fault;
    const turn = blobs.length === 0 ? result.turn : { ...result.turn, blobs: [...blobs, ...result.turn.blobs] };
    const isGuest = visiting && !hasDispatch(turn);
    try {
      place = await writePermitted(env, isGuest ? guest : env.writer, { place, before: state }, turn);
    } catch (error) {
      // A guest writer has appended a frame meanwhile: the turn is repeated on the new state.
      if (isFenced(error) && (await foldGuestFrames())) return await commit(input, blobs, by);
      throw toCheckpointFault(toSizeFault(error), turn);
    }
    visiting = isGuest;
    const before = state;
    state = turn.state;
    env.wrote?.(state.id.runId);
    env.counted?.(before, turn);
    if (state.work.tripped !== undefined) env.noteTripped?.(state);
    callbacks.dispatch(turn);
    return null;
  };

  /** Repeats a turn after a kill switch was thrown meanwhile, and refuses the call that follows from its input. */
  const retry = async (failure: unknown, input: EventBody, blobs: readonly Blob[]): Promise<Fault | null> => {
    try {
      return await retakeIfStale(failure, () => commit(input, blobs), env.standing.refresh);
    } catch (error) {
      if (Fault.is(error) && error.code === 'lane_parent_paused') {
        // A lane at a gate stays there: the decision is refused, and can be made again when the parent goes on.
        return (await commit(pauseEvent(state, error), [])) === null ? await commit(input, blobs) : error;
      }
      if (!isKilled(error)) throw error;
      return await commit(input, blobs, refuseStopped(env.turn, error)).catch(async (again: unknown) => {
        if (!isKilled(again)) throw again;
        await commit(stopEvent(again), []);
        return await commit(input, blobs);
      });
    }
  };

  return {
    get state() {
      return state;
    },
    get visiting() {
      return visiting;
    },
    deliver: (input, blobs = NO_BLOBS) =>
      enqueue(() => commit(input, blobs).catch((error: unknown) => retry(error, input, blobs))),
    syncFromJournal: () =>
      enqueue(async () => {
        const [row] = await journal.list({ session: state.id.runId, limit: 1 });
        if (row === undefined || row.seq <= place.seq || (await foldGuestFrames())) return;
        throw new Fault('fenced', `another process now drives ${state.id.runId}; reload it before going on`);
      }),
  };
}

const NO_BLOBS: readonly Blob[] = Object.freeze([]);

/** Returns whether a turn dispatches an effect; its writer then drives the run. */
const hasDispatch = ({ outbox }: Turn): boolean => outbox.some(({ kind }) => kind !== 'abort_flight');

/**
 * Returns whether an error means that nothing was stored for certain. Only then may another frame be written instead.
 */
export function isOutage(error: unknown): error is Fault {
  return Fault.is(error) && (error.code === 'store_unavailable' || error.code === 'checkpoint_write_failed');
}

/** Returns whether a turn is too large for the store. Nothing was stored, and a retry would fail in the same way. */
export const isTooLarge = (error: unknown): error is Fault => Fault.is(error) && error.code === 'json_too_large';

/** Turns the error of a text that is longer than the longest possible string into a fault. */
const toSizeFault = (error: unknown): unknown =>
  error instanceof RangeError
    ? new Fault('json_too_large', `a turn cannot be recorded: ${reasonOf(error)}`, { cause: error })
    : error;

/** Takes a turn. A raw error becomes the fault that refuses the input, so that the run ends with it. */
function takeSafely(env: TurnEnv, state: RunState, input: EventBody, now: number): TurnResult {
  try {
    return takeTurn(env, state, input, now);
  } catch (error) {
    if (Fault.is(error)) throw error;
    const message = `${input.type} cannot be processed: ${reasonOf(error)}`;
    return { ok: false, fault: new Fault('internal', message, { cause: error }) };
  }
}

/** Reports an outage as `checkpoint_write_failed` if the turn had a verdict: it needs its checkpoint. */
export function toCheckpointFault<E>(error: E, { checkpoints }: Turn): E | Fault {
  if (!isOutage(error) || checkpoints.length === 0) return error;
  return new Fault('checkpoint_write_failed', `a verdict could not be recorded: ${error.message}`, { cause: error });
}

/** The event that ends a run whose next step could not be recorded. */
export function dependencyUnavailable(fault: Fault): EventBody {
  const detail = { dependency: 'journal', message: fault.message };
  return { type: 'stop_raised', stop: { code: 'UNAVAILABLE_DEP', reason: fault.code, detail } };
}
