/** A cap of zero forbids only the actions that would need it. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { handoverPacket, operator, planOf, type Rig, rig } from '../rig.ts';

const ID = 'budget:zero-cap:denies-action-not-run';

const incidentRig = (tool: string): Rig =>
  rig({
    tools: {
      look: { produces: ['done'] },
      restart: { approval_mode: 'destructive', gates: ['GATE_OPS'], side_effect: true, produces: ['done'] },
    },
    plans: [planOf([{ id: 'a', tool, ...(tool === 'restart' ? { requires: ['GATE_OPS'] } : {}) }])],
    agent: (agent) => ({ ...agent, budget: { profile: 'incident_sre', overrides: { side_effects_max: 0 } } }),
  });

verifies(ID, 'a run that only reads succeeds', async () => {
  expect(await incidentRig('look').invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
});

verifies(ID, 'blocks and records a mutation before it is sent, and an approval does not lift the cap', async () => {
  const bench = incidentRig('restart');
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ status: 'paused', authority: 'budget_queue' });
  expect(eventsOf(await bench.events(outcome.runId), 'run_escalated')).toMatchObject([
    { escalation: { trigger: 'budget_limit' }, stop: { detail: { dimension: 'side_effects', needed: 1, left: 0 } } },
  ]);
  const approval = {
    type: 'escalation_decided',
    decision: 'continue',
    by: 'boss',
    reason: 'do it',
    ...handoverPacket(outcome),
  };
  expect(await bench.settle(bench.runtime.sessions.send(outcome.runId, approval))).toMatchObject({
    status: 'paused',
    authority: 'budget_queue',
    suspended: { code: 'BUDGET_EXHAUSTED', detail: { dimension: 'side_effects' } },
  });
  expect(bench.dispatches).toEqual([]);
});

verifies(ID, 'a named budget extension lets the call proceed to its gate', async () => {
  const bench = incidentRig('restart');
  const frozen = await bench.invoke();
  const more = { delta: { side_effects: 1 }, ...handoverPacket(frozen) };
  const release = { type: 'budget_extended', by: 'boss', reason: 'once', ...more };
  const waiting = await bench.settle(bench.runtime.sessions.send(frozen.runId, release));
  expect(waiting).toMatchObject({ status: 'awaiting_gate', suspended: { code: 'CONFIRM_REQUIRED' } });
  const [gate] = waiting.pending;
  const { gateId = '', packetHash = '' } = gate ?? {};
  const done = await bench.settle(
    bench.runtime.approve(gateId, { packetHash, credential: operator('boss'), reason: 'ok' }),
  );
  expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toHaveLength(1);
});
