import type { Effect } from '../../model/events/effect.ts';
import {
  type DerivedEffect,
  isFrameEffect,
  isLocal,
  isOutside,
  type LocalEffect,
  type OutsideEffect,
} from '../../model/events/effect-kinds.ts';
import type { EventBody, EventType, RunEvent } from '../../model/events/event.ts';
import { malformedField, malformedRequired } from '../../model/events/event-fields.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Stop } from '../../model/fault/terminal-code.ts';
import { type Blob, toBlob } from '../../model/json/blob.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import type { PhaseName } from '../../model/plan/phase.ts';
import { envAt, type KernelEnv } from '../env.ts';
import { nextDeadline } from '../handlers/time.ts';
import type { RunState } from '../state/run-state.ts';
import { type Answered, type Critic, type Derived, derive, stampAnswer } from './derive.ts';
import { step } from './step.ts';

/** The kernel's environment, the critic, and the function that answers local effects. */
export interface TurnEnv {
  readonly env: KernelEnv;
  readonly critic: Critic;
  readonly local: (state: RunState, effect: LocalEffect) => Derived;
}

/** The result of one input: all events up to the next outside effects. None of it is durable yet. */
export interface Turn {
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly blobs: readonly Blob[];
  readonly checkpoints: readonly SavedCheckpoint[];
  /** Effects to perform once the frame is durable, and not before. */
  readonly outbox: readonly OutsideEffect[];
}

export interface SavedCheckpoint {
  readonly checkpointId: string;
  readonly address: Blob['address'];
}

export type TurnResult = { readonly ok: true; readonly turn: Turn } | { readonly ok: false; readonly fault: Fault };

/** The maximum number of events in one turn. */
const EVENTS_PER_TURN_MAX = 10_000;

/** Inputs that do not trigger an expired deadline first, because they only pass time or are only recorded. */
const CHANGES_NOTHING: ReadonlySet<EventBody['type']> = new Set<EventBody['type']>([
  'time_passed',
  'run_forked',
  'decision_refused',
]);

/**
 * Processes one input as far as possible without the outside world. It does not modify `before` and stores nothing, so
 * a turn whose frame cannot be written has not happened. Replay takes the same turns with recorded local answers.
 */
export function takeTurn(turnEnv: TurnEnv, before: RunState, input: EventBody, now: number): TurnResult {
  const work: Work = { state: before, events: [], blobs: [], checkpoints: [], outbox: [], queue: [] };
  const at = Math.max(now, before.now);
  const deadline = nextDeadline(before);
  const isLate = deadline !== null && at >= deadline && !CHANGES_NOTHING.has(input.type);
  // An expired deadline is handled first, so a late input finds an ended run.
  if (isLate) processEvent(turnEnv, work, { type: 'time_passed' }, at);
  const fault = processEvent(turnEnv, work, input, at);
  return fault === undefined ? { ok: true, turn: work } : refuseTurn(work, fault);
}

/** Processes an event and everything that follows from it. Returns a fault if the event itself was refused. */
function processEvent(turnEnv: TurnEnv, work: Work, first: EventBody, at: number): Fault | undefined {
  const input = { ...first, at } as RunEvent;
  for (let next: RunEvent | undefined = input; next !== undefined; next = takeNext(work.queue)) {
    const fault = takeEvent(turnEnv, work, next, next === input);
    if (fault === undefined) continue;
    if (next === input) return fault;
    // Effects that are still queued when the run has ended are dropped; they must not end it again.
    if (work.state.ending.terminal !== null) work.queue.length = 0;
    else work.queue.unshift({ ...stopEventFor(fault), at } as RunEvent);
  }
  return undefined;
}

/** `pop` is cheaper than `shift`, and the queue usually has one entry. */
const takeNext = (queue: RunEvent[]): RunEvent | undefined => (queue.length > 1 ? queue.shift() : queue.pop());

interface Work {
  state: RunState;
  readonly events: RunEvent[];
  readonly blobs: Blob[];
  readonly checkpoints: SavedCheckpoint[];
  readonly outbox: OutsideEffect[];
  readonly queue: RunEvent[];
}

/** Keeps the events of an expired deadline, even if the late input is refused. */
function refuseTurn(work: Work, fault: Fault): TurnResult {
  return work.events.length === 0 ? { ok: false, fault } : { ok: true, turn: work };
}

