/** Tests that a graph that was not compiled does not run. */
import { expect } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import type { KernelEnv } from '../../../src/kernel/env.ts';
import { STANDARD_GRAPHS } from '../../../src/kernel/graph/standard-graphs.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import type { GraphSpec } from '../../../src/model/plan/graph.ts';
import { createHost } from '../../../src/session/host.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, planOf, type RigOptions } from '../rig.ts';
import { partsOf } from './kernel.ts';

const ID = 'graph:compile:all-errors-and-no-run-uncompiled';
const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};

const { plan_first } = STANDARD_GRAPHS;

/** A graph with a dead end, an edge without a guard, and a terminal node that does not write resource_release. */
const defective = {
  ...plan_first,
  nodes: [
    ...plan_first.nodes.map((node) =>
      node.terminal === true ? { ...node, writes: ['trace', 'status', 'final_state'] } : node,
    ),
    { id: 'dead_end', role: 'plan' },
  ],
  edges: [
    ...plan_first.edges,
    { from: 'plan', to: 'dead_end', owner: 'orchestrator' },
    { from: 'dead_end', to: 'terminate', guard: 'stop_pending@1', owner: 'orchestrator' },
  ],
} as unknown as GraphSpec;

verifies(ID, 'reports three defects at once, each with its check', () => {
  let refused: unknown;
  try {
    ambit({
      agent: agentFor([]),
      tools: [],
      planner: { propose: () => Promise.reject(new Error()) },
      graph: defective,
    });
  } catch (error) {
    refused = error;
  }
  if (!Fault.is(refused)) throw new Error('not refused');
  expect(refused.code).toBe('graph_invalid');
  expect(refused.message).toContain('3 problems');
  expect(refused.message).toMatch(
    /\[1\] dead_end .*\n.*\[3\] plan -> dead_end .*\n.*\[6\] terminate .*resource_release/,
  );
});

verifies(ID, 'rejects a copy of a compiled graph that compile() did not return', async () => {
  const parts = partsOf(OPTIONS);
  const { graph } = parts.pins.env;
  for (const impostor of [plan_first, { ...graph }, Object.create(graph)] as KernelEnv['graph'][]) {
    const pins = { ...parts.pins, env: { ...parts.pins.env, graph: impostor } };
    expect(() => createHost({ ...parts, pins })).toThrow(expect.objectContaining({ code: 'graph_not_compiled' }));
  }
  expect(await parts.journal.list({})).toEqual([]);
});
