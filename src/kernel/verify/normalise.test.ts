/** Proves how `respond` and `clarify` steps and plans in capability style are read. */
import { describe, expect, test } from 'vitest';
import { context, planOf, problemLines, spec, verifySteps } from '../../../test/kernel/verify/fixtures.ts';
import type { JsonObject } from '../../model/json/json.ts';
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

test("respond and clarify match in any letter case and default to the step's objective", () => {
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

test('a plan in normal form stays the same object', () => {
  const proposed = planOf([{ id: 's1', tool: 'respond', params: { objective: 'tell' } }]);
  const { plan } = verifyPlan(proposed, context({ specs: TOOLS, catalog: new Map() }), 2);
  expect(plan).toBe(proposed);
});

test("a host's own tool named respond is matched exactly and keeps its params", () => {
  const own = [spec('respond')];
  expect(verifySteps([{ id: 's1', tool: 'respond' }], own).plan?.steps).toEqual([{ id: 's1', tool: 'respond' }]);
  expect(problemLines(verifySteps([{ id: 's1', tool: 'Respond' }], own))).toEqual([
    'hallucinated_capability /steps/0/tool',
  ]);
});

describe('a clarify step', () => {
  const ask = { id: 'ask', tool: 'clarify', params: { question: 'Which?' } };

  test('may be the last step', () => {
    expect(verifySteps([{ id: 's1', tool: 'read' }, ask], TOOLS).verdict).toBe('ok');
  });

  test('may not precede another step or be a dependency', () => {
    const middle = verifySteps([ask, { id: 's1', tool: 'read' }], TOOLS);
    expect(problemLines(middle)).toEqual(['plan_untyped /steps/0/tool']);
    expect(middle.verdict).toBe('replan');
    const waiting = verifySteps([{ id: 's1', tool: 'read', depends_on: ['ask'] }, ask], TOOLS);
    expect(problemLines(waiting)).toEqual(['plan_untyped /steps/1/tool']);
  });
});

describe('plans in capability style', () => {
  const verify = (proposed: unknown) =>
    verifyPlan(
      proposed,
      context({ specs: TOOLS, catalog: new Map(), naming: { planId: 'plan_7', intent: 'tell' } }),
      2,
    );
  const step = (context_key: string, capability: string, more: object = {}) => ({ context_key, capability, ...more });

  test('context_key becomes the id, capability the tool, and the run names the plan', () => {
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

  test('a plan with its own names keeps them', () => {
    const { plan } = verify({ plan_id: 'mine', intent: 'other', steps: [step('a', 'read')], decision_checkpoints: [] });
    expect(plan).toMatchObject({ plan_id: 'mine', intent: 'other' });
  });

  test('reports all missing fields at once, also for items that are not steps', () => {
    expect(problemLines(verify({ steps: [{ context_key: 'a' }, { capability: 'read' }] }))).toEqual([
      'plan_untyped /steps/0/capability',
      'plan_untyped /steps/1/context_key',
    ]);
    expect(problemLines(verify({ steps: [step('a', 'read'), 7] }))).toEqual([
      'plan_untyped /steps/1/context_key',
      'plan_untyped /steps/1/capability',
    ]);
  });

  test('refuses unknown fields and duplicate keys', () => {
    expect(problemLines(verify({ steps: [step('a', 'read', { sudo: true })] }))).toEqual(['plan_untyped /steps/0']);
    expect(problemLines(verify({ steps: [step('a', 'read'), step('a', 'read')] }))).toContain(
      'duplicate_step_id /steps/1/id',
    );
  });
});
