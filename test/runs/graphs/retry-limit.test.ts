/** Tests that the retry limit of a node bounds visits without a commit. */
import { expect, test } from 'vitest';
import { PLAN_FIRST } from '../../../src/kernel/graph/standard-graphs.ts';
import type { GraphSpec } from '../../../src/model/plan/graph.ts';
import { CAPS, operator, planOf, type RigOptions, rig } from '../rig.ts';
import { kernelOf, pathOf } from './kernel.ts';

const limited = (role: string, max: number): GraphSpec => ({
  ...PLAN_FIRST,
  name: `limited_${role}`,
  nodes: PLAN_FIRST.nodes.map((node) =>
    node.role === role ? { ...node, bound: { kind: 'retry_limit', max } as const } : node,
  ),
});

/** Tools that fail this often before each success. */
function failing(times: number, graph: GraphSpec): RigOptions {
  let left = times;
  const execute = (): { readonly ok: boolean } => {
    left -= 1;
    if (left >= 0) throw new Error('down');
    left = times;
    return { ok: true };
  };
  return {
    tools: { read: { retries_max: 3, execute }, finish: { produces: ['done'], retries_max: 3, execute } },
    plans: [
      planOf([
        { id: 'a', tool: 'read' },
        { id: 'b', tool: 'finish', depends_on: ['a'] },
      ]),
    ],
    options: { graph, limits: { onEscalate: 'end' } },
  };
}

const repairsOf = async (options: RigOptions): Promise<readonly [string | null, number]> => {
  const bench = rig(options);
  const { runId, terminalCode } = await bench.invoke();
  const path = pathOf(kernelOf(options), await bench.events(runId));
  return [terminalCode, path.filter((node) => node === 'repair').length];
};

test('limits repairs per committed step, however many retries and replans are left', async () => {
  expect(await repairsOf(failing(1, limited('repair', 1)))).toEqual(['SUCCESS', 2]);
  expect(await repairsOf(failing(2, limited('repair', 1)))).toEqual(['REPEATED_FAILURE', 1]);
  expect(await repairsOf(failing(2, limited('repair', 2)))).toEqual(['SUCCESS', 4]);
});

test('does not ask a person again once the limit of human approval is reached', async () => {
  const graph = limited('human_approval', 1);
  const pay = { produces: ['done'], approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'] } as const;
  const bench = rig({
    tools: { pay: { ...pay, retries_max: 0, execute: () => Promise.reject(new Error('down')) } },
    plans: [planOf([{ id: 'a', tool: 'pay', requires: ['GATE_A'] }])],
    caps: { ...CAPS, replan_attempts_max: 0 },
    options: { graph },
  });
  const [gate] = (await bench.invoke()).pending;
  if (gate === undefined) throw new Error('no gate');
  const { gateId, packetHash } = gate;
  const after = await bench.settle(
    bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'fine' }),
  );
  expect(after).toMatchObject({ terminalCode: 'REPEATED_FAILURE' });
});
