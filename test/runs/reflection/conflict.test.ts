/** Conflicting sources allow one cross-check. After it the claim is frozen and the run escalates. */
import { expect, test } from 'vitest';
import type { Finding } from '../../../src/model/critic/verdict.ts';
import { type Assertion, NO_COST } from '../../../src/model/tool/tool.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';

const TOTAL: Assertion = { type: 'done', subject: '/account', values: { total: '/total' } };
const LOOKUP = {
  produces: ['done'],
  asserts: [TOTAL],
  output_schema: { type: 'object', properties: { total: { type: 'integer' } } },
};
/** The goal does not depend on evidence of this type. */
const ASIDE = { ...LOOKUP, produces: ['done', 'aside'], asserts: [{ ...TOTAL, type: 'aside' }] };
const ACCOUNT = { account: 'acc_1' };

/** Two sources have answered 1 and 2. */
function conflictingRun(critical: boolean): Turns {
  const lookup = critical ? LOOKUP : ASIDE;
  const run = turns({ tools: { ledger: lookup, bank: lookup, auditor: lookup } });
  run.say(
    proposed(
      planOf([
        { id: 'a', tool: 'ledger', params: ACCOUNT },
        { id: 'b', tool: 'bank', params: ACCOUNT },
      ]),
    ),
  );
  run.say(answered(run, { raw: { total: 1 } }));
  run.say(answered(run, { raw: { total: 2 } }));
  return run;
}

function crossCheckedRun(total: number): Turns {
  const run = conflictingRun(true);
  run.say({ type: 'reflection_made', trigger: 'conflict', note: 'ask the auditor, who outranks both', spent: NO_COST });
  run.say(proposed(planOf([{ id: 'c', tool: 'auditor', params: ACCOUNT }], { plan_id: 'plan_2' })));
  run.say(answered(run, { raw: { total } }));
  return run;
}

test('makes one reflection and one more lookup, then SOURCE_CONFLICT', () => {
  expect(conflictingRun(true).outbox).toMatchObject([{ kind: 'reflect', trigger: 'conflict' }]);
  const run = crossCheckedRun(3);
  expect(run.state.counters.calls).toBe(3);
  expect(run.outbox).toEqual([]);
  expect(run.state.budget?.used.reflection_passes).toBe(1);
  expect(run.state.people.escalation?.stop).toMatchObject({
    code: 'SOURCE_CONFLICT',
    reason: 'source_conflict',
    detail: { evidence: ['ev_1', 'ev_2', 'ev_3'], message: expect.stringContaining('ev_1 and ev_3 disagree') },
  });
  expect(run.state.session).toMatchObject({ status: 'paused', pause: { authority: 'review_queue' } });
});

test('keeps both sides as evidence, and claims nothing based on either', () => {
  const run = crossCheckedRun(3);
  expect(run.state.work.evidence.size).toBe(3);
  expect(run.state.work.disputed).toEqual(['ev_1', 'ev_2', 'ev_3']);
  run.say({ type: 'escalation_decided', decision: 'finalize', by: 'reviewer', reason: 'say what is certain' });
  expect(eventsOf(run.events, 'response_compiled')).toMatchObject([{ claims: [], text: '' }]);
  expect(run.state.ending.terminal).toMatchObject({ code: 'PARTIAL_SUCCESS' });
});

test('rejects an answer that claims a disputed value', () => {
  const run = turns({
    tools: { ledger: LOOKUP, bank: LOOKUP },
    change: (env) => ({
      local: (state, effect) =>
        effect.kind === 'compile_response'
          ? {
              event: {
                type: 'response_compiled',
                claims: [{ statement: 'It is 2.', observation: 'ev_2' }],
                text: 'It is 2.',
              },
              blobs: [],
            }
          : env.local(state, effect),
    }),
  });
  run.say(
    proposed(
      planOf([
        { id: 'a', tool: 'ledger', params: ACCOUNT },
        { id: 'b', tool: 'bank', params: ACCOUNT },
      ]),
    ),
  );
  run.say(answered(run, { raw: { total: 1 } }));
  run.say(answered(run, { raw: { total: 2 } }));
  run.say({ type: 'reflection_made', trigger: 'conflict', note: '', spent: NO_COST });
  run.say(proposed(planOf([{ id: 'c', tool: 'bank', params: ACCOUNT }], { plan_id: 'plan_2' })));
  run.say(answered(run, { raw: { total: 2 } }));
  run.say({ type: 'escalation_decided', decision: 'finalize', by: 'reviewer', reason: 'finish' });
  expect(run.state.ending).toMatchObject({
    response: null,
    terminal: { code: 'VALIDATION_FAIL', reason: 'grounding_violation' },
  });
});

test('an unresolved conflict ends the run with the code and the evidence ids', () => {
  const run = crossCheckedRun(3);
  run.say({ type: 'escalation_decided', decision: 'terminate', by: 'reviewer', reason: 'cannot tell' });
  expect(run.state.ending.terminal).toMatchObject({
    code: 'SOURCE_CONFLICT',
    detail: { evidence: ['ev_1', 'ev_2', 'ev_3'] },
  });
});

test('a conflict that nothing depends on halts nothing', () => {
  const { state } = conflictingRun(false);
  expect(state.ending.terminal).toMatchObject({ code: 'SUCCESS' });
  expect(state.budget?.used.reflection_passes).toBe(0);
});

test('other findings do not mark evidence as disputed', () => {
  const conflict: Finding = { kind: 'source_conflict', severity: 'high', detail: 'they disagree', refs: ['ev_1'] };
  const unsure: Finding = { kind: 'low_confidence', severity: 'high', detail: 'it is a guess', refs: ['ev_2'] };
  const disputedWith = (...findings: readonly Finding[]): readonly string[] => {
    const run = turns({
      tools: { ledger: LOOKUP },
      change: ({ critic }) => ({
        critic: { ...critic, judgeStep: (facts) => ({ ...critic.judgeStep(facts), findings }) },
      }),
    });
    run.say(proposed(planOf([{ id: 'a', tool: 'ledger', params: ACCOUNT }])));
    run.say(answered(run, { raw: { total: 1 } }));
    return run.state.work.disputed;
  };
  expect(disputedWith(unsure, conflict)).toEqual(['ev_1']);
  expect(disputedWith(unsure)).toEqual([]);
});
