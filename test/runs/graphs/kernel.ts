/** The kernel of a bench run without the loop around it: to fold what happened, and to offer it what it must refuse. */
import { expect } from 'vitest';
import { assemble } from '../../../src/compose.ts';
import type { AmbitOptions } from '../../../src/facade/options.ts';
import type { KernelEnv } from '../../../src/kernel/env.ts';
import { initialState } from '../../../src/kernel/initial-state.ts';
import { movesMade } from '../../../src/kernel/moves.ts';
import type { RunState } from '../../../src/kernel/state.ts';
import { type Step, step } from '../../../src/kernel/step.ts';
import { type Turn, type TurnEnv, takeTurn } from '../../../src/kernel/turn.ts';
import type { EventBody, EventType, RunEvent } from '../../../src/model/event.ts';
import type { BoundTool } from '../../../src/ports/bound-tool.ts';
import { phaseOutOfOrder } from '../../../src/record/phase-order.ts';
import { phasesOf } from '../../../src/record/phases.ts';
import { createHost, type HostOptions } from '../../../src/session/host.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { agentOf, CAPS, countingIds, type RigOptions, START_MS, toolSpec } from '../rig.ts';

/** What the same options give `rig`, but as parts that a test can exchange. */
export function partsOf({
  tools = {},
  plans = [],
  agent = (a) => a,
  caps = CAPS,
  options,
  world,
}: RigOptions): HostOptions {
  const clock = simulatedClock(START_MS);
  const bound = Object.entries(tools).map(
    ([name, { execute, probing, ...changes }]): BoundTool => ({
      ...(probing === undefined ? {} : { probing }),
      spec: toolSpec(name, changes),
      execute: execute ?? (() => ({ ok: true })),
    }),
  );
  const full: AmbitOptions = {
    agent: agent(agentOf(tools, caps)),
    tools: bound,
    planner: scriptedPlanner(plans),
    ...options,
    world: { clock, timer: clock, ids: countingIds(), ...world },
  };
  return assemble(full);
}

export const kernelOf = (options: RigOptions): KernelEnv => partsOf(options).pins.env;

/** The run's turns, with whatever answers on the spot exchanged. */
export function turnsOf(options: RigOptions, changes: Partial<TurnEnv> = {}): TurnEnv {
  return { ...createHost(partsOf(options)).turn, ...changes };
}

/** The state after each event, the untouched one first. */
export function fold(env: KernelEnv, events: readonly RunEvent[]): readonly RunState[] {
  const states = [initialState(env)];
  for (const event of events) {
    const [next, , fault] = step(env, states.at(-1) ?? initialState(env), event);
    if (fault !== undefined) throw fault;
    states.push(next);
  }
  return states;
}

/** Every node the run walked over, its entry first. On the way its phases are held to their order. */
export function pathOf(env: KernelEnv, events: readonly RunEvent[]): readonly string[] {
  expect(phaseOutOfOrder(phasesOf(events))).toBeNull();
  return fold(env, events).flatMap(({ position }, place) =>
    place === 0 ? [position.node] : movesMade(position.moves),
  );
}

/** The state just before the first event of a type. */
export function before(env: KernelEnv, events: readonly RunEvent[], type: EventType): RunState {
  const place = events.findIndex((event) => event.type === type);
  const state = place < 0 ? undefined : fold(env, events.slice(0, place)).at(-1);
  if (state === undefined) throw new Error(`no ${type} among ${events.map((event) => event.type).join(', ')}`);
  return state;
}

export const offer = (env: KernelEnv, state: RunState, body: EventBody): Step =>
  step(env, state, { ...body, at: state.now } as RunEvent);

/** The same run, put on another node by force: what no event can do. */
export const standing = (state: RunState, node: string): RunState => ({
  ...state,
  position: { ...state.position, node, moves: null },
});

/** One input taken as far as it goes; a refusal is the test's mistake. */
export function turn(env: TurnEnv, state: RunState, input: EventBody, at: number = state.now): Turn {
  const result = takeTurn(env, state, input, at);
  if (!result.ok) throw result.fault;
  return result.turn;
}
