/** Tests that a run leaves human approval only with a recorded decision. */
import { expect } from 'vitest';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { verifies } from '../../requirements/verifies.ts';
import { handoverPacket, operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';
import { expectNoEdge, expectShut } from './edges.ts';
import { fold, kernelOf, pathOf } from './kernel.ts';

const ID = 'graph:approval:recorded-decision-exits';
const WRITE: RigOptions = {
  tools: { finish: { produces: ['done'], approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'] } },
  plans: [planOf([{ id: 'a', tool: 'finish', requires: ['GATE_A'] }])],
};

async function waiting(): Promise<{ readonly bench: Rig; readonly answer: Parameters<Rig['runtime']['approve']> }> {
  const bench = rig(WRITE);
  const { pending }: RunOutcome = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  return { bench, answer: [gateId, { packetHash, credential: operator('lead_1'), reason: 'seen' }] };
}

const afterApproval = (path: readonly string[]): readonly string[] => path.slice(path.indexOf('human_approval') + 1);

verifies(ID, 'opens no exit without a recorded decision', async () => {
  const { bench } = await waiting();
  const env = kernelOf(WRITE);
  const state = fold(env, await bench.events('run_1')).at(-1);
  if (state === undefined) throw new Error('the run has no states');
  expect(state.position.node).toBe('human_approval');
  expect(env.graph.exits('human_approval')).toEqual(['action_selection', 'finalize', 'terminate']);
  for (const exit of ['action_selection', 'finalize', 'terminate'] as const) {
    expectShut(env, state, 'human_approval', exit);
  }
  expectNoEdge(env, state, 'human_approval', 'tool_invocation');
});

verifies(ID, 'an approval leads to action selection and through eligibility again', async () => {
  const { bench, answer } = await waiting();
  const done = await bench.settle(bench.runtime.approve(...answer));
  expect(done.terminalCode).toBe('SUCCESS');
  const events = await bench.events('run_1');
  expect(afterApproval(pathOf(kernelOf(WRITE), events)).slice(0, 3)).toEqual([
    'action_selection',
    'tool_eligibility',
    'tool_invocation',
  ]);
  const types = events.map(({ type }) => type);
  expect(types.slice(types.indexOf('gate_decided'), types.indexOf('gate_decided') + 3)).toEqual([
    'gate_decided',
    'step_cleared',
    'step_attempted',
  ]);
});

verifies(ID, 'a rejection ends the run', async () => {
  const { bench, answer } = await waiting();
  const done = await bench.settle(bench.runtime.gates.reject(...answer));
  expect(done).toMatchObject({ status: 'rejected', terminalCode: 'PERMISSION_DENIED' });
  expect(afterApproval(pathOf(kernelOf(WRITE), await bench.events('run_1')))).toEqual(['terminate']);
  expect(bench.dispatches).toEqual([]);
});

verifies(ID, 'a person may finalize an unfinished run', async () => {
  const options: RigOptions = { tools: { read: {} }, plans: WRITE.plans ?? [], options: { limits: {} } };
  const bench = rig({ ...options, plans: [{ nonsense: true }, { nonsense: true }, { nonsense: true }] });
  const stopped = await bench.invoke();
  const { runId, status } = stopped;
  expect(status).toBe('paused');
  const word = { decision: 'finalize', by: 'lead_1', reason: 'enough' };
  const decision = { type: 'escalation_decided', ...word, ...handoverPacket(stopped) };
  const done = await bench.settle(bench.runtime.sessions.send(runId, decision));
  expect(done.terminalCode).toBe('PARTIAL_SUCCESS');
  const path = pathOf(kernelOf(options), await bench.events(runId));
  expect(path.slice(-3)).toEqual(['human_approval', 'finalize', 'terminate']);
});
