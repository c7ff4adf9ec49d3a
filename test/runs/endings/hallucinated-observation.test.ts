/** Tests that no observation counts without a matching call. */
import { expect } from 'vitest';
import type { RiskClass } from '../../../src/model/policy/risk.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf } from '../rig.ts';
import { answered, eventsOf, proposed, type Turns, turns } from './turns.ts';

const ID = 'pathology:hallucinated-observation:no-matching-call';

verifies(ID, 'rejects the result of a call that was never made, and changes nothing', () => {
  const run = turns({ tools: { read: {}, finish: { produces: ['done'] } } });
  run.say(
    proposed(
      planOf([
        { id: 'a', tool: 'read' },
        { id: 'b', tool: 'finish' },
      ]),
    ),
  );
  const invented = {
    type: 'step_observed',
    call_id: 'call_99',
    outcome: 'ok',
    raw: { ok: true },
    spent: NO_COST,
  } as const;
  expect(run.refusal(invented).code).toBe('event_illegal');
  expect(run.state.work.version).toBe(0);
});

function claiming(risk: RiskClass): Turns {
  const claims = [{ statement: 'The refund was paid.', observation: 'ev_7' }];
  const run = turns({
    tools: { finish: { produces: ['done'] } },
    agent: (agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, risk })) }),
    change: ({ local }) => ({
      local: (state, effect) =>
        effect.kind === 'compile_response'
          ? { event: { type: 'response_compiled', claims, text: 'The refund was paid.' }, blobs: [] }
          : local(state, effect),
    }),
  });
  run.say(proposed(planOf([{ id: 'a', tool: 'finish' }])));
  run.say(answered(run));
  return run;
}

verifies(ID, 'a response that cites a missing observation ends the run and is recorded', () => {
  const { state, events } = claiming('high');
  expect(state.ending).toMatchObject({
    response: null,
    terminal: { code: 'VALIDATION_FAIL', reason: 'grounding_violation' },
  });
  expect(eventsOf(events, 'violation_noted')).toMatchObject([{ violation: 'claim', subject: 'The refund was paid.' }]);
  expect(state.work.evidence.size).toBe(1);
});

verifies(ID, 'at low risk, compiles the response once more before it ends the run', () => {
  const { state, events } = claiming('low');
  expect(eventsOf(events, 'response_compiled')).toHaveLength(2);
  expect(state.ending.terminal).toMatchObject({ reason: 'grounding_violation' });
});
