/** A model may make six kinds of proposals. Any other kind is recorded as a violation and changes nothing. */
import { expect } from 'vitest';
import { PROPOSAL_KINDS } from '../../../src/model/plan/proposal.ts';
import { verifies } from '../../requirements/verifies.ts';
import { fold, kernelOf } from '../graphs/kernel.ts';
import { planOf, rig } from '../rig.ts';
import { GATED, waitingAtGate } from './waiting.ts';

const ID = 'boundary:layer-1:closed-list-of-model-rights';

for (const kind of ['execute', 'set_state', 'approve', 'extend_budget', 'constructor', '']) {
  verifies(ID, `rejects a proposal of kind "${kind}"`, async () => {
    const { bench } = await waitingAtGate();
    const env = kernelOf(GATED);
    const before = fold(env, await bench.events('run_1')).at(-1);
    const payload = { tool: 'pay', state: { paid: true } };
    const outcome = await bench.runtime.sessions.send('run_1', { type: 'proposal_made', kind, payload });
    expect(outcome.status).toBe('awaiting_gate');
    const events = await bench.events('run_1');
    expect(events.at(-1)).toMatchObject({ type: 'violation_noted', violation: 'proposal', subject: kind });
    const after = fold(env, events).at(-1);
    expect(after?.work).toEqual(before?.work);
    expect(after?.position.node).toBe(before?.position.node);
    expect(bench.dispatches).toEqual([]);
  });
}

verifies(ID, 'a planner answer that is not a plan changes no state', async () => {
  const answers = [{ kind: 'execute', tool: 'pay' }, { kind: 'set_state', state: {} }, { approved: true }];
  const bench = rig({ ...GATED, plans: answers, options: { limits: { onEscalate: 'end' } } });
  const outcome = await bench.invoke();
  expect(outcome.terminalCode).toBe('VALIDATION_FAIL');
  const { state } = await bench.runtime.records.replay(outcome.runId);
  expect(state.work.version).toBe(0);
});

verifies(ID, 'a boundary may allow fewer than the six proposal kinds', async () => {
  expect(PROPOSAL_KINDS).toHaveLength(6);
  const { bench } = await waitingAtGate({
    ...GATED,
    agent: (agent) => ({ ...agent, boundary: { ...agent.boundary, decision_rights: ['plan'] } }),
  });
  await bench.runtime.sessions.send('run_1', { type: 'proposal_made', kind: 'escalation_recommendation', payload: {} });
  expect((await bench.events('run_1')).at(-1)).toMatchObject({
    type: 'violation_noted',
    subject: 'escalation_recommendation',
    why: 'a model may propose plan',
  });
});

verifies(
  'boundary:state-writes:reject-ungrounded-or-off-schema',
  'proposals change no state, neither ungrounded nor grounded ones',
  async () => {
    const plans = [
      planOf([
        { id: 'r', tool: 'read' },
        { id: 'a', tool: 'pay', depends_on: ['r'], requires: ['GATE_A'] },
      ]),
    ];
    const options = { ...GATED, tools: { read: {}, ...GATED.tools }, plans };
    const { bench } = await waitingAtGate(options);
    const env = kernelOf(options);
    const before = fold(env, await bench.events('run_1')).at(-1);
    expect(before?.work.version).toBe(1);
    const writes = [
      { kind: 'state_write', payload: { set: { paid: true } } },
      { kind: 'observation_summary', payload: { observations: [], summary: 'it is paid' } },
      { kind: 'observation_summary', payload: { observations: ['ev_1', 'ev_2'], summary: 'it is paid' } },
      { kind: 'observation_summary', payload: { observations: 'ev_1', summary: 'it is paid' } },
      { kind: 'observation_summary', payload: 'it is paid' },
    ];
    for (const [place, write] of writes.entries()) {
      await bench.runtime.sessions.send('run_1', { type: 'proposal_made', ...write });
      const events = await bench.events('run_1');
      expect(events.filter(({ type }) => type === 'violation_noted')).toHaveLength(place + 1);
      expect(fold(env, events).at(-1)?.work).toEqual(before?.work);
    }
    const founded = { kind: 'observation_summary', payload: { observations: ['ev_1'], summary: 'it was read' } };
    await bench.runtime.sessions.send('run_1', { type: 'proposal_made', ...founded });
    const events = await bench.events('run_1');
    expect(events.filter(({ type }) => type === 'violation_noted')).toHaveLength(writes.length);
    expect(fold(env, events).at(-1)?.work).toEqual(before?.work);
  },
);
