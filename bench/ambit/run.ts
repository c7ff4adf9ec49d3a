import { derive } from '../../src/kernel/machine/derive.ts';
import type { DerivedEffect } from '../../src/model/events/effect-kinds.ts';
import { initialState } from '../../src/kernel/transition/initial-state.ts';
import type { RunState } from '../../src/kernel/state/run-state.ts';
import { step } from '../../src/kernel/machine/step.ts';
import type { Effect, EffectOf } from '../../src/model/events/effect.ts';
import type { EventBody, RunEvent } from '../../src/model/events/event.ts';
import type { Json } from '../../src/model/json/json.ts';
import type { Plan } from '../../src/model/plan/plan.ts';
import { ENV } from './env.ts';
import { admit, GOAL } from './intake.ts';
import { REAL_EFFECTS, type LocalEffects } from './local-effects.ts';

/** A run between two events: its state and the effect it waits for. */
export interface Asking {
  readonly state: RunState;
  readonly effect: Effect;
}

const FREE = { input_tokens: 0, output_tokens: 0, microusd: 0 };

/** Takes a run through intake and plan verification, up to the clearance of its first step. */
export function startRun(plan: Plan): Asking {
  let { state, effect } = take(initialState(ENV), stamp(GOAL, 1));
  while (effect.kind !== 'clear_step') {
    const body = effect.kind === 'propose_plan' ? proposed(plan) : (admit(effect) ?? answer(REAL_EFFECTS, state, effect));
    ({ state, effect } = take(state, stamp(body, state.now + 1)));
  }
  return { state, effect };
}

/** Answers every effect of the run until its plan is done, and passes each event to `see`. */
export function driveRun(start: Asking, rooms: LocalEffects, see: (event: RunEvent) => void): RunState {
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
  // A checkpoint comes first and needs no answer; the last effect does.
  const effect = effects.at(-1);
  if (effect === undefined) throw new Error(`the run has no effect after ${event.type}`);
  return { state, effect };
}

function answer(rooms: LocalEffects, state: RunState, effect: Effect): EventBody {
  if (effect.kind === 'call_tool') return observed(effect);
  if (effect.kind === 'clear_step') return rooms.clear(state, effect);
  return derive(ENV, rooms.critic, state, effect as DerivedEffect).event;
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

/** Mutates the body, which has no other owner: a copy would be timed as part of the kernel. */
function stamp(body: EventBody, at: number): RunEvent {
  const event: { at?: number } = body as EventBody & { at?: number };
  event.at = at;
  return event as RunEvent;
}
