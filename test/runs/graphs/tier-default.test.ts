/** Tests that an agent gets the default graph of its tier, and that a graph above its tier is rejected at startup. */
import { expect, test } from 'vitest';
import { TIERS } from '../../../src/kernel/autonomy/tiers.ts';
import { STANDARD_GRAPHS, type StandardGraphName } from '../../../src/kernel/graph/standard-graphs.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import type { BoundTool } from '../../../src/ports/bound-tool.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { agentFor, toolSpec } from '../rig.ts';
import { assembleHere } from './assemble-here.ts';

const NEEDS = [
  'single_answer',
  'fixed_sequence',
  'static_branching',
  'structured_branching',
  'dynamic_plan',
  'unattended_plan',
  'open_ended_exploration',
];

const finish: BoundTool = { spec: toolSpec('finish', { produces: ['done'] }), execute: () => ({ ok: true }) };

function graphAt(tier: number, graph?: StandardGraphName): string {
  const autonomy = { environment: 'sandbox', tier, needs: [NEEDS[tier - 1] ?? ''], reasons: [] } as const;
  const agent: AgentSpec = { ...agentFor(['finish']), autonomy };
  const options = { agent, tools: [finish], planner: scriptedPlanner([]) };
  return assembleHere(graph === undefined ? options : { ...options, graph }).pins.env.graph.spec.name;
}

test.each(TIERS)('tier $rank runs on $graphs.0 by default', ({ rank, graphs }) => {
  expect(graphAt(rank)).toBe(graphs[0]);
});

test.each(TIERS)('rejects a graph above tier $rank for an agent of that tier', ({ rank }) => {
  for (const [name, { tier }] of Object.entries(STANDARD_GRAPHS)) {
    const asked = (): string => graphAt(rank, name as StandardGraphName);
    if (tier <= rank) expect(asked()).toBe(name);
    else expect(asked).toThrow(expect.objectContaining({ code: 'tier_not_allowed' }));
  }
});
