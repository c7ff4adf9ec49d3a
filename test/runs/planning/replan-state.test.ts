/** Tests that committed steps, context keys and observations survive a replan. */
import { expect, test } from 'vitest';
import { buildRunCase } from '../../../src/kernel/query/critic-input/cases.ts';
import { verifyContext } from '../../../src/kernel/query/plan/verify-context.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { kernelOf } from '../graphs/kernel.ts';
import { CAPS, planOf, type RigOptions } from '../rig.ts';

const OPTIONS: RigOptions = {
  tools: { read: { produces: ['page'] }, finish: { produces: ['done'] } },
  caps: { ...CAPS, replan_attempts_max: 5, replan_rationale: 'to plan again is what this is about' },
};
const ENV = kernelOf(OPTIONS);
const S1: PlanStep = { id: 's1', tool: 'read', params: { n: 1 }, context_key: 'first' };
const S2: PlanStep = { id: 's2', tool: 'read', params: { n: 2 }, context_key: 'second' };

/** A run that carried out each of these plans without meeting the goal. */
function having(...plans: readonly (readonly PlanStep[])[]): Turns {
  const run = turns(OPTIONS);
  for (const [place, steps] of plans.entries()) {
    run.say(proposed(planOf(steps, { plan_id: `plan_${place}` })));
    while (run.outbox[0]?.kind === 'call_tool') run.say(answered(run));
  }
  expect(run.outbox).toMatchObject([{ kind: 'propose_plan' }]);
  return run;
}

const scored = ({ state }: Turns): readonly string[] => buildRunCase(ENV, state).steps.map(({ step_id }) => step_id);
const keyOf = ({ state }: Turns, key: string): readonly string[] | undefined =>
  verifyContext(ENV, state).known.keys.get(key);

test('a committed step keeps its score when later plans contain it again', () => {
  const third = { id: 's3', tool: 'read', params: { n: 3 } };
  const run = having([S1], [S1, S2], [S2, S1, third]);
  expect(run.state.work.scores.size).toBe(3);
  expect(scored(run)).toEqual(['s2', 's1', 's3']);
});

test('judges only the steps of the plan in force', () => {
  expect(scored(having([S1], [S2]))).toEqual(['s2']);
});

test('a step with the same id and other parameters gets its own score', () => {
  const run = having([S1], [{ ...S1, params: { n: 7 } }]);
  expect(run.state.work.scores.size).toBe(2);
  expect(buildRunCase(ENV, run.state).steps).toHaveLength(1);
});

test('knows every committed step by id and context key, and every observation as support', () => {
  const run = having([S1], [S2]);
  const { known } = verifyContext(ENV, run.state);
  expect(known.committed.get('s1')?.step).toEqual(S1);
  expect(known.committed.get('s2')?.step).toEqual(S2);
  expect([keyOf(run, 'first'), keyOf(run, 'second')]).toEqual([['page'], ['page']]);
  expect(['ev_1', 'ev_2'].map((id) => known.support.get(id))).toEqual(['verified', 'verified']);
  for (const name of ['s3', 'constructor', '__proto__', '', 'ev_3', 'ev_01', 'ev_0', 'ev_-1']) {
    const answers = [known.committed.get(name), known.keys.get(name), known.support.get(name)];
    expect(answers).toEqual([undefined, undefined, undefined]);
  }
});

test('drops a context key when its step is replanned with another key', () => {
  const run = having([S1], [{ id: 's1', tool: 'read', params: { n: 7 }, context_key: 'other' }]);
  expect(keyOf(run, 'first')).toBeUndefined();
  expect(keyOf(run, 'other')).toEqual(['page']);
});

test('the judged observations are the recorded ones', () => {
  const { observations } = buildRunCase(ENV, having([S1], [S2]).state);
  expect(['ev_1', 'ev_2', 'ev_3', 'page'].map((id) => observations.has(id))).toEqual([true, true, false, false]);
});
