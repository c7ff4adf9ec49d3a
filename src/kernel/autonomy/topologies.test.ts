import { describe, expect, test } from 'vitest';
import { faultOf } from '../../../test/graph/fault-of.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { chooseTopology, TOPOLOGY_NEEDS, type TopologyNeed, type TopologyProfile } from './choose-topology.ts';
import { TOPOLOGIES, TOPOLOGY_NAMES, topologyOf } from './topologies.ts';

const task = (profile: Partial<TopologyProfile>): TopologyProfile =>
  deepFreeze({ needs: [], environment: 'production', ...profile });

verifies('topology:catalogue:five-patterns', 'describes five topologies and refuses unknown ones', () => {
  expect(TOPOLOGIES.map(({ name }) => name)).toEqual(TOPOLOGY_NAMES);
  expect([...TOPOLOGY_NAMES].sort()).toEqual([
    'blackboard',
    'planner_executor',
    'specialist_swarm',
    'state_machine',
    'supervisor_worker',
  ]);
  for (const { structure, strength, risk, best_fit } of TOPOLOGIES) {
    for (const text of [structure, strength, risk, best_fit]) expect(text.trim()).not.toBe('');
  }
  for (const name of ['ring', 'toString', '__proto__', '']) {
    expect(faultOf(() => topologyOf(name)).code).toBe('topology_unknown');
    expect(faultOf(() => chooseTopology(task({ requested: name }))).code).toBe('topology_unknown');
  }
});

verifies('topology:selection:least-autonomous-preferred', 'prefers the least autonomous topology', () => {
  const choice = chooseTopology(task({ needs: ['predefined_paths'] }));
  expect(choice.topology.name).toBe('state_machine');
  expect(choice.rationale).toBe('state_machine is the least autonomous topology that can do the task');
  expect(choice.insufficient).toEqual([]);
});

describe('chooseTopology', () => {
  test.each(Object.entries(TOPOLOGY_NEEDS))('meets %s with the least autonomy', (need, { rank }) => {
    const choice = chooseTopology(task({ needs: [need as TopologyNeed], environment: 'sandbox' }));
    expect(choice.topology).toBe(TOPOLOGIES[rank - 1]);
    expect(choice.topology.rank).toBe(rank);
    expect(choice.insufficient.map((lack) => lack.rank)).toEqual([1, 2, 3, 4].slice(0, rank - 1));
    for (const { why } of choice.insufficient) expect(why).toContain(need);
  });

  test('accepts a request for more autonomy and names the less autonomous alternative', () => {
    const choice = chooseTopology(task({ requested: 'supervisor_worker' }));
    expect(choice.topology.name).toBe('supervisor_worker');
    expect(choice.rationale).toContain('state_machine is less autonomous');
  });

  test('refuses an insufficient topology', () => {
    const fault = faultOf(() => chooseTopology(task({ needs: ['shared_workspace'], requested: 'planner_executor' })));
    expect(fault.code).toBe('topology_not_allowed');
    expect(fault.message).toContain('shared_workspace');
  });

  test('requires an opt-in for a swarm outside a sandbox', () => {
    for (const profile of [{ needs: ['peer_delegation'] }, { requested: 'specialist_swarm' }] as const) {
      expect(faultOf(() => chooseTopology(task(profile))).code).toBe('topology_not_allowed');
      expect(chooseTopology(task({ ...profile, swarmOptIn: true })).topology.name).toBe('specialist_swarm');
      expect(chooseTopology(task({ ...profile, environment: 'sandbox' })).topology.name).toBe('specialist_swarm');
    }
  });

  test('refuses an unknown need', () => {
    expect(faultOf(() => chooseTopology(task({ needs: ['telepathy' as TopologyNeed] }))).code).toBe('input_invalid');
  });
});
