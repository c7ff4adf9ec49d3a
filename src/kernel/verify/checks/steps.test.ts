/** Proves which context keys a step may use, and that a plan and a single step are checked by the same function. */
import { describe, expect, test } from 'vitest';
import { known, problemLines, spec, table, verifySteps } from '../../../../test/kernel/verify/fixtures.ts';
import { verifies } from '../../../../test/requirements/verifies.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import { validateStep } from '../validate-step.ts';

const specs = [spec('weather', { produces: ['WEATHER'] }), spec('respond')];
const weather: PlanStep = { id: 's1', tool: 'weather', context_key: 'sf', inputs: [] };
const respond = (...inputs: NonNullable<PlanStep['inputs']>): PlanStep => ({
  id: 's2',
  tool: 'respond',
  context_key: 'answer',
  inputs,
});
const inState = (
  ...keys: readonly (readonly [string, readonly string[]])[]
): { readonly known: ReturnType<typeof known> } => ({
  known: known({ keys: new Map(keys) }),
});

verifies(
  'validate:inputs:context-key-must-exist',
  'refuses an input that no step fills, naming key and step, as a separate problem',
  () => {
    const verification = verifySteps([weather, respond('sf', 'nope')], specs);
    expect(verification.problems).toMatchObject([
      { code: 'invalid_context_key', path: '/steps/1/inputs/1', step_id: 's2', detail: { key: 'nope', step_index: 1 } },
    ]);
    expect(verification.problems.map(({ code }) => code)).not.toContain('hallucinated_capability');
  },
);

verifies('validate:keys:plan-first-from-plan', 'a step may use keys of earlier steps, not of later ones', () => {
  expect(verifySteps([weather, respond('sf')], specs).verdict).toBe('ok');
  const forward = verifySteps([respond('sf'), weather], specs);
  expect(forward.problems).toMatchObject([
    { code: 'invalid_context_key', path: '/steps/0/inputs/0', detail: { key: 'sf', step_index: 0 } },
  ]);
  expect(problemLines(verifySteps([respond('answer')], specs))).toEqual(['invalid_context_key /steps/0/inputs/0']);
});

verifies('validate:keys:reactive-from-state', 'a single step may use only the keys in state', () => {
  expect(verifySteps([respond('sf')], specs, inState(['sf', ['WEATHER']])).verdict).toBe('ok');
  expect(problemLines(verifySteps([respond('sf')], specs, inState(['la', ['WEATHER']])))).toEqual([
    'invalid_context_key /steps/0/inputs/0',
  ]);
});

test('an invalid step gets the same problems in a plan and on its own', () => {
  const bad: PlanStep = { id: 's2', tool: 'teleport', inputs: ['nope', { WEATHER: 'gone' }] };
  const keys = new Map<string, readonly string[]>([['sf', ['WEATHER']]]);
  const alone = validateStep(bad, { index: 0, keys, tools: table(specs) });
  const reactive = verifySteps([bad], specs, { known: known({ keys }) });
  const planned = verifySteps([weather, bad], specs);
  expect(alone.map(({ code }) => code)).toEqual([
    'hallucinated_capability',
    'invalid_context_key',
    'invalid_context_key',
  ]);
  expect(reactive.problems).toEqual(alone);
  // In a plan only the path differs.
  expect(planned.problems.map(({ code, message }) => ({ code, message }))).toEqual(
    alone.map(({ code, message }) => ({ code, message })),
  );
});

describe('inputs', () => {
  test('both spellings become keys, and the step depends on the step that fills a key', () => {
    const { plan, verdict } = verifySteps(
      [weather, respond({ WEATHER: 'sf' }, 'la', 'sf')],
      specs,
      inState(['la', []]),
    );
    expect(verdict).toBe('ok');
    expect(plan?.steps[1]).toEqual({ ...respond(), inputs: ['sf', 'la'], depends_on: ['s1'] });
    expect(plan?.steps[0]).toBe(weather);
  });

  test('a step in normal form stays the same object', () => {
    const complete = { ...respond('sf'), depends_on: ['s1'] };
    const { plan } = verifySteps([weather, complete], specs);
    expect(plan?.steps[1]).toBe(complete);
  });

  test('refuses a key that holds another type', () => {
    const wrong = verifySteps([weather, respond({ TIME: 'sf' })], specs);
    expect(problemLines(wrong)).toEqual(['invalid_context_key /steps/1/inputs/0/TIME']);
    expect(wrong.problems[0]?.message).toContain('WEATHER');
    expect(verifySteps([respond({ TIME: 'any' })], specs, inState(['any', []])).verdict).toBe('ok');
  });

  test('an input whose producer depends on its consumer is a cycle', () => {
    expect(problemLines(verifySteps([{ ...weather, depends_on: ['s2'] }, respond('sf')], specs))).toEqual([
      'dependency_cycle /steps/0/depends_on',
    ]);
  });

  test('two steps cannot fill the same key', () => {
    const twice = verifySteps([weather, { ...weather, id: 's2' }], specs);
    expect(twice.problems).toMatchObject([
      { code: 'invalid_context_key', path: '/steps/1/context_key', detail: { key: 'sf', step_index: 1 } },
    ]);
    expect(verifySteps([weather], specs, inState(['sf', []])).verdict).toBe('ok');
  });
});
