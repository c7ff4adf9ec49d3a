import { derive } from '../../src/kernel/derive.ts';
import { initialState } from '../../src/kernel/initial-state.ts';
import type { RunState } from '../../src/kernel/state.ts';
import { step } from '../../src/kernel/step.ts';
import type { Effect, EffectOf } from '../../src/model/effect.ts';
import type { EventBody, RunEvent } from '../../src/model/event.ts';
import type { Json } from '../../src/model/json.ts';
import type { Plan } from '../../src/model/plan.ts';
import { ENV } from './env.ts';
import { admit, GOAL } from './front-door.ts';
import { REAL_ROOMS, type Rooms } from './rooms.ts';

/** A run between two events: what it knows and the one thing it asks for. */
export interface Asking {
  readonly state: RunState;
  readonly effect: Effect;
}

const FREE = { input_tokens: 0, output_tokens: 0, microusd: 0 };

/** Takes a run through the front door and its plan through verification, up to the first step that asks to be cleared. */
export function startRun(plan: Plan): Asking {
  let { state, effect } = take(initialState(ENV), stamp(GOAL, 1));
  while (effect.kind !== 'clear_step') {
    const body = effect.kind === 'propose_plan' ? proposed(plan) : (admit(effect) ?? answer(REAL_ROOMS, state, effect));
    ({ state, effect } = take(state, stamp(body, state.now + 1)));
  }
  return { state, effect };
}

/** Answers everything the run asks until its plan is done, and hands each event to `see`. */
export function driveRun(start: Asking, rooms: Rooms, see: (event: RunEvent) => void): RunState {
  let { state, effect } = start;
  while (effect.kind !== 'judge_run') {
    const event = stamp(answer(rooms, state, effect), state.now + 1);
    ({ state, effect } = take(state, event));
    see(event);
  }
  return state;
}

function take(before: RunState, event: RunEvent): Asking {
  const [state, effects, fault] = step(ENV, before, event);
  if (fault !== undefined) throw fault;
  // A checkpoint comes first and asks for nothing; what has to be answered is the last.
  const effect = effects.at(-1);
  if (effect === undefined) throw new Error(`after ${event.type} the run asks for nothing`);
  return { state, effect };
}

function answer(rooms: Rooms, state: RunState, effect: Effect): EventBody {
  if (effect.kind === 'call_tool') return observed(effect);
  if (effect.kind === 'clear_step') return rooms.clear(state, effect);
  const derived = derive(ENV, rooms.critic, state, effect);
  if (derived === null) throw new Error(`nobody in the benchmark answers ${effect.kind}`);
  return derived.event;
}

function proposed(plan: Plan): EventBody {
  const proposal = plan as unknown as Json;
  return { type: 'plan_proposed', proposal, author: 'model', spent: FREE, context_tokens: 0 };
}

/** A tool that does nothing and answers at once. */
function observed({ call }: EffectOf<'call_tool'>): EventBody {
  const raw = { entry_id: call.call_id, account: 'acc', balance_cents: call.attempt };
  const spent = { input_tokens: 12, output_tokens: 7, microusd: 3 };
  return { type: 'step_observed', call_id: call.call_id, outcome: 'ok', raw, spent };
}

/** In place, because the body is nobody else's: copying it would be timed as if the kernel did it. */
function stamp(body: EventBody, at: number): RunEvent {
  const event: { at?: number } = body as EventBody & { at?: number };
  event.at = at;
  return event as RunEvent;
}
