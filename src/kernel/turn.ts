import { type Blob, toBlob } from '../model/blob.ts';
import { canonicalize } from '../model/canonical.ts';
import type { Effect } from '../model/effect.ts';
import type { EventBody, RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { type Answered, answeredNow, type Critic, type Derived, derive } from './derive.ts';
import { isLocal, isOutside, type LocalEffect, type OutsideEffect } from './effect-kinds.ts';
import type { KernelEnv } from './env.ts';
import { nextDeadline } from './on-time.ts';
import { malformedHandoff } from './phase-border.ts';
import type { RunState } from './state.ts';
import { step } from './step.ts';

/** What a run is pinned to, and who answers on the spot what does not follow from the journal. */
export interface TurnEnv {
  readonly env: KernelEnv;
  readonly critic: Critic;
  readonly local: (state: RunState, effect: LocalEffect) => Derived;
}

/** What one input led to, before any of it is durable: every event up to the next thing the world has to answer. */
export interface Turn {
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly blobs: readonly Blob[];
  readonly checkpoints: readonly SavedCheckpoint[];
  /** To be performed once the frame is durable, and not before. */
  readonly outbox: readonly OutsideEffect[];
}

export interface SavedCheckpoint {
  readonly checkpointId: string;
  readonly address: Blob['address'];
}

export type TurnResult = { readonly ok: true; readonly turn: Turn } | { readonly ok: false; readonly fault: Fault };

/** A run takes at most this many events on its own account before the world is asked again. */
const EVENTS_PER_TURN_MAX = 10_000;

/** What may be taken in before time that has run out is seen to: time itself, and what is only put on record. */
const CHANGES_NOTHING: ReadonlySet<EventBody['type']> = new Set<EventBody['type']>([
  'time_passed',
  'run_forked',
  'decision_refused',
]);

/**
 * Takes one input as far as it goes without the world. The given state is untouched and nothing is stored, so a turn
 * whose frame cannot be written has simply not happened. Replay takes the same turns with recorded local answers.
 */
export function takeTurn(turnEnv: TurnEnv, before: RunState, input: EventBody, now: number): TurnResult {
  const work: Work = { state: before, events: [], blobs: [], checkpoints: [], outbox: [], queue: [] };
  const at = Math.max(now, before.now);
  const deadline = nextDeadline(before);
  const late = deadline !== null && at >= deadline && !CHANGES_NOTHING.has(input.type);
  // Time that has run out is seen to the end first: what comes too late finds a run that is over.
  if (late) drain(turnEnv, work, { type: 'time_passed' }, at);
  const fault = drain(turnEnv, work, input, at);
  return fault === undefined ? { ok: true, turn: work } : refuse(work, fault);
}

/** Takes an event and everything that follows from it; the fault, if the event itself was refused. */
function drain(turnEnv: TurnEnv, work: Work, first: EventBody, at: number): Fault | undefined {
  const input = { ...first, at } as RunEvent;
  for (let next: RunEvent | undefined = input; next !== undefined; next = taken(work.queue)) {
    const fault = takeEvent(turnEnv, work, next);
    if (fault === undefined) continue;
    if (next === input) return fault;
    // What was still asked for when the run ended finds nobody; it is no reason to end once more.
    if (work.state.ending.terminal !== null) work.queue.length = 0;
    else work.queue.unshift({ ...endedBy(fault), at } as RunEvent);
  }
  return undefined;
}

/** One thing follows from another as a rule, and one is taken from the end for less. */
const taken = (queue: RunEvent[]): RunEvent | undefined => (queue.length > 1 ? queue.shift() : queue.pop());

interface Work {
  state: RunState;
  readonly events: RunEvent[];
  readonly blobs: Blob[];
  readonly checkpoints: SavedCheckpoint[];
  readonly outbox: OutsideEffect[];
  readonly queue: RunEvent[];
}

/** Time that has run out is a fact of its own and stands, even where the input that came too late is refused. */
function refuse(work: Work, fault: Fault): TurnResult {
  return work.events.length === 0 ? { ok: false, fault } : { ok: true, turn: work };
}

function takeEvent(turnEnv: TurnEnv, work: Work, event: RunEvent): Fault | undefined {
  if (work.events.length >= EVENTS_PER_TURN_MAX) throw new Fault('loop_detected', 'a turn that does not end');
  const malformed = malformedHandoff(event);
  if (malformed !== null) return malformed;
  // By place, here and in `step`: to take a list apart makes an iterator, and this is done for every event of every step.
  const taken = step(turnEnv.env, work.state, event);
  const fault = taken[2];
  if (fault !== undefined) return fault;
  work.state = taken[0];
  work.events.push(event);
  const effects = taken[1];
  for (let place = 0; place < effects.length; place += 1) answerOrKeep(turnEnv, work, effects[place] as Effect);
  return undefined;
}

function answerOrKeep(turnEnv: TurnEnv, work: Work, effect: Effect): void {
  if (isOutside(effect)) {
    work.outbox.push(effect);
    return;
  }
  if (effect.kind === 'save_checkpoint') {
    const blob = toBlob(canonicalize(effect.payload), turnEnv.env.hash);
    work.blobs.push(blob);
    work.checkpoints.push({ checkpointId: effect.checkpoint_id, address: blob.address });
    return;
  }
  const { event, blobs } = answer(turnEnv, work.state, effect);
  work.queue.push(event);
  if (blobs.length > 0) work.blobs.push(...blobs);
}

/** A judge, a check or a room that throws must not let the run go on as if it had said yes. */
function answer(turnEnv: TurnEnv, state: RunState, effect: Effect): Answered {
  try {
    const derived = derive(turnEnv.env, turnEnv.critic, state, effect);
    if (derived !== null) return derived;
    if (isLocal(effect)) return answeredNow(state, turnEnv.local(state, effect));
    throw new Fault('internal', `nobody answers ${effect.kind}`);
  } catch (error) {
    const event = endedBy(Fault.is(error) ? error : new Fault('internal', String(error)));
    return answeredNow(state, { event, blobs: [] });
  }
}

/** How a run ends that cannot go on for a reason no rule of its own covers. */
export function endedBy(fault: Fault): EventBody {
  const detail = { message: fault.message };
  return { type: 'stop_raised', stop: { code: 'VALIDATION_FAIL', reason: fault.code, detail } };
}
