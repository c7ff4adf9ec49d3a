/** A model cannot approve its own call, and an approval needs a name. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf } from '../rig.ts';
import { GATED, waitingAtGate } from './waiting.ts';

const ID = 'boundary:layer-3:human-approval-not-self-grantable';

verifies(ID, 'a plan that claims to be approved still waits at the gate', async () => {
  const plans = [planOf([{ id: 'a', tool: 'pay', requires: ['GATE_A'], params: { approved: true, approver: 'me' } }])];
  const { bench } = await waitingAtGate({ ...GATED, plans });
  const proposal = { type: 'proposal_made', kind: 'approval', payload: { approved: true } };
  const outcome = await bench.runtime.sessions.send('run_1', proposal);
  expect(outcome).toMatchObject({ status: 'awaiting_gate', suspended: { code: 'CONFIRM_REQUIRED' } });
  expect((await bench.events('run_1')).at(-1)).toMatchObject({ type: 'violation_noted', subject: 'approval' });
  expect(bench.dispatches).toEqual([]);
});

verifies(ID, 'rejects a plan with an `approved` field', async () => {
  const marked = { ...planOf([{ id: 'a', tool: 'pay', requires: ['GATE_A'] }]), approved: true };
  const { bench } = await waitingAtGate({ ...GATED, plans: [marked, ...(GATED.plans ?? [])] });
  expect(bench.planner.requests[1]?.reason).toMatchObject({ code: 'plan_untyped' });
  expect(bench.dispatches).toEqual([]);
});

verifies(ID, 'rejects an approval without a name or for another packet', async () => {
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
  expect(await bench.runtime.sessions.get('run_1')).toMatchObject({ status: 'awaiting_gate' });
  expect(bench.dispatches).toEqual([]);
  expect((await bench.settle(bench.runtime.approve(gateId, answer))).terminalCode).toBe('SUCCESS');
});
