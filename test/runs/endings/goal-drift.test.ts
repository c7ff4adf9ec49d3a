/** Tests that plans with a rising distance from the goal wait for a person. */
import { expect, test } from 'vitest';
import { goalDistance } from '../../../src/kernel/query/plan/goal-distance.ts';
import { indexPlan } from '../../../src/kernel/state/plan-index.ts';
import type { Plan, PlanStep } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, operator, planOf, type Rig, type RigOptions, rig, toolSpec } from '../rig.ts';
import { eventsOf } from './turns.ts';

const ID = 'pathology:goal-drift:rising-distance';

const broken = () => {
  throw new Error('no');
};
const TOOLS = {
  finish: { produces: ['done'] },
  try: { retries_max: 0, execute: broken, produces: ['done'] },
  browse: { retries_max: 0, execute: broken, description: 'Looks at pictures of cats' },
};
const step = (id: string, tool: string, more: Partial<PlanStep> = {}): PlanStep => ({ id, tool, ...more });
const idle = (revision: number, count: number) =>
  Array.from({ length: count }, (_, at) => step(`r${revision}_${at}`, 'browse', { params: { at, revision } }));

/** A plan with one step that serves the goal and this number of others. */
const plan = (revision: number, others: number): Plan =>
  planOf([...(others > 0 ? idle(revision, others) : []), step(`t${revision}`, 'try', { params: { revision } })], {
    plan_id: `plan_${revision}`,
  });
const RISING = [plan(1, 0), plan(2, 1), plan(3, 4)];
const FALLING = [plan(1, 4), plan(2, 1), planOf([step('f', 'finish')], { plan_id: 'plan_3' })];

const work = (plans: readonly Plan[], tools: RigOptions['tools'] = TOOLS): Rig =>
  rig({ tools, plans, caps: { ...CAPS, replan_attempts_max: 2 } });

verifies(ID, 'pauses after three revisions with rising distance, and runs no step of the third', async () => {
  const bench = work(RISING);
  const { runId, status, suspended } = await bench.invoke();
  expect(status).toBe('paused');
  expect(suspended).toMatchObject({ code: 'REVIEW_REQUIRED', reason: 'goal_drift', detail: { plan_id: 'plan_3' } });
  const distances = suspended?.detail?.['distances'] as readonly number[];
  expect(distances).toHaveLength(3);
  expect([...distances].toSorted((a, b) => a - b)).toEqual(distances);
  const all = await bench.events(runId);
  expect(eventsOf(all, 'run_escalated')).toMatchObject([{ escalation: { trigger: 'plan_divergence' } }]);
  expect(eventsOf(all, 'step_attempted').every(({ step_id }) => !step_id.startsWith('r3'))).toBe(true);
});

verifies(ID, 'verifies the plan again when a person lets the run continue', async () => {
  const bench = work(RISING);
  const { runId, handoverHash } = await bench.invoke();
  const before = eventsOf(await bench.events(runId), 'plan_verified').length;
  const answer = { credential: operator('ana'), reason: 'I want the cats', packetHash: handoverHash ?? '' };
  await bench.settle(bench.runtime.sessions.decideEscalation(runId, { decision: 'continue', ...answer }));
  const all = await bench.events(runId);
  expect(eventsOf(all, 'plan_verified')).toHaveLength(before + 1);
  expect(eventsOf(all, 'plan_verified').at(-1)).toMatchObject({ verdict: 'ok' });
  expect(eventsOf(all, 'step_attempted').some(({ step_id }) => step_id.startsWith('r3'))).toBe(true);
  await bench.runtime.records.replay(runId);
});

verifies(ID, 'does not flag falling distance', async () => {
  const bench = work(FALLING);
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(eventsOf(await bench.events(runId), 'run_escalated')).toEqual([]);
});

test('does not flag constant distance, or distance that rises and falls', async () => {
  for (const plans of [
    [plan(1, 1), plan(2, 1), plan(3, 1)],
    [plan(1, 0), plan(2, 4), plan(3, 1)],
  ]) {
    const { suspended } = await work(plans).invoke();
    expect(suspended?.reason).not.toBe('goal_drift');
  }
});

test('does not flag shorter plans after failed steps', async () => {
  const tools = {
    look: { description: 'Looks up the order' },
    ask: { retries_max: 0, execute: broken, description: 'Asks the customer what to do' },
    finish: { produces: ['done'] },
  };
  const asking = (at: number, more: Partial<PlanStep> = {}) => step(`ask${at}`, 'ask', { params: { at }, ...more });
  const after = (id: string) => ({ depends_on: [id] });
  const looks = Array.from({ length: 6 }, (_, at) => step(`look${at}`, 'look', { params: { at } }));
  const plans = [
    planOf([...looks, asking(0, { depends_on: looks.map(({ id }) => id) }), step('end1', 'finish', after('ask0'))]),
    planOf([asking(1, { optional: true }), asking(2), step('end2', 'finish', after('ask2'))], { plan_id: 'plan_2' }),
    planOf([asking(3, { optional: true }), step('end3', 'finish')], { plan_id: 'plan_3' }),
  ];
  const bench = work(plans, tools);
  const { runId, suspended, terminalCode } = await bench.invoke();
  expect(eventsOf(await bench.events(runId), 'plan_verified')).toHaveLength(3);
  expect(suspended).toBeNull();
  expect(terminalCode).toBe('PARTIAL_SUCCESS');
});

test('distance falls with more of the required evidence, fewer unrelated steps, and more words of the goal', () => {
  const specs = new Map(
    Object.entries(TOOLS as NonNullable<RigOptions['tools']>).map(
      ([name, { execute: _, probing: __, ...changes }]) => [name, toolSpec(name, changes)] as const,
    ),
  );
  const goal = {
    statement: 'Refund the order',
    acceptance_criteria: [{ id: 'a', statement: 'It is refunded.', rank: 'primary', evidence: 'done' }],
  } as const;
  const distance = (made: Plan, evidence: object = {}): number =>
    goalDistance(
      { goal, evidence: evidence as Readonly<Record<string, unknown>>, done: [], toolOf: (name) => specs.get(name) },
      made,
      indexPlan(made),
    );
  const direct = planOf([step('f', 'finish')]);
  const wandering = planOf([step('b', 'browse'), step('f', 'finish')]);
  const lost = planOf([step('b', 'browse')]);
  expect(distance(direct)).toBeLessThan(distance(wandering));
  expect(distance(wandering)).toBeLessThan(distance(lost));
  // A step that another step of the goal depends on counts towards the goal.
  expect(distance(planOf([step('b', 'browse'), step('f', 'finish', { depends_on: ['b'] })]))).toBeLessThan(
    distance(wandering),
  );
  expect(distance(planOf([step('f', 'finish', { task_objective: 'refund the order' })]))).toBeLessThan(
    distance(direct),
  );
  expect(distance(lost, { done: 'ev_1' })).toBeLessThan(distance(lost));
  expect(distance(planOf([]))).toBeLessThanOrEqual(1);
});
