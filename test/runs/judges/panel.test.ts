/** Rules for panels with missing, disagreeing or objecting judges. */
import { expect, test } from 'vitest';
import { Fault } from '../../../src/model/fault/fault.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { CAPS } from '../rig.ts';
import { judge, judgeAnswer, judgedRig, repeatPlan } from './bench.ts';

const NO_REFLECTION = { ...CAPS, reflection_passes_max: 0 };
const broken = new Fault('model_rejected', 'it has broken');

test('low risk: one of two judges may fail', async () => {
  const bench = judgedRig([{ says: [judgeAnswer(0.9)] }, { name: 'second', says: [broken] }]);
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  const [recorded] = eventsOf(await bench.events(runId), 'judges_answered');
  expect(recorded?.answers).toMatchObject([{ outcome: 'answered' }, { outcome: 'failed', text: '', response: null }]);
});

test('high risk: all judges must answer', async () => {
  const scripts = [{ says: [judgeAnswer(0.95)] }, { name: 'second', says: ['Looks great to me!'] }];
  const bench = judgedRig(scripts, {
    caps: NO_REFLECTION,
    agent: (agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, risk: 'high' })) }),
  });
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ status: 'paused', authority: 'review_queue', suspended: { code: 'LOW_CONFIDENCE' } });
  const [step] = eventsOf(await bench.events(outcome.runId), 'step_judged');
  expect(step).toMatchObject({ scores: { judges: 0 }, findings: [{ kind: 'low_confidence' }] });
});

test('records timeouts and refusals as separate outcomes', async () => {
  const silence = new Fault('model_timeout', 'nothing');
  const refusal = new Fault('model_refused', 'I would rather not');
  const bench = judgedRig(
    [{ says: [silence] }, { name: 'second', says: [refusal] }, { name: 'third', says: [judgeAnswer(1)] }],
    {
      caps: NO_REFLECTION,
    },
  );
  const { runId, status } = await bench.invoke();
  const [recorded] = eventsOf(await bench.events(runId), 'judges_answered');
  expect(recorded?.answers.map(({ outcome }) => outcome)).toEqual(['timed_out', 'refused', 'answered']);
  expect(status).toBe('paused');
});

test('judges too far apart produce a finding and stop the run', async () => {
  const bench = judgedRig(
    [{ says: [judgeAnswer(1, 'splendid')] }, { name: 'second', says: [judgeAnswer(0.4, 'made up')] }],
    {
      caps: NO_REFLECTION,
    },
  );
  const { runId, suspended } = await bench.invoke();
  expect(suspended?.code).toBe('LOW_CONFIDENCE');
  const [step] = eventsOf(await bench.events(runId), 'step_judged');
  expect(step?.findings).toMatchObject([{ kind: 'judges_disagree', detail: expect.stringContaining('made up') }]);
  expect(step?.criteria).toMatchObject({ 'reader@1': 1, 'second@1': 0.4, 'judges@1': 0 });
});

test('passes an objection to the planner verbatim, and accepts better work', async () => {
  const bench = judgedRig([{ says: [judgeAnswer(0.65, 'the greeting is missing'), judgeAnswer(0.9)] }], {
    plans: repeatPlan(2, {}),
  });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(bench.planner.requests[1]?.reason).toMatchObject({
    code: 'below_accept',
    message: 'reader@1 gives 0.65: the greeting is missing',
  });
  expect((await bench.runtime.records.replay(runId)).state.ending.terminal?.code).toBe('SUCCESS');
});

verifies(
  'terminate:low-confidence:suspend-and-route',
  'suspends at 0.59 and names who decides; continues at 0.60',
  async () => {
    const low = await judgedRig([{ says: [judgeAnswer(0.59)] }], { caps: NO_REFLECTION }).invoke();
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
    const ends = judgedRig([{ says: [judgeAnswer(0.59)] }], {
      caps: NO_REFLECTION,
      options: { limits: { onEscalate: 'end' } },
    });
    expect((await ends.invoke()).terminalCode).toBe('LOW_CONFIDENCE');
    const edge = judgedRig([{ says: [judgeAnswer(0.6), judgeAnswer(0.9)] }], {
      caps: NO_REFLECTION,
      plans: repeatPlan(2),
    });
    const passed = await edge.invoke();
    expect(passed.terminalCode).toBe('SUCCESS');
    expect(eventsOf(await edge.events(passed.runId), 'run_escalated')).toEqual([]);
  },
);

test('judges of the run assess goal criteria that have no evidence type', async () => {
  const reader = judge({
    applies: { tools: [], run: true },
    says: [judgeAnswer(1, 'it says so', { 'goal.1': 0.95 })],
  });
  const bench = judgedRig([], {
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

test('shows the judge the success criteria of a step', async () => {
  const reader = judge({ says: [judgeAnswer(1, 'ok', { 'step.success_criteria': 0.2 })] });
  const bench = judgedRig([], {
    world: { judges: [reader] },
    caps: NO_REFLECTION,
    plans: repeatPlan(1, { success_criteria: 'The order is found.' }),
  });
  expect((await bench.invoke()).suspended?.code).toBe('LOW_CONFIDENCE');
});

test('does not start a step whose judges the budget does not cover', async () => {
  const bench = judgedRig([{ says: [] }], { caps: { ...CAPS, output_tokens_max: 100 } });
  const { status, suspended } = await bench.invoke();
  expect(status).toBe('paused');
  expect(suspended).toMatchObject({
    code: 'BUDGET_EXHAUSTED',
    reason: 'early_stop',
    detail: { dimension: 'output_tokens', needed: 500, left: 100 },
  });
  expect(bench.dispatches).toEqual([]);
});

test('does not ask judges of the run without budget, and does not count it as judged', async () => {
  const last = { says: [], applies: { tools: [], run: true } };
  const bench = judgedRig([last], { caps: { ...CAPS, output_tokens_max: 100 } });
  const outcome = await bench.invoke();
  expect(bench.dispatches).toHaveLength(1);
  expect(outcome.terminalCode).toBe('BUDGET_EXHAUSTED');
  expect(eventsOf(await bench.events(outcome.runId), 'run_judged')).toEqual([]);
});
