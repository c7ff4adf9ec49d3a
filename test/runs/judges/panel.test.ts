/** Too few judges, judges that are far apart, judges that object: each has its rule, and none is an exception. */
import { expect, test } from 'vitest';
import { Fault } from '../../../src/model/fault.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { CAPS } from '../rig.ts';
import { again, gives, judge, judged } from './bench.ts';

const NO_REFLECTION = { ...CAPS, reflection_passes_max: 0 };
const broken = new Fault('model_rejected', 'it has broken');

test('one of two that fails is absent, and the other is enough where little can go wrong', async () => {
  const bench = judged([{ says: [gives(0.9)] }, { name: 'second', says: [broken] }]);
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  const [said] = eventsOf(await bench.events(runId), 'judges_answered');
  expect(said?.answers).toMatchObject([{ outcome: 'answered' }, { outcome: 'failed', text: '', response: null }]);
});

test('where much can go wrong, all of them have to answer', async () => {
  const scripts = [{ says: [gives(0.95)] }, { name: 'second', says: ['Looks great to me!'] }];
  const bench = judged(scripts, {
    caps: NO_REFLECTION,
    agent: (agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, risk: 'high' })) }),
  });
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ status: 'paused', authority: 'review_queue', suspended: { code: 'LOW_CONFIDENCE' } });
  const [step] = eventsOf(await bench.events(outcome.runId), 'step_judged');
  expect(step).toMatchObject({ scores: { judges: 0 }, findings: [{ kind: 'low_confidence' }] });
});

test('a refusal and a silence have outcomes of their own', async () => {
  const silence = new Fault('model_timeout', 'nothing');
  const refusal = new Fault('model_refused', 'I would rather not');
  const bench = judged(
    [{ says: [silence] }, { name: 'second', says: [refusal] }, { name: 'third', says: [gives(1)] }],
    {
      caps: NO_REFLECTION,
    },
  );
  const { runId, status } = await bench.invoke();
  const [said] = eventsOf(await bench.events(runId), 'judges_answered');
  expect(said?.answers.map(({ outcome }) => outcome)).toEqual(['timed_out', 'refused', 'answered']);
  expect(status).toBe('paused');
});

test('judges too far apart are a finding, and the run does not go on as if one of them were right', async () => {
  const bench = judged([{ says: [gives(1, 'splendid')] }, { name: 'second', says: [gives(0.4, 'made up')] }], {
    caps: NO_REFLECTION,
  });
  const { runId, suspended } = await bench.invoke();
  expect(suspended?.code).toBe('LOW_CONFIDENCE');
  const [step] = eventsOf(await bench.events(runId), 'step_judged');
  expect(step?.findings).toMatchObject([{ kind: 'judges_disagree', detail: expect.stringContaining('made up') }]);
  expect(step?.criteria).toMatchObject({ 'reader@1': 1, 'second@1': 0.4, 'judges@1': 0 });
});

test('an objection reaches the planner in its own words, and better work is accepted', async () => {
  const bench = judged([{ says: [gives(0.65, 'the greeting is missing'), gives(0.9)] }], { plans: again(2, {}) });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(bench.planner.requests[1]?.reason).toMatchObject({
    code: 'below_accept',
    message: 'reader@1 gives 0.65: the greeting is missing',
  });
  expect((await bench.runtime.replay(runId)).state.ending.terminal?.code).toBe('SUCCESS');
});

verifies(
  'terminate:low-confidence:suspend-and-route',
  '0.59 suspends and names who decides; 0.60 goes on',
  async () => {
    const low = await judged([{ says: [gives(0.59)] }], { caps: NO_REFLECTION }).invoke();
    expect(low).toMatchObject({
      status: 'paused',
      authority: 'review_queue',
      terminalCode: null,
      suspended: {
        code: 'LOW_CONFIDENCE',
        reason: 'low_confidence',
        detail: { step_id: 'a', unmet: { judges: 0.59 } },
      },
    });
    const ends = judged([{ says: [gives(0.59)] }], { caps: NO_REFLECTION, options: { limits: { onEscalate: 'end' } } });
    expect((await ends.invoke()).terminalCode).toBe('LOW_CONFIDENCE');
    const edge = judged([{ says: [gives(0.6), gives(0.9)] }], { caps: NO_REFLECTION, plans: again(2) });
    const passed = await edge.invoke();
    expect(passed.terminalCode).toBe('SUCCESS');
    expect(eventsOf(await edge.events(passed.runId), 'run_escalated')).toEqual([]);
  },
);

test('criteria of the goal that only a reader can find met are found met by the judges of the run', async () => {
  const reader = judge({
    applies: { tools: [], run: true },
    says: [gives(1, 'it says so', { 'goal.1': 0.95 })],
  });
  const bench = judged([], {
    world: { judges: [reader] },
    agent: (agent) => ({
      ...agent,
      intents: agent.intents.map((intent) => ({
        ...intent,
        criteria: [...(intent.criteria ?? []), { id: 'polite', statement: 'It is polite.', rank: 'primary' as const }],
      })),
    }),
  });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  const all = await bench.events(runId);
  expect(eventsOf(all, 'judges_answered')).toMatchObject([{ about: null }]);
  expect(eventsOf(all, 'run_judged')).toMatchObject([{ unmet: [] }]);
});

test('what a step was to come to is put before the judge as well', async () => {
  const reader = judge({ says: [gives(1, 'ok', { 'step.success_criteria': 0.2 })] });
  const bench = judged([], {
    world: { judges: [reader] },
    caps: NO_REFLECTION,
    plans: again(1, { success_criteria: 'The order is found.' }),
  });
  expect((await bench.invoke()).suspended?.code).toBe('LOW_CONFIDENCE');
});

test('what the budget has no room to have judged is not even begun', async () => {
  const bench = judged([{ says: [] }], { caps: { ...CAPS, output_tokens_max: 100 } });
  const { status, suspended } = await bench.invoke();
  expect(status).toBe('paused');
  expect(suspended).toMatchObject({
    code: 'BUDGET_EXHAUSTED',
    reason: 'early_stop',
    detail: { dimension: 'output_tokens', needed: 500, left: 100 },
  });
  expect(bench.dispatches).toEqual([]);
});

test('judges of a run that there is no room for are not asked, and it is not taken for judged', async () => {
  const last = { says: [], applies: { tools: [], run: true } };
  const bench = judged([last], { caps: { ...CAPS, output_tokens_max: 100 } });
  const outcome = await bench.invoke();
  expect(bench.dispatches).toHaveLength(1);
  expect(outcome.terminalCode).toBe('BUDGET_EXHAUSTED');
  expect(eventsOf(await bench.events(outcome.runId), 'run_judged')).toEqual([]);
});