function takeEvent(turnEnv: TurnEnv, work: Work, event: RunEvent, isInput: boolean): Fault | undefined {
  if (work.events.length >= EVENTS_PER_TURN_MAX) throw new Fault('loop_detected', 'a turn that does not end');
  const malformed = malformedHandoff(event);
  if (malformed !== null) return malformed;
  // Reads by index here and in `step`: destructuring an array creates an iterator, and this runs for every event.
  const result = step(turnEnv.env, work.state, event);
  const fault = result[2];
  if (fault !== undefined) return fault;
  // A stored event that does not fit its schema would make the session unreadable.
  const field = isInput ? malformedField(event) : null;
  if (field !== null) {
    return new Fault('event_invalid', `${field} of ${event.type} does not fit its schema`, {
      path: pointerToken(field),
    });
  }
  work.state = result[0];
  work.events.push(event);
  const effects = result[1];
  for (let place = 0; place < effects.length; place += 1) handleEffect(turnEnv, work, effects[place] as Effect);
  return undefined;
}

function handleEffect(turnEnv: TurnEnv, work: Work, effect: Effect): void {
  if (isOutside(effect)) {
    work.outbox.push(effect);
    return;
  }
  if (isFrameEffect(effect)) {
    const blob = toBlob(canonicalize(effect.payload), turnEnv.env.hash);
    work.blobs.push(blob);
    work.checkpoints.push({ checkpointId: effect.checkpoint_id, address: blob.address });
    return;
  }
  const { event, blobs } = answer(turnEnv, work.state, effect);
  work.queue.push(event);
  if (blobs.length > 0) work.blobs.push(...blobs);
}

/** Answers a derived or local effect. If that throws, the run ends: a failed check must not count as passed. */
function answer(turnEnv: TurnEnv, state: RunState, effect: DerivedEffect | LocalEffect): Answered {
  try {
    if (isLocal(effect)) return stampAnswer(state, turnEnv.local(state, effect));
    return derive(envAt(turnEnv.env, state), turnEnv.critic, state, effect);
  } catch (error) {
    const event = stopEventFor(Fault.is(error) ? error : new Fault('internal', String(error)));
    return stampAnswer(state, { event, blobs: [] });
  }
}

/** The event that ends a run after a fault that no other rule covers. */
export const stopEventFor = (fault: Fault): EventBody => ({ type: 'stop_raised', stop: stopFor(fault) });

/** The end of a run after a fault of its step. A person reviews the refusal of a guard of the host. */
export function stopFor({ code: reason, message }: Fault): Stop {
  const code = reason === 'guard_refused' ? 'REVIEW_REQUIRED' : 'VALIDATION_FAIL';
  return { code, reason, detail: { message } };
}

/** The phase that each of these events ends. `plan_verified` ends two: the next one, `budget_assign`, needs nothing more. */
const ENDED_PHASES: { readonly [T in EventType]?: PhaseName } = {
  goal_received: 'goal_intake',
  scope_resolved: 'scope_resolution',
  policy_checked: 'policy_check',
  run_initialized: 'state_init',
  plan_verified: 'plan_selection',
  step_refused: 'tool_eligibility',
  step_cleared: 'action_selection',
  step_observed: 'tool_invocation',
  step_verified: 'observation_grounding',
  step_committed: 'state_update',
  step_judged: 'validation_check',
  reflection_made: 'reflection_trigger',
  run_judged: 'termination_check',
  run_escalated: 'escalation_check',
  response_compiled: 'final_response',
  memory_proposed: 'memory_write',
  run_terminated: 'trace_logging',
};
const PHASE_ENDED_BY: ReadonlyMap<string, PhaseName> = new Map(Object.entries(ENDED_PHASES));

/**
 * Checks the event that ends a phase before the next phase starts from it. The fault names the phase and the field; null
 * for an event that is well formed or ends no phase. The check is a cheap one: input was parsed when it came in.
 */
export function malformedHandoff(event: RunEvent): Fault | null {
  const phase = PHASE_ENDED_BY.get(event.type);
  if (phase === undefined) return null;
  const name = malformedRequired(event);
  if (name === null) return null;
  const value = (event as unknown as Readonly<Record<string, unknown>>)[name];
  const problem = value === undefined ? 'is missing' : 'is not what the next phase can start from';
  // An escalation without a recipient has a fault code of its own.
  const code = event.type === 'run_escalated' ? 'escalation_invalid' : 'event_invalid';
  return new Fault(code, `${phase} hands over a malformed ${event.type}: ${name} ${problem}`, { path: `/${name}` });
}
