/** Steps that tell the user or ask, as a plan is read. */
import { describe, expect, test } from 'vitest';
import { context, planOf, spec, told, verifySteps } from '../../../test/kernel/verify/fixtures.ts';
import type { JsonObject } from '../../model/json.ts';
import { verifyPlan } from './verify-plan.ts';

const words = (name: string): JsonObject => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
  additionalProperties: false,
});
const RESPOND = spec('respond', { speaks: 'respond', input_schema: words('objective') });
const CLARIFY = spec('clarify', { speaks: 'clarify', input_schema: words('question') });
const TOOLS = [spec('read'), RESPOND, CLARIFY];

test('both are known in any letter case, and say their objective where they say nothing else', () => {
  const { verdict, plan } = verifySteps(
    [
      { id: 's1', tool: 'RESPOND', task_objective: 'Tell what was read' },
      { id: 's2', tool: 'Clarify' },
    ],
    TOOLS,
  );
  expect(verdict).toBe('ok');
  expect(plan?.steps).toEqual([
    { id: 's1', tool: 'respond', task_objective: 'Tell what was read', params: { objective: 'Tell what was read' } },
    { id: 's2', tool: 'clarify', params: { question: 's2' } },
  ]);
});

test('a plan that needs none of that stays the object that was proposed', () => {
  const proposed = planOf([{ id: 's1', tool: 'respond', params: { objective: 'tell' } }]);
  const { plan } = verifyPlan(proposed, context({ specs: TOOLS, catalog: new Map() }), 2);
  expect(plan).toBe(proposed);
});

test("a host's own tool of that name is that tool, and its letters count", () => {
  const own = [spec('respond')];
  expect(verifySteps([{ id: 's1', tool: 'respond' }], own).plan?.steps).toEqual([{ id: 's1', tool: 'respond' }]);
  expect(told(verifySteps([{ id: 's1', tool: 'Respond' }], own))).toEqual(['hallucinated_capability /steps/0/tool']);
});

describe('a question', () => {
  const ask = { id: 'ask', tool: 'clarify', params: { question: 'Which?' } };

  test('ends a plan', () => {
    expect(verifySteps([{ id: 's1', tool: 'read' }, ask], TOOLS).verdict).toBe('ok');
  });

  test('is followed by nothing, neither below it nor in wait for it', () => {
    const middle = verifySteps([ask, { id: 's1', tool: 'read' }], TOOLS);
    expect(told(middle)).toEqual(['plan_untyped /steps/0/tool']);
    expect(middle.verdict).toBe('replan');
    const waiting = verifySteps([{ id: 's1', tool: 'read', depends_on: ['ask'] }, ask], TOOLS);
    expect(told(waiting)).toEqual(['plan_untyped /steps/1/tool']);
  });
});

describe('plans in the words of capabilities', () => {
  const verify = (proposed: unknown) =>
    verifyPlan(
      proposed,
      context({ specs: TOOLS, catalog: new Map(), naming: { planId: 'plan_7', intent: 'tell' } }),
      2,
    );
  const step = (context_key: string, capability: string, more: object = {}) => ({ context_key, capability, ...more });

  test('the key is the id, the capability the tool, and the run names the plan', () => {
    const { verdict, plan } = verify({ steps: [step('a', 'read'), step('b', 'respond', { inputs: ['a'] })] });
    expect(verdict).toBe('ok');
    expect(plan).toEqual({
      plan_id: 'plan_7',
      intent: 'tell',
      decision_checkpoints: [],
      steps: [
        { id: 'a', context_key: 'a', tool: 'read' },
        { id: 'b', context_key: 'b', tool: 'respond', inputs: ['a'], params: { objective: 'b' }, depends_on: ['a'] },
      ],
    });
  });

  test('a plan that names itself keeps its names', () => {
    const { plan } = verify({ plan_id: 'mine', intent: 'other', steps: [step('a', 'read')], decision_checkpoints: [] });
    expect(plan).toMatchObject({ plan_id: 'mine', intent: 'other' });
  });

  test('all that is missing is said at once, and what is no step at all is none here either', () => {
    expect(told(verify({ steps: [{ context_key: 'a' }, { capability: 'read' }] }))).toEqual([
      'plan_untyped /steps/0/capability',
      'plan_untyped /steps/1/context_key',
    ]);
    expect(told(verify({ steps: [step('a', 'read'), 7] }))).toEqual([
      'plan_untyped /steps/1/context_key',
      'plan_untyped /steps/1/capability',
    ]);
  });

  test('what no step may say is refused as in every plan', () => {
    expect(told(verify({ steps: [step('a', 'read', { sudo: true })] }))).toEqual(['plan_untyped /steps/0']);
    expect(told(verify({ steps: [step('a', 'read'), step('a', 'read')] }))).toContain('duplicate_step_id /steps/1/id');
  });
});
