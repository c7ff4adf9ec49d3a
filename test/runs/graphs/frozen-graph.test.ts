/** Tests that a compiled graph cannot change during a run. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { compile } from '../../../src/kernel/graph/compile.ts';
import { STANDARD_GRAPHS } from '../../../src/kernel/graph/standard-graphs.ts';
import { GUARDS } from '../../../src/kernel/query/guards.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { kernelOf } from './kernel.ts';

const ID = 'graph:immutability:frozen-during-run';
const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'], approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'] } },
  plans: [planOf([{ id: 'a', tool: 'finish', requires: ['GATE_A'] }])],
};

type Loose = Record<string, unknown> & unknown[];

verifies(ID, 'freezes every object of the graph and keeps its hash', () => {
  const { graph } = kernelOf(OPTIONS);
  const { hash } = graph;
  const objects: object[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    objects.push(value);
    for (const child of Object.values(value)) look(child);
  };
  look(graph);
  expect(objects.length).toBeGreaterThan(100);
  for (const object of objects) {
    const loose = object as Loose;
    const [key = 'added'] = Object.keys(object);
    expect(() => {
      loose[key] = 'changed';
    }).toThrow(TypeError);
    expect(() => {
      loose['added'] = true;
    }).toThrow(TypeError);
    expect(() => delete loose[key]).toThrow(TypeError);
  }
  expect(graph.hash).toBe(hash);
  expect(compile(graph.spec, GUARDS, sha256).hash).toBe(hash);
});

verifies(ID, 'ignores a guard that is replaced in the guard table after compiling', () => {
  const table = { ...GUARDS };
  const graph = compile(STANDARD_GRAPHS.plan_first, table, sha256);
  table['plan_ok@1'] = () => true;
  expect(graph.edge('plan_validation', 'action_selection')).toBe(GUARDS['plan_ok@1']);
});

verifies(ID, 'refuses and records a node that a model proposes', async () => {
  const bench = rig(OPTIONS);
  const { runId, status } = await bench.invoke();
  expect(status).toBe('awaiting_gate');
  const { hash } = kernelOf(OPTIONS).graph;
  await bench.runtime.sessions.send(runId, {
    type: 'proposal_made',
    kind: 'add_node',
    payload: { id: 'shortcut', role: 'plan' },
  });
  const events = await bench.events(runId);
  expect(events.at(-1)).toMatchObject({ type: 'violation_noted', violation: 'proposal', subject: 'add_node' });
  const { state } = await bench.runtime.records.replay(runId);
  expect(state).toMatchObject({ position: { node: 'human_approval' }, counters: { violations: 1 } });
  expect(state.manifest?.workflow_graph_version).toBe(hash);
});
