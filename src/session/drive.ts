import {
  type Derived,
  findOpenLanes,
  nextDeadline,
  nextWake,
  type RunState,
  stopEventFor,
  type Turn,
  takeTurn,
} from '../kernel/index.ts';
import type { EffectOf } from '../model/events/effect.ts';
import type { OutsideEffect } from '../model/events/effect-kinds.ts';
import type { EventBody } from '../model/events/event.ts';
import { unrecordable } from '../model/events/unrecordable.ts';
import type { Fault } from '../model/fault/fault.ts';
import type { Blob } from '../model/json/blob.ts';
import { reasonOf } from '../model/json/printable.ts';
import type { Timer } from '../ports/clock.ts';
import { createInFlight, type InFlight } from './in-flight.ts';
import type { Loaded } from './load.ts';
import type { EffectContext, OutsidePerformers, Sent } from './perform/performers.ts';
import { dependencyUnavailable, isOutage, isTooLarge, type RunWriter, runWriter, type TurnsEnv } from './run-writer.ts';

export interface DriveEnv extends TurnsEnv {
  readonly outside: OutsidePerformers;
  readonly timer: Timer;
  /**
   * How often a waiting run checks the journal for frames of other processes; omitted if no other process can write.
   */
  readonly pollEveryMs?: number;
}

/** A run in this process. Inputs are processed one at a time, and each is durable before the next step. */
export interface LiveRun {
  readonly state: RunState;
  /** Another process drives the run and takes in the inputs written here, until one dispatches an effect here. */
  readonly visiting: boolean;
  /** True while a caller waits for the run here. */
  readonly driving: boolean;
  /** Resolves when the input is durable, or with the fault that refused it; then nothing was stored. */
  deliver(input: EventBody, blobs?: readonly Blob[]): Promise<Fault | null>;
  /** Folds the frames of other writers. Throws `fenced` if another process drives the run. */
  syncFromJournal(): Promise<void>;
  /** Applies limits that passed while the run waited. */
  wake(): Promise<void>;
  /** Applies limits that passed while the run waited, if they end it. Otherwise stores nothing and returns false. */
  expire(): Promise<boolean>;
  /** Drives the run until it waits for people or has ended. */
  runUntilIdle(): Promise<RunState>;
}

/** The name of the one effect in flight that is not a lane. */
const CURRENT = 'at_hand';

/** The parts of a live run that its functions share. */
interface RunParts {
  readonly env: DriveEnv;
  readonly writer: RunWriter;
  /** The effects in flight: lanes by call id, and at most one other. */
  readonly inFlight: InFlight;
  /** Delivers an answer that is no longer awaited. Failures are ignored, because the run may have ended. */
  readonly onLateAnswer: EffectContext['onLateAnswer'];
}

export function liveRun(env: DriveEnv, from: Loaded, how: 'driving' | 'visiting' = 'driving'): LiveRun {
  const inFlight = createInFlight(env.timer);
  const writer: RunWriter = runWriter(env, from, how, {
    dispatch: (turn) => dispatchAll(parts, turn),
    cancel: () => cancelCurrent(inFlight),
  });
  const onLateAnswer = ({ event, blobs }: Derived): void => {
    void writer.deliver(event, blobs).catch(() => undefined);
  };
  const parts: RunParts = { env, writer, inFlight, onLateAnswer };
  let driving: Promise<RunState> | null = null;
  return {
    get state() {
      return writer.state;
    },
    get visiting() {
      return writer.visiting;
    },
    get driving() {
      return driving !== null;
    },
    deliver: writer.deliver,
    syncFromJournal: () => syncOrCancel(parts),
    wake: async () => {
      const due = nextWake(writer.state);
      if (due !== null && env.clock.nowMs() >= due) await writer.deliver(TIME_PASSED.event);
    },
    expire: async () => {
      const taken = takeTurn(env.turn, writer.state, TIME_PASSED.event, env.clock.nowMs());
      const ends = taken.ok && (taken.turn.state.ending.terminal !== null || taken.turn.state.ending.closeBy !== null);
      return ends && (await writer.deliver(TIME_PASSED.event)) === null;
    },
    runUntilIdle: () => {
      if (writer.visiting) return Promise.resolve(writer.state);
      driving ??= drive(parts).finally(() => {
        driving = null;
      });
      return driving;
    },
  };
}

