/** Helpers that use the kernel without the session loop: fold recorded events and offer events it must refuse. */
import { expect } from 'vitest';
import type { AmbitOptions } from '../../../src/agent/options.ts';
import type { KernelEnv } from '../../../src/kernel/env.ts';
import { type Step, step } from '../../../src/kernel/machine/step.ts';
import { type Turn, type TurnEnv, takeTurn } from '../../../src/kernel/machine/turn.ts';
import { movesMade } from '../../../src/kernel/state/call-state.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import { initialState } from '../../../src/kernel/transition/initial-state.ts';
import type { EventBody, EventType, RunEvent } from '../../../src/model/events/event.ts';
import type { BoundTool } from '../../../src/ports/bound-tool.ts';
import { phasesOf } from '../../../src/record/phases.ts';
import { createHost, type HostOptions } from '../../../src/session/host.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { phaseOutOfOrder } from '../phases/phase-order.ts';
import { agentOf, CAPS, countingIds, type RigOptions, START_MS, toolSpec } from '../rig.ts';
import { assembleHere } from './assemble-here.ts';

/** Assembles the options of `rig` into parts that a test can replace. */
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
  return assembleHere(full);
}

export const kernelOf = (options: RigOptions): KernelEnv => partsOf(options).pins.env;

/** The turn environment of a run, with some parts replaced. */
export function turnsOf(options: RigOptions, changes: Partial<TurnEnv> = {}): TurnEnv {
  return { ...createHost(partsOf(options)).turn, ...changes };
}

/** The state after each event, starting with the initial state. */
export function fold(env: KernelEnv, events: readonly RunEvent[]): readonly RunState[] {
  const states = [initialState(env)];
  for (const event of events) {
    const [next, , fault] = step(env, states.at(-1) ?? initialState(env), event);
    if (fault !== undefined) throw fault;
    states.push(next);
  }
  return states;
}

/** Every node the run visited, starting with its entry. Also expects the phases to be in order. */
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

/** The same run at another node, which no event could do. */
export const placeAtNode = (state: RunState, node: string): RunState => ({
  ...state,
  position: { ...state.position, node, moves: null },
});

/** Takes one input and throws if it is refused. */
export function turn(env: TurnEnv, state: RunState, input: EventBody, at: number = state.now): Turn {
  const result = takeTurn(env, state, input, at);
  if (!result.ok) throw result.fault;
  return result.turn;
}
