import type { Derived } from '../kernel/derive.ts';
import type { OutsideEffect } from '../kernel/effect-kinds.ts';
import { lanesOut } from '../kernel/lanes/open-lane.ts';
import { nextDeadline, nextWake } from '../kernel/on-time.ts';
import type { RunState } from '../kernel/state.ts';
import { endedBy, type Turn } from '../kernel/turn.ts';
import type { Blob } from '../model/blob.ts';
import type { EffectOf } from '../model/effect.ts';
import type { EventBody } from '../model/event.ts';
import type { Fault } from '../model/fault.ts';
import type { Timer } from '../ports/timer.ts';
import { flightsBy } from './flights.ts';
import type { Loaded } from './load.ts';
import { isOutage, unavailable } from './outage.ts';
import type { OutsidePerformers, Sent, Way } from './performers.ts';
import { type TurnsEnv, turnTaker } from './turn-taker.ts';

export interface DriveEnv extends TurnsEnv {
  readonly outside: OutsidePerformers;
  readonly timer: Timer;
  /** How often it is looked whether others have said something to a run that waits; left out where no others can. */
  readonly lookEveryMs?: number;
}

/** A run in this process. Inputs are taken one after the other, each durable before the next thing happens. */
export interface LiveRun {
  readonly state: RunState;
  /** Another process drives it. What is said here is taken in there, unless it is said here what is done next. */
  readonly visiting: boolean;
  /** Whether somebody waits here for what comes of it. */
  readonly driving: boolean;
  /** Resolves when the input is durable, or with the fault that refused it; then nothing was stored. */
  deliver(input: EventBody, blobs?: readonly Blob[]): Promise<Fault | null>;
  /** Takes in what others have said; `fenced` where another process drives the run by now. */
  lookAround(): Promise<void>;
  /** Looks at the clock: a limit that has passed while the run waited takes effect. */
  wake(): Promise<void>;
  /** Drives the run until it waits for people or has ended. */
  rest(): Promise<RunState>;
}

/** What a run waits for besides its lanes, of which there is one at a time. */
const AT_HAND = 'at_hand';

export function liveRun(env: DriveEnv, from: Loaded, how: 'driving' | 'visiting' = 'driving'): LiveRun {
  /** Lanes by the call that opened them, and whatever else is on its way. */
  const flights = flightsBy(env.timer);
  let driving: Promise<RunState> | null = null;
  const turns = turnTaker(env, from, how, {
    depart: (turn) => depart(turn),
    recall: () => recallAtHand(),
  });
  const { deliver } = turns;

  /** What cannot be recorded has not happened. The run goes no further, and ends, if at least that can be written. */
  const recordAfter = async (outage: unknown, { event, blobs }: Derived): Promise<Fault | null> => {
    if (!isOutage(outage)) throw outage;
    await deliver(unavailable(outage));
    return await deliver(event, blobs);
  };

  /** Nobody waits for it any more, so a run that has ended, or cannot be written to, is no reason to fail. */
  const hearLate = ({ event, blobs }: Derived): void => {
    void deliver(event, blobs).catch(() => undefined);
  };

  const recallAtHand = (): void => flights.get(AT_HAND)?.recall.raise();

  const depart = ({ outbox, state }: Turn): void => {
    const awaited = state.ending.inFlight !== null;
    for (const effect of outbox) {
      if (effect.kind === 'abort_flight') recallAtHand();
      else flights.send(nameOf(effect), awaited, (recall) => perform(env, state, effect, { recall, hearLate }));
    }
    if (flights.all.length > 1) forgetLanes();
    // What the run has given up on may say what it likes: nobody waits for it, and it ends nothing.
    if (!awaited && flights.get(AT_HAND)?.awaited === true) flights.forget(AT_HAND);
  };

  /** A lane that the run has stopped waiting for may say what it likes. */
  const forgetLanes = (): void => {
    const out = lanesOut(turns.state).map(({ step }) => step.call?.callId);
    flights.keep((name) => name === AT_HAND || out.includes(name));
  };

  const drive = async (): Promise<RunState> => {
    // A run that must end is seen to its end, even where the answer it had called back was one it could not take.
    while ((flights.all.length > 0 || turns.state.ending.closeBy !== null) && turns.state.ending.terminal === null) {
      const deadline = nextDeadline(turns.state);
      const landed = await flights.next(sooner(deadline, env));
      if (landed === null && env.clock.nowMs() < (deadline ?? Number.POSITIVE_INFINITY)) {
        await lookAround();
        continue;
      }
      if (landed !== null) flights.forget(landed.name);
      const said = landed?.answer ?? TIME_PASSED;
      const refused = await deliver(said.event, said.blobs).catch((error: unknown) => recordAfter(error, said));
      // An answer the kernel refuses ends the run rather than leaving it waiting for one that will never come.
      if (refused !== null && landed !== null) await deliver(endedBy(refused));
    }
    return turns.state;
  };

  /** Whoever finds that another process drives the run by now lets go of it, and of what it had sent. */
  const lookAround = async (): Promise<void> => {
    try {
      await turns.lookAround();
    } catch (error) {
      for (const { recall } of flights.all) recall.raise();
      throw error;
    }
  };

  return {
    get state() {
      return turns.state;
    },
    get visiting() {
      return turns.visiting;
    },
    get driving() {
      return driving !== null;
    },
    deliver,
    lookAround,
    wake: async () => {
      const due = nextWake(turns.state);
      if (due !== null && env.clock.nowMs() >= due) await deliver({ type: 'time_passed' });
    },
    rest: () => {
      if (turns.visiting) return Promise.resolve(turns.state);
      driving ??= drive().finally(() => {
        driving = null;
      });
      return driving;
    },
  };
}

function sooner(deadline: number | null, { clock, lookEveryMs }: DriveEnv): number | null {
  if (lookEveryMs === undefined) return deadline;
  return Math.min(deadline ?? Number.POSITIVE_INFINITY, clock.nowMs() + lookEveryMs);
}

const TIME_PASSED: Derived = Object.freeze({ event: Object.freeze({ type: 'time_passed' }), blobs: Object.freeze([]) });

/** Each lane has a flight of its own; everything else takes the place of what was sent before it. */
const nameOf = (effect: OutsideEffect): string =>
  effect.kind === 'spawn_lane' || effect.kind === 'end_lane' ? effect.call.call_id : AT_HAND;

/** The table knows which performer answers which effect; the types of one entry do not fit another's. */
function perform(
  env: DriveEnv,
  state: RunState,
  effect: Exclude<OutsideEffect, { kind: 'abort_flight' }>,
  way: Way,
): Promise<Derived> {
  const performer = env.outside[effect.kind] as (state: RunState, effect: EffectOf<Sent>, way: Way) => Promise<Derived>;
  return performer(state, effect, way);
}
