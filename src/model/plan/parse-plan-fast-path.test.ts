/** The fast path must never accept a plan that the schema rejects. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assertJson, type Json } from '../json/json.ts';
import { isPlainPlan } from './parse-plan.ts';
import { Plan, type PlanStep } from './plan.ts';

const PLAIN = {
  plan_id: 'plan_1',
  intent: 'refund',
  steps: [
    { id: 's1', tool: 'orders.lookup', params: { order: 'ord_1', lines: [1, { a: null }] } },
    { id: 's2', tool: 'refund', depends_on: ['s1'], context_key: 'refund' },
  ],
  decision_checkpoints: [],
};

describe('the fast path accepts', () => {
  test.each<[string, Json]>([
    ['steps with arguments, dependencies and keys', PLAIN],
    ['a step that is only named', { ...PLAIN, steps: [{ id: 's1', tool: 'look' }] }],
    ['no steps at all', { ...PLAIN, steps: [] }],
  ])('%s', (_, plan) => {
    expect(isPlainPlan(plan)).toBe(true);
    expect(Plan.safeParse(plan).success).toBe(true);
  });
});

/** All fields of a plan and of a step; the types keep the lists complete. */
const PLAN_FIELDS: Readonly<Record<keyof Plan, true>> = {
  plan_id: true,
  intent: true,
  steps: true,
  decision_checkpoints: true,
  assumptions: true,
  subtasks: true,
  answer: true,
  reply: true,
  draft: true,
  output: true,
};
const STEP_FIELDS: Readonly<Record<keyof PlanStep, true>> = {
  id: true,
  tool: true,
  params: true,
  depends_on: true,
  approval_mode: true,
  requires: true,
  context_key: true,
  task_objective: true,
  expected_output: true,
  success_criteria: true,
  inputs: true,
  optional: true,
  because: true,
};
const STRANGE: readonly Json[] = [
  ...[null, 0, true, '', 'a b', 'prototype', {}, { a: 1 }],
  ...[[], [0], [''], ['a b'], [null], [[]], [{}], [{ id: 's1' }], ['s1', 0]],
];

describe('the fast path rejects invalid plans with a bad value', () => {
  const agrees = (written: Json): void => {
    if (isPlainPlan(written)) expect(Plan.safeParse(written)).toMatchObject({ success: true, data: written });
  };

  test.each([...Object.keys(PLAN_FIELDS), 'other'])('in %s of a plan', (field) => {
    for (const strange of STRANGE) agrees({ ...PLAIN, [field]: strange });
  });

  test.each([...Object.keys(STEP_FIELDS), 'other'])('in %s of a step', (field) => {
    for (const strange of STRANGE) agrees({ ...PLAIN, steps: [{ id: 's1', tool: 'look', [field]: strange }] });
  });

  test.each(['plan_id', 'intent', 'steps', 'decision_checkpoints'])('or without %s', (field) => {
    const left = Object.entries(PLAIN).filter(([name]) => name !== field);
    expect(isPlainPlan(Object.fromEntries(left) as Json)).toBe(false);
  });
});

test('checks a list item by item, even if it overrides every()', () => {
  const agreeing = <T>(items: T[]): T[] => Object.assign(items, { every: () => true });
  const named = { id: 's1', tool: 'look' };
  const lists = [
    { ...PLAIN, steps: agreeing([{ id: 1 }]) },
    { ...PLAIN, steps: [{ ...named, depends_on: agreeing([1]) }] },
  ];
  expect(lists.map((written) => isPlainPlan(written as unknown as Json))).toEqual([false, false]);
});

const name = fc.constantFrom('s1', 'a.b:c@d/e-f', '_', 'a'.repeat(200));
const odd = fc.constantFrom<unknown>(
  ...['', ' ', 'a b', '-a', '__proto__', 'constructor', 'prototype', 'a'.repeat(201), 'ä', 'a\n'],
  ...[null, 0, true, [], {}, ['s1'], { id: 's1' }],
);
const mostly = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: usual as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: odd });

const step = fc.record(
  {
    id: mostly(name),
    tool: mostly(name),
    params: mostly(fc.dictionary(fc.string(), fc.jsonValue())),
    depends_on: mostly(fc.array(mostly(name), { maxLength: 3 })),
    context_key: mostly(name),
    optional: odd,
    approval_mode: odd,
    other: odd,
  },
  { requiredKeys: [] },
);
const usual = fc.record(
  { id: mostly(name), tool: mostly(name), params: mostly(fc.dictionary(fc.string(), fc.jsonValue())) },
  { requiredKeys: ['id', 'tool'] },
);
const plan = fc.record(
  {
    plan_id: mostly(name),
    intent: mostly(name),
    steps: mostly(fc.array(fc.oneof(usual, mostly(usual), step), { maxLength: 3 })),
    decision_checkpoints: mostly(fc.constant([])),
    answer: odd,
  },
  { requiredKeys: ['plan_id', 'intent', 'steps', 'decision_checkpoints'] },
);

function isJson(value: unknown): value is Json {
  try {
    assertJson(value);
    return true;
  } catch {
    return false;
  }
}

test('the schema accepts every plan that the fast path accepts, unchanged', () => {
  let recognised = 0;
  fc.assert(
    fc.property(plan, (written) => {
      if (!isJson(written) || !isPlainPlan(written)) return;
      recognised += 1;
      const read = Plan.safeParse(written);
      expect(read.success).toBe(true);
      expect(read.data).toEqual(written);
    }),
    { numRuns: 3_000 },
  );
  expect(recognised).toBeGreaterThan(100);
});
