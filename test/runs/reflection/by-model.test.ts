/** Reflection by a model is bounded and recorded. A reflection that changes nothing is not repeated. */
import { expect, test } from 'vitest';
import { modelReviewer } from '../../../src/compose.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import { type ModelTurn, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { type JudgeScript, judgeAnswer, judgedRig, profile, repeatPlan } from '../judges/bench.ts';
import { CAPS, planOf, type Rig } from '../rig.ts';

const TWO_PASSES = { ...CAPS, reflection_passes_max: 2 };

function reviewedRig(says: readonly ModelTurn[], scripts: readonly JudgeScript[], plans = repeatPlan(2)): Rig {
  const model = scriptedModel(says);
  return judgedRig(scripts, {
    caps: TWO_PASSES,
    plans,
    world: { reviewer: modelReviewer({ model: profile('back', model) }) },
  });
}

const THOUGHT = { cause: 'The date was wrong.', advice: 'Ask for the year as well.' };
const CAREFUL = planOf([{ id: 'a', tool: 'work', params: { carefully: true } }], { plan_id: 'plan_c' });

test("passes the model's note to the planner, and records and charges the call", async () => {
  const bench = reviewedRig(
    [THOUGHT],
    [{ says: [judgeAnswer(0.3, 'made up'), judgeAnswer(0.9)] }],
    [...repeatPlan(1), CAREFUL],
  );
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  const [made] = eventsOf(await bench.events(runId), 'reflection_made');
  expect(made).toMatchObject({
    note: 'The date was wrong. Ask for the year as well.',
    spent: { input_tokens: 100, output_tokens: 50 },
    calls: [{ role: 'reflector', profile: 'back', template: 'reflect@1', outcome: 'answered' }],
  });
  expect(bench.planner.requests[1]?.reason?.detail).toMatchObject({ reflection: made?.note });
  const { state } = await bench.runtime.records.replay(runId);
  expect(state.budget?.roles.critic.reserved).toMatchObject({ input_tokens: 0, output_tokens: 0 });
  expect(state.manifest?.prompt_template_versions).toMatchObject({ reflect: '1' });
});

test.each([
  ['declines', new Fault('model_refused', 'no')],
  ['rambles', 'Well, you see'],
] as const)('a model that %s leaves only the original reason', async (_what, turn) => {
  const bench = reviewedRig(
    [turn],
    [{ says: [judgeAnswer(0.3, 'made up'), judgeAnswer(0.9)] }],
    [...repeatPlan(1), CAREFUL],
  );
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(eventsOf(await bench.events(runId), 'reflection_made')[0]?.note).toContain('made up');
});

verifies(
  'pathology:over-reflection:high-tokens-no-delta',
  'notes a reflection that cost tokens and changed nothing, and makes no other',
  async () => {
    const bench = reviewedRig([THOUGHT], [{ says: [judgeAnswer(0.3), judgeAnswer(0.3)] }]);
    const outcome = await bench.invoke();
    const all = await bench.events(outcome.runId);
    expect(eventsOf(all, 'reflection_made')).toMatchObject([{ spent: { input_tokens: 100, output_tokens: 50 } }]);
    expect(eventsOf(all, 'violation_noted')).toMatchObject([
      { violation: 'reflection', why: 'the last one took 150 tokens and changed nothing' },
    ]);
    expect(outcome.suspended?.code).toBe('LOW_CONFIDENCE');
    const { state } = await bench.runtime.records.replay(outcome.runId);
    expect(state.budget?.used.reflection_passes).toBe(1);

    const changed = reviewedRig(
      [THOUGHT],
      [{ says: [judgeAnswer(0.3), judgeAnswer(0.3)] }],
      [...repeatPlan(1), CAREFUL],
    );
    const other = await changed.invoke();
    expect(eventsOf(await changed.events(other.runId), 'violation_noted')).toEqual([]);
  },
);
