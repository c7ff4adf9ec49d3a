/** A model cannot approve itself, and neither can nobody. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf } from '../rig.ts';
import { GATED, waitingAtGate } from './waiting.ts';

const ID = 'boundary:layer-3:human-approval-not-self-grantable';

verifies(ID, 'a plan that calls itself approved waits like any other', async () => {
  const plans = [planOf([{ id: 'a', tool: 'pay', requires: ['GATE_A'], params: { approved: true, approver: 'me' } }])];
  const { bench } = await waitingAtGate({ ...GATED, plans });
  const said = { type: 'proposal_made', kind: 'approval', payload: { approved: true } };
  const outcome = await bench.runtime.tell('run_1', said);
  expect(outcome).toMatchObject({ status: 'awaiting_gate', suspended: { code: 'CONFIRM_REQUIRED' } });
  expect((await bench.events('run_1')).at(-1)).toMatchObject({ type: 'violation_noted', subject: 'approval' });
  expect(bench.dispatches).toEqual([]);
});

verifies(ID, 'a plan cannot carry a mark that it is approved', async () => {
  const marked = { ...planOf([{ id: 'a', tool: 'pay', requires: ['GATE_A'] }]), approved: true };
  const { bench } = await waitingAtGate({ ...GATED, plans: [marked, ...(GATED.plans ?? [])] });
  expect(bench.planner.requests[1]?.reason).toMatchObject({ code: 'plan_untyped' });
  expect(bench.dispatches).toEqual([]);
});

verifies(ID, 'an approval without a name, or about another packet, is refused', async () => {
  const { bench, gate } = await waitingAtGate();
  const { gateId, packetHash } = gate;
  const answer = { packetHash, credential: operator('lead_1'), reason: 'seen' };
  await expect(bench.runtime.approve(gateId, { ...answer, credential: operator('') })).rejects.toMatchObject({
    code: 'approver_missing',
  });
  const other = `sha256:${'0'.repeat(64)}`;
  await expect(bench.runtime.approve(gateId, { ...answer, packetHash: other })).rejects.toMatchObject({
    code: 'grant_stale',
  });
  expect(await bench.runtime.outcome('run_1')).toMatchObject({ status: 'awaiting_gate' });
  expect(bench.dispatches).toEqual([]);
  expect((await bench.settle(bench.runtime.approve(gateId, answer))).terminalCode).toBe('SUCCESS');
});
