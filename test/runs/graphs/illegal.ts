import { expect } from 'vitest';
import type { KernelEnv } from '../../../src/kernel/env.ts';
import type { RunState } from '../../../src/kernel/state.ts';
import { walk } from '../../../src/kernel/walk.ts';
import { Fault } from '../../../src/model/fault.ts';
import type { NodeRole } from '../../../src/model/graph.ts';
import { standing } from './kernel.ts';

/** What walking from a node to another is answered with; null if it is allowed. */
export function refusal(env: KernelEnv, state: RunState, from: string, to: NodeRole): string | null {
  try {
    walk(env, standing(state, from), to);
    return null;
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

/** There is no such edge at all: no state of the run could open it. */
export function expectNoEdge(env: KernelEnv, state: RunState, from: NodeRole, to: NodeRole): void {
  expect(env.graph.edge(from, to)).toBeNull();
  expect(refusal(env, state, from, to)).toMatch(/^illegal_edge: there is no edge/);
}

/** The edge is there, and its guard says no. */
export function expectShut(env: KernelEnv, state: RunState, from: NodeRole, to: NodeRole): void {
  expect(refusal(env, state, from, to)).toMatch(/^illegal_edge: the guard .* does not hold$/);
}
