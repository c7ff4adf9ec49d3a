/** A compiled graph is what it is for as long as a run walks it. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import { compile } from '../../../src/kernel/graph/compile.ts';
import { STANDARD_GRAPHS } from '../../../src/kernel/graph/standard-graphs.ts';
import { GUARDS } from '../../../src/kernel/guards.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { kernelOf } from './kernel.ts';

const ID = 'graph:immutability:frozen-during-run';
const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'], approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'] } },
  plans: [planOf([{ id: 'a', tool: 'finish', requires: ['GATE_A'] }])],
};

type Loose = Record<string, unknown> & unknown[];

verifies(ID, 'nothing in it can be changed, and its hash stays', () => {
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

verifies(ID, 'a guard exchanged in its table afterwards is not asked', () => {
  const table = { ...GUARDS };
  const graph = compile(STANDARD_GRAPHS.plan_first, table, sha256);
  table['plan_ok@1'] = () => true;
  expect(graph.edge('plan_validation', 'action_selection')).toBe(GUARDS['plan_ok@1']);
});

verifies(ID, 'a model that proposes a node is refused, and that is on record', async () => {
  const bench = rig(OPTIONS);
  const { runId, status } = await bench.invoke();
  expect(status).toBe('awaiting_gate');
  const { hash } = kernelOf(OPTIONS).graph;
  await bench.runtime.tell(runId, {
    type: 'proposal_made',
    kind: 'add_node',
    payload: { id: 'shortcut', role: 'plan' },
  });
  const events = await bench.events(runId);
  expect(events.at(-1)).toMatchObject({ type: 'violation_noted', violation: 'proposal', subject: 'add_node' });
  const { state } = await bench.runtime.replay(runId);
  expect(state).toMatchObject({ position: { node: 'human_approval' }, counters: { violations: 1 } });
  expect(state.manifest?.workflow_graph_version).toBe(hash);
});
