import { assertCompiled } from '../kernel/graph/compile.ts';
import { Fault } from '../model/fault.ts';
import type { RunPins } from './effects.ts';

/** A run needs all four of its inputs and a graph that was proven. Whichever is absent is named before anything runs. */
export function requireInputs({ context, agent, env, registry }: RunPins): void {
  assertGiven(context, 'compiled context', '/context');
  assertGiven(agent?.budget, 'run context with a budget', '/agent/budget');
  assertGiven(env?.catalog, 'decision registry', '/env/catalog');
  assertGiven(registry, 'tool registry', '/registry');
  assertCompiled(env.graph);
}

function assertGiven(input: unknown, name: string, path: string): void {
  if (input === undefined || input === null) {
    throw new Fault('input_missing', `a run cannot start without a ${name}`, { path });
  }
}
