/** The catalogues of tiers and topologies, as a host reads them from `ambit/graph` and `ambit()` applies them. */
import { ambit } from 'ambit';
import { chooseTier, chooseTopology, TOPOLOGIES, tierOf, topologyOf } from 'ambit/graph';
import { expect } from 'vitest';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, toolSpec } from '../rig.ts';

const compose = (autonomy: Partial<AgentSpec['autonomy']>): unknown => {
  const agent = agentFor(['finish']);
  return ambit({
    agent: { ...agent, autonomy: { ...agent.autonomy, ...autonomy } },
    tools: [{ spec: toolSpec('finish', { produces: ['done'] }), execute: () => ({ ok: true }) }],
    planner: { propose: () => Promise.reject(new Error('must not be called')) },
  });
};

verifies(
  'ladder:tiers:seven-ordered-descriptors',
  'seven tiers have five descriptors each, and no other rank is accepted',
  () => {
    const tiers = [1, 2, 3, 4, 5, 6, 7].map((rank) => tierOf(rank));
    expect(tiers.map(({ rank, name }) => [rank, name])).toEqual([
      [1, 'direct_response'],
      [2, 'prompt_chain'],
      [3, 'deterministic_workflow'],
      [4, 'conditional_graph'],
      [5, 'supervised_loop'],
      [6, 'bounded_loop'],
      [7, 'open_ended_loop'],
    ]);
    for (const { control_plane, path_style, cost_class, failure_surface, example_use } of tiers)
      for (const text of [control_plane, path_style, cost_class, failure_surface, example_use])
        expect(text).toMatch(/\w{3}/);
    expect(() => compose({ tier: 6 })).not.toThrow();
    for (const rank of [0, 8]) {
      expect(() => tierOf(rank)).toThrow(expect.objectContaining({ code: 'tier_unknown' }));
      expect(() => chooseTier({ needs: [], environment: 'sandbox', requested: { rank, reasons: [] } })).toThrow(
        expect.objectContaining({ code: 'tier_unknown' }),
      );
      expect(() => compose({ tier: rank as 6 })).toThrow(
        expect.objectContaining({ code: 'input_invalid', path: '/autonomy/tier' }),
      );
    }
  },
);

verifies(
  'topology:catalogue:five-patterns',
  'five topologies have four descriptors each, and no other name is accepted',
  () => {
    expect(TOPOLOGIES.map(({ name }) => name).toSorted()).toEqual([
      'blackboard',
      'planner_executor',
      'specialist_swarm',
      'state_machine',
      'supervisor_worker',
    ]);
    for (const { name, structure, strength, risk, best_fit } of TOPOLOGIES) {
      expect(topologyOf(name).structure).toBe(structure);
      for (const text of [structure, strength, risk, best_fit]) expect(text).toMatch(/\w{3}/);
    }
    expect(() => chooseTopology({ needs: [], environment: 'sandbox', requested: 'ring' })).toThrow(
      expect.objectContaining({ code: 'topology_unknown' }),
    );
    const topology = (name: string) => ({ topology: { name } }) as never;
    expect(() => compose(topology('state_machine'))).not.toThrow();
    expect(() => compose(topology('ring'))).toThrow(expect.objectContaining({ code: 'topology_unknown' }));
  },
);
