import { hash as digest } from 'node:crypto';
import type { GuardTable } from '../../src/kernel/graph/compile.ts';
import { GUARD_NAMES } from '../../src/kernel/graph/guard-names.ts';
import type { Hash } from '../../src/model/json/hash.ts';
import type { GraphDraft } from '../../src/model/plan/graph.ts';

/** A state for graph tests: the names of the guards that hold in it. */
export type Toggles = ReadonlySet<string>;

export const hash: Hash = (text) => digest('sha256', text);

export function holding(...guards: readonly string[]): Toggles {
  return new Set(guards);
}

export function togglesFor(guards: readonly string[]): GuardTable<Toggles> {
  return Object.fromEntries(guards.map((guard) => [guard, (state: Toggles) => state.has(guard)]));
}

/** Every shipped guard as a toggle. */
export const TOGGLES: GuardTable<Toggles> = togglesFor(Object.keys(GUARD_NAMES));

/** The smallest graph that compiles: intake, answer, end. */
export const SMALLEST: GraphDraft = {
  name: 'smallest',
  version: '1',
  tier: 4,
  entry: 'take_in',
  nodes: [
    { id: 'take_in', role: 'goal_intake' },
    { id: 'answer', role: 'finalize' },
    { id: 'end', role: 'terminate', terminal: true, writes: ['trace', 'status', 'resource_release', 'final_state'] },
  ],
  edges: [
    { from: 'take_in', to: 'answer', guard: 'criteria_met@1', owner: 'orchestrator' },
    { from: 'take_in', to: 'end', guard: 'stop_pending@1', owner: 'orchestrator' },
    { from: 'answer', to: 'end', guard: 'response_fixed@1', owner: 'orchestrator' },
    { from: 'answer', to: 'end', guard: 'stop_pending@1', owner: 'orchestrator' },
  ],
  guards: ['criteria_met@1', 'response_fixed@1', 'stop_pending@1'].map((guard) => ({
    guard,
    deterministic: true,
    evaluated_by: 'kernel',
  })),
  outcomes: {
    success: { guard: 'response_fixed@1', to: 'end' },
    failure: { guard: 'stop_pending@1', to: 'end' },
    cancellation: { guard: 'stop_pending@1', to: 'end' },
    escalation: { guard: 'stop_pending@1', to: 'end' },
    budget_exhaustion: { guard: 'stop_pending@1', to: 'end' },
  },
};

/**
 * `SMALLEST` with additional nodes, which stop like all others, and additional edges behind a guard that it declares.
 */
export function grown(
  nodes: GraphDraft['nodes'],
  edges: readonly (readonly [from: string, to: string, guard?: string])[],
): GraphDraft {
  return {
    ...SMALLEST,
    nodes: [...SMALLEST.nodes, ...nodes],
    edges: [
      ...SMALLEST.edges,
      ...edges.map(([from, to, guard = 'criteria_met@1']) => ({ from, to, guard, owner: 'orchestrator' as const })),
      ...nodes
        .filter((node) => node.terminal !== true)
        .map(({ id }) => ({ from: id, to: 'end', guard: 'stop_pending@1', owner: 'orchestrator' as const })),
    ],
  };
}
