/** The refusal of an answer that no tool observed names the ways out. */
import { expect, test } from 'vitest';
import { verifyProposal } from '../../../src/kernel/index.ts';
import type { Json } from '../../../src/model/json/json.ts';
import { before, kernelOf } from '../graphs/kernel.ts';
import { rig } from '../rig.ts';
import { answerPlan, taskOptions } from './bench.ts';

const REFUSED =
  "a model may not answer the intent work by itself, because its taskClass is 'task': plan a step with a tool that looks the answer up, or declare taskClass: 'summary_of_given' for an intent whose questions are about the conversation";
const GUESS = answerPlan('You asked about permit p_7.');
const OPTIONS = taskOptions({ kind: 'task' }, [GUESS, answerPlan('It was p_7.', 2), answerPlan('p_7', 3)]);

test('names the intent, its task class and both ways out', async () => {
  expect((await rig(OPTIONS).invoke()).why).toContain(REFUSED);
});

test('a run recorded without the rule keeps its earlier text', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const env = kernelOf(OPTIONS);
  const state = before(env, await bench.events(runId), 'plan_verified');
  if (state.manifest === null) throw new Error('no manifest');
  const rules = (state.manifest.rules ?? []).filter((rule) => rule !== 'answers_explained');
  const older = { ...state, manifest: { ...state.manifest, rules } };
  const messages = (of: typeof state): readonly string[] =>
    verifyProposal(env, of, GUESS as unknown as Json, 0).problems.map(({ message }) => message);
  expect(messages(state)).toEqual([REFUSED]);
  expect(messages(older)).toEqual([
    'the answer is assumed, not observed; for a task of the kind task a tool has to observe it',
  ]);
});
