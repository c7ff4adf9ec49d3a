/** Proves that what is recognised as a plan at a glance is one by the schema as well, whatever a planner may write. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assertJson, type Json } from './json.ts';
import { isPlainPlan } from './plain-plan.ts';
import { Plan } from './plan.ts';

const PLAIN = {
  plan_id: 'plan_1',
  intent: 'refund',
  steps: [
    { id: 's1', tool: 'orders.lookup', params: { order: 'ord_1', lines: [1, { a: null }] } },
    { id: 's2', tool: 'refund', depends_on: ['s1'], context_key: 'refund' },
  ],
  decision_checkpoints: [],
};

describe('what nearly every planner writes', () => {
  test.each<[string, Json]>([
    ['steps with arguments, dependencies and keys', PLAIN],
    ['a step that is only named', { ...PLAIN, steps: [{ id: 's1', tool: 'look' }] }],
    ['no steps at all', { ...PLAIN, steps: [] }],
  ])('%s', (_, plan) => {
    expect(isPlainPlan(plan)).toBe(true);
    expect(Plan.safeParse(plan).success).toBe(true);
  });
});

test('a list is looked at item by item, whatever it says of itself', () => {
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

test('whatever is recognised, the schema accepts as it is', () => {
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
