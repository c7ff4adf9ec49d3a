import { expect } from 'vitest';
import type { KernelEnv } from '../../../src/kernel/env.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import { walk } from '../../../src/kernel/transition/walk.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import type { NodeRole } from '../../../src/model/plan/graph.ts';
import { placeAtNode } from './kernel.ts';

/** Returns the fault of walking from one node to another, or null if it is allowed. */
export function refusal(env: KernelEnv, state: RunState, from: string, to: NodeRole): string | null {
  try {
    walk(env, placeAtNode(state, from), to);
    return null;
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

/** Expects that the graph has no such edge. */
export function expectNoEdge(env: KernelEnv, state: RunState, from: NodeRole, to: NodeRole): void {
  expect(env.graph.edge(from, to)).toBeNull();
  expect(refusal(env, state, from, to)).toMatch(/^illegal_edge: there is no edge/);
}

/** Expects that the edge exists and its guard does not hold. */
export function expectShut(env: KernelEnv, state: RunState, from: NodeRole, to: NodeRole): void {
  expect(refusal(env, state, from, to)).toMatch(/^illegal_edge: the guard .* does not hold$/);
}
