/**
 * Tests that names in different letter case are one person: as requester, in a quorum, and under separation of duties.
 */
import { expect, test } from 'vitest';
import type { GatePolicy } from '../../../src/model/gate/gate.ts';
import { operator, planOf, type Rig, rig } from '../rig.ts';
import { PAY } from './bench.ts';

const GATES = ['GATE_FINANCE', 'GATE_LEGAL'];

const asking = (policy: Partial<GatePolicy>, gates: readonly string[] = ['GATE_FINANCE']): Rig =>
  rig({
    tools: { ...PAY.tools, pay: { ...PAY.tools?.['pay'], gates } },
    plans: [planOf([{ id: 's1', tool: 'pay', requires: gates, params: { amount: 1 } }])],
    world: { policy: { gates: Object.fromEntries(gates.map((gate) => [gate, policy])) } },
  });

async function approve(bench: Rig, runId: string, gate: number, name: string): Promise<unknown> {
  const pending = (await bench.runtime.sessions.get(runId)).pending[gate];
  const { gateId = '', packetHash = '' } = pending ?? {};
  return await bench.runtime.approve(gateId, { packetHash, credential: operator(name), reason: 'ok' });
}

test('the requester cannot decide under any spelling', async () => {
  const bench = asking({});
  const { runId } = await bench.invoke();
  for (const name of ['agt_worker', 'Agt_Worker', 'AGT_WORKER']) {
    await expect(approve(bench, runId, 0, name)).rejects.toMatchObject({ code: 'permission_denied' });
  }
  expect(bench.dispatches).toEqual([]);
});

test('two spellings count once in a quorum', async () => {
  const bench = asking({ quorum: 2 });
  const { runId } = await bench.invoke();
  await approve(bench, runId, 0, 'ana');
  await expect(approve(bench, runId, 0, 'Ana')).rejects.toMatchObject({ code: 'permission_denied' });
  expect(bench.dispatches).toEqual([]);
  expect(await approve(bench, runId, 0, 'bob')).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('two spellings count as one person under separation of duties', async () => {
  const bench = asking({ separation: true }, GATES);
  const { runId } = await bench.invoke();
  await approve(bench, runId, 0, 'ana');
  await expect(approve(bench, runId, 0, 'ANA')).rejects.toMatchObject({ code: 'permission_denied' });
  expect(bench.dispatches).toEqual([]);
});
