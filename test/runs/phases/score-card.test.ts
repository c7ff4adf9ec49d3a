/** Every step has a score card, and the run proceeds by it. */
import { expect, test } from 'vitest';
import { type Critic, derive } from '../../../src/kernel/machine/derive.ts';
import { buildStepCase } from '../../../src/kernel/query/critic-input/cases.ts';
import type { PolicyDecision } from '../../../src/model/policy/policy-decision.ts';
import { verifies } from '../../requirements/verifies.ts';
import { before, fold, kernelOf, offer, turn, turnsOf } from '../graphs/kernel.ts';
import { eventsOfType, firstEvent } from '../grounding/recorded-events.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';

const ID = 'intake:validation:score-card-every-step';
const OPTIONS: RigOptions = {
  tools: { read: {}, finish: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 'a', tool: 'read' },
      { id: 'b', tool: 'read', params: { n: 2 }, depends_on: ['a'] },
      { id: 'c', tool: 'finish', depends_on: ['b'] },
    ]),
  ],
};

verifies(ID, 'three steps have three score cards with a result per criterion', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const events = await bench.events(runId);
  const cards = eventsOfType(events, 'step_judged');
  expect(cards.map(({ step_id }) => step_id)).toEqual(['a', 'b', 'c']);
  const { evaluators } = kernelOf(OPTIONS).rubric;
  for (const { criteria, scores } of cards) {
    expect(Object.keys(criteria).length).toBeGreaterThan(4);
    for (const [criterion, score] of Object.entries(criteria)) {
      expect(evaluators).toContain(criterion);
      expect(score).toBeGreaterThanOrEqual(0);
    }
    expect(scores).toMatchObject({ policy: 1 });
  }
  const order = events.map(({ type }) => type).filter((type) => type === 'step_committed' || type === 'step_judged');
  expect(order).toEqual([
    'step_committed',
    'step_judged',
    'step_committed',
    'step_judged',
    'step_committed',
    'step_judged',
  ]);
});

verifies(ID, 'without a score card there is no success', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const events = await bench.events(runId);
  const env = turnsOf(OPTIONS);
  const last = events.findLastIndex(({ type }) => type === 'step_judged');
  const unscored = fold(env.env, events.slice(0, last)).at(-1);
  if (unscored === undefined) throw new Error('the run has no states');
  expect(offer(env.env, unscored, firstEvent(events, 'run_judged'))[2]?.code).toBe('event_illegal');

  const critic: Critic = { ...env.critic, judgeStep: () => ({ scores: {}, criteria: [], findings: [] }) };
  const observed = firstEvent(events, 'step_observed');
  const { state } = turn({ ...env, critic }, before(env.env, events, 'step_observed'), observed);
  expect(state.ending.terminal).toMatchObject({ code: 'VALIDATION_FAIL', reason: 'evaluator_failed' });
});

test("the card follows the critic's current answer, even from a reused list", async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const { env, critic } = turnsOf(OPTIONS);
  const state = before(env, await bench.events(runId), 'step_judged');
  const line = { criterion: 'own@1', score: 1 };
  const own = (criteria: readonly (typeof line)[]): Critic => ({
    ...critic,
    judgeStep: () => ({ scores: { policy: 1 }, criteria, findings: [] }),
  });
  const cardOf = (by: Critic) => derive(env, by, state, { kind: 'judge_step', step_id: 'a' }).event;
  const [open, closed] = [own([line]), own(Object.freeze([line]))];
  expect([open, closed].map(cardOf)).toMatchObject([{ criteria: { 'own@1': 1 } }, { criteria: { 'own@1': 1 } }]);
  line.score = 0.25;
  expect([open, closed].map(cardOf)).toMatchObject([{ criteria: { 'own@1': 0.25 } }, { criteria: { 'own@1': 0.25 } }]);
  expect(state.now).toBeGreaterThan(0);
  expect(cardOf(open)?.at).toBe(state.now);
});

test('the critic sees the current policy decision, even from a reused object', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const { env } = turnsOf(OPTIONS);
  const state = before(env, await bench.events(runId), 'step_judged');
  const policy = { effect: 'permit', reasons: ['as usual'], determining: [], errors: [], version: '1' };
  const current = state.current === null ? null : { ...state.current, policy: policy as unknown as PolicyDecision };
  const policyFacts = () => buildStepCase(env, { ...state, current }, 'a').support.policy;
  expect(policyFacts()).toEqual({ permitted: true, reason: 'as usual' });
  policy.effect = 'forbid';
  expect(policyFacts().permitted).toBe(false);
});
