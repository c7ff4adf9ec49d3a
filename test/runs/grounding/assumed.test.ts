/** Claims without an observation are never released. */
import { expect } from 'vitest';
import type { Turn, TurnEnv } from '../../../src/kernel/machine/turn.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import type { Claim } from '../../../src/model/evidence/evidence.ts';
import type { RiskClass } from '../../../src/model/policy/risk.ts';
import { verifies } from '../../requirements/verifies.ts';
import { before, turn, turnsOf } from '../graphs/kernel.ts';
import { agentFor, planOf, type RigOptions, rig } from '../rig.ts';
import { eventsOfType, firstEvent } from './recorded-events.ts';

const ID = 'grounding:assumed:never-committed-risk-routed';
const SENT: Claim = { statement: 'The e-mail was sent.', observation: 'ev_99' };
const DONE: Claim = { statement: 'The work is done.', observation: 'ev_1' };

const atRisk = (risk: RiskClass): RigOptions => ({
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
  agent: () => {
    const agent = agentFor(['finish']);
    return { ...agent, intents: agent.intents.map((intent) => ({ ...intent, risk })) };
  },
});

/** The last turn of a run whose compiled responses are replaced by `answers`, in order. */
async function compileAnswers(
  risk: RiskClass,
  answers: readonly (readonly Claim[])[],
): Promise<{ turn: Turn; at: RunState }> {
  const options = atRisk(risk);
  const bench = rig(options);
  const { runId } = await bench.invoke();
  const env = turnsOf(options);
  const left = [...answers];
  const local: TurnEnv['local'] = (state, effect) =>
    effect.kind === 'compile_response'
      ? { event: { type: 'response_compiled', claims: left.shift() ?? [], text: 'as I said' }, blobs: [] }
      : env.local(state, effect);
  const events = await bench.events(runId);
  const at = before(env.env, events, 'step_observed');
  return { turn: turn({ ...env, local }, at, firstEvent(events, 'step_observed')), at };
}

verifies(ID, 'low risk: compiles the answer once more', async () => {
  const { turn: last } = await compileAnswers('low', [[SENT], [DONE]]);
  expect(eventsOfType(last.events, 'violation_noted')).toMatchObject([{ violation: 'claim', subject: SENT.statement }]);
  expect(eventsOfType(last.events, 'response_compiled')).toHaveLength(2);
  expect(last.state.ending.terminal?.code).toBe('SUCCESS');
  expect(last.state.work).toMatchObject({ version: 1, evidenceByType: { done: 'ev_1' } });
});

verifies(ID, 'high risk: halts the run and escalates', async () => {
  const { turn: last } = await compileAnswers('high', [[DONE, SENT], [DONE]]);
  expect(last.state.ending.terminal).toMatchObject({ code: 'VALIDATION_FAIL', reason: 'grounding_violation' });
  expect(last.state.ending.response).toBeNull();
  expect(eventsOfType(last.events, 'response_compiled')).toHaveLength(1);
  expect(eventsOfType(last.events, 'violation_noted')).toMatchObject([
    { subject: SENT.statement, why: 'not_observed' },
  ]);
  expect(eventsOfType(last.events, 'run_escalated')).toMatchObject([{ escalation: { reason: 'grounding_violation' } }]);
  expect(last.state.work).toMatchObject({ version: 1, evidenceByType: { done: 'ev_1' } });
});

verifies(
  'intake:final-response:grounded-compile',
  'a final claim without an observation is never a success',
  async () => {
    for (const observation of ['ev_99', '', 'ev_0', '__proto__', 'call_1']) {
      const claim = { statement: 'The e-mail was sent.', observation };
      const { turn: last } = await compileAnswers('low', [[claim], [claim], [claim]]);
      expect([observation, last.state.ending.terminal?.code]).toEqual([observation, 'VALIDATION_FAIL']);
      expect(last.state.ending.response).toBeNull();
    }
    const { turn: honest } = await compileAnswers('low', [[DONE]]);
    expect(honest.state.ending.terminal?.code).toBe('SUCCESS');
    expect(eventsOfType(honest.events, 'step_committed').map(({ evidence_id }) => evidence_id)).toContain(
      DONE.observation,
    );
  },
);