async function drive(parts: RunParts): Promise<RunState> {
  const { env, writer, inFlight } = parts;
  // A run that must end is driven to its end, even if the answer that it had cancelled was refused.
  while ((inFlight.all.length > 0 || writer.state.ending.closeBy !== null) && writer.state.ending.terminal === null) {
    const deadline = nextDeadline(writer.state);
    const landed = await inFlight.next(nextCheck(deadline, env));
    if (landed === null && env.clock.nowMs() < (deadline ?? Number.POSITIVE_INFINITY)) {
      await syncOrCancel(parts);
      continue;
    }
    if (landed !== null) inFlight.forget(landed.name);
    const answer = landed?.answer ?? TIME_PASSED;
    const refused = await writer
      .deliver(answer.event, answer.blobs)
      .catch((error: unknown) => recordFailure(writer, error, answer));
    // A refused answer ends the run, because no other answer will come.
    if (refused !== null && landed !== null) await writer.deliver(stopEventFor(refused));
  }
  return writer.state;
}

/**
 * Records that an answer could not be recorded. After a store outage the run stops and the answer is delivered again:
 * an unrecorded answer has not happened. An answer that itself cannot be written is replaced by a failure, because a
 * resume would send its call again.
 */
async function recordFailure({ deliver }: RunWriter, error: unknown, { event, blobs }: Derived): Promise<Fault | null> {
  if (isOutage(error)) {
    await deliver(dependencyUnavailable(error));
    return await deliver(event, blobs);
  }
  if (!isTooLarge(error)) throw error;
  return event.type === 'step_observed' ? await deliver(unrecordable(event, reasonOf(error))) : error;
}

/** Folds the frames of other writers. Cancels every effect in flight if another process has taken over the run. */
async function syncOrCancel({ writer, inFlight }: RunParts): Promise<void> {
  try {
    await writer.syncFromJournal();
  } catch (error) {
    for (const { recall } of inFlight.all) recall.cancel();
    throw error;
  }
}

function dispatchAll({ env, writer, inFlight, onLateAnswer }: RunParts, { outbox, state }: Turn): void {
  const awaited = state.ending.inFlight !== null;
  for (const effect of outbox) {
    if (effect.kind === 'abort_flight') cancelCurrent(inFlight);
    else inFlight.send(nameOf(effect), awaited, (recall) => perform(env, state, effect, { recall, onLateAnswer }));
  }
  if (inFlight.all.length > 1) forgetLanes(inFlight, writer.state);
  // The run no longer waits for this effect, so its answer must not end the wait.
  if (!awaited && inFlight.get(CURRENT)?.awaited === true) inFlight.forget(CURRENT);
}

const cancelCurrent = (inFlight: InFlight): void => inFlight.get(CURRENT)?.recall.cancel();

/** Drops lanes that the run no longer waits for. */
function forgetLanes(inFlight: InFlight, state: RunState): void {
  const out = findOpenLanes(state).map(({ step }) => step.call?.callId);
  inFlight.keep((name) => name === CURRENT || out.includes(name));
}

function nextCheck(deadline: number | null, { clock, pollEveryMs: lookEveryMs }: DriveEnv): number | null {
  if (lookEveryMs === undefined) return deadline;
  return Math.min(deadline ?? Number.POSITIVE_INFINITY, clock.nowMs() + lookEveryMs);
}

const TIME_PASSED: Derived = Object.freeze({ event: Object.freeze({ type: 'time_passed' }), blobs: Object.freeze([]) });

/** Each lane has a name of its own; any other effect replaces the one before it. */
const nameOf = (effect: OutsideEffect): string =>
  effect.kind === 'spawn_lane' || effect.kind === 'end_lane' ? effect.call.call_id : CURRENT;

/** The cast is safe: the table maps each effect kind to its own performer, which the compiler cannot follow. */
function perform(
  env: DriveEnv,
  state: RunState,
  effect: Exclude<OutsideEffect, { kind: 'abort_flight' }>,
  context: EffectContext,
): Promise<Derived> {
  const performer = env.outside[effect.kind] as (
    state: RunState,
    effect: EffectOf<Sent>,
    context: EffectContext,
  ) => Promise<Derived>;
  return performer(state, effect, context);
}
