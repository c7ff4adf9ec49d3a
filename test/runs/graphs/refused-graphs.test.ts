/** Tests that `ambit()` refuses a graph with any one defect, names its check and its place, and accepts it repaired. */
import { expect } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import { STANDARD_GRAPHS } from '../../../src/kernel/graph/standard-graphs.ts';
import {
  type CycleBound,
  type GraphNode,
  type GraphSpec,
  TERMINAL_WRITES,
  TOOL_RULES,
} from '../../../src/model/plan/graph.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, toolSpec } from '../rig.ts';

const BASE: GraphSpec = STANDARD_GRAPHS.plan_first;

const compose = (graph: GraphSpec): unknown =>
  ambit({
    agent: agentFor(['finish']),
    tools: [{ spec: toolSpec('finish', { produces: ['done'] }), execute: () => ({ ok: true }) }],
    planner: { propose: () => Promise.reject(new Error('must not be called')) },
    graph,
  });

function expectRefused(graph: GraphSpec, problem: RegExp): void {
  expect(() => compose(graph)).toThrow(
    expect.objectContaining({ code: 'graph_invalid', message: expect.stringMatching(problem) }),
  );
}

/** The graph with its nodes of one kind changed. */
const nodesChanged = (change: (node: GraphNode) => GraphNode): GraphSpec => ({
  ...BASE,
  nodes: BASE.nodes.map(change),
});

/** The graph with more nodes and guarded edges. */
const grown = (
  nodes: readonly GraphNode[],
  edges: readonly (readonly [from: string, to: string, guard: string])[],
): GraphSpec => ({
  ...BASE,
  nodes: [...BASE.nodes, ...nodes],
  edges: [...BASE.edges, ...edges.map(([from, to, guard]) => ({ from, to, guard, owner: 'orchestrator' as const }))],
});

verifies('graph:compile-1:outgoing-edge-required', 'refuses a node without an exit', () => {
  const stuck: GraphNode = { id: 'stuck', role: 'plan' };
  const into = ['plan', 'stuck', 'plan_proposed@1'] as const;
  expectRefused(grown([stuck], [into]), /\[1\] stuck is not terminal and has no outgoing edge/);
  expect(() => compose(BASE)).not.toThrow();
});

verifies('graph:compile-2:cycles-need-exit', 'refuses a cycle that nothing bounds', () => {
  const boundedBy = (bound: CycleBound | null): GraphSpec =>
    nodesChanged((node) => {
      const { bound: _, ...free } = node;
      if (node.id !== 'human_approval') return node;
      return bound === null ? free : { ...free, bound };
    });
  expectRefused(boundedBy(null), /\[2\] action_selection -> human_approval -> action_selection has no exit condition/);
  const bounds: readonly CycleBound[] = [
    { kind: 'exit_condition', guard: 'stop_pending@1' },
    { kind: 'retry_limit', max: 3 },
    { kind: 'budget_limit', dimension: 'steps' },
    { kind: 'escalation_path', to: 'terminate' },
  ];
  for (const bound of bounds) expect(() => compose(boundedBy(bound)), bound.kind).not.toThrow();
});

verifies('graph:compile-3:every-edge-guarded', 'refuses an edge without a deterministic guard', () => {
  const edge = BASE.edges.find(({ from, to }) => from === 'plan' && to === 'plan_validation');
  if (edge === undefined) throw new Error('the graph has no such edge');
  const { guard, ...bare } = edge;
  const edges = BASE.edges.map((each) => (each === edge ? bare : each)) as GraphSpec['edges'];
  expectRefused({ ...BASE, edges }, /\[3\] plan -> plan_validation has no guard/);
  const declared = (changes: Partial<GraphSpec['guards'][number]>): GraphSpec => ({
    ...BASE,
    guards: BASE.guards.map((each) => (each.guard === guard ? { ...each, ...changes } : each)),
  });
  expectRefused(declared({ deterministic: false }), /\[3\] plan -> plan_validation .*nondeterministic/);
  expectRefused(declared({ evaluated_by: 'model' }), /\[3\] plan -> plan_validation .*evaluated by a model/);
});

verifies('graph:compile-4:tool-nodes-five-rules', 'refuses a tool node without one of its five rules', () => {
  for (const rule of TOOL_RULES) {
    const without = nodesChanged((node) => {
      const { [rule]: _, ...rest } = node.tool ?? {};
      return node.tool === undefined ? node : { ...node, tool: rest as NonNullable<GraphNode['tool']> };
    });
    expectRefused(without, new RegExp(`\\[4\\] tool_invocation reaches tools but has no ${rule} rule`));
  }
});

verifies('graph:compile-5:abnormal-paths-reach-terminal', 'refuses an escalation that never ends', () => {
  const limited = { kind: 'retry_limit', max: 2 } as const;
  const loop = [
    { id: 'wait', role: 'human_approval', bound: limited },
    { id: 'mend', role: 'repair' },
  ] as const;
  const edges = [
    ['plan', 'wait', 'plan_proposed@1'],
    ['wait', 'mend', 'plan_proposed@1'],
    ['mend', 'wait', 'plan_proposed@1'],
  ] as const;
  const endless = /\[5\] no terminal node can be reached from mend, wait/;
  expectRefused(grown(loop, edges), endless);
  const out = [...edges, ['wait', 'terminate', 'stop_pending@1'], ['mend', 'terminate', 'stop_pending@1']] as const;
  let refused = '';
  try {
    compose(grown(loop, out));
  } catch (error) {
    refused = String(error);
  }
  expect(refused).not.toMatch(endless);
});

verifies('graph:compile-6:terminal-metadata', 'refuses a terminal node that leaves out one of its four writes', () => {
  for (const omitted of TERMINAL_WRITES) {
    const writes = TERMINAL_WRITES.filter((write) => write !== omitted);
    const without = nodesChanged((node) => (node.terminal === true ? { ...node, writes } : node));
    expectRefused(without, new RegExp(`\\[6\\] terminate is terminal but does not write ${omitted}`));
  }
});
