import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../test/documents/examples.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { deepFreeze } from '../json/freeze.ts';
import { parsePlan } from './parse-plan.ts';

const refund = (): Record<string, unknown> => readDocument('refund-plan');
const withSteps = (...steps: readonly unknown[]): unknown => ({ ...refund(), steps, decision_checkpoints: [] });
const untyped = (path: string, message: RegExp): unknown =>
  expect.objectContaining({ code: 'plan_untyped', path, message: expect.stringMatching(message) });

verifies('plan:schema:step-fields', 'a step needs an id and a tool; its other fields are optional and typed', () => {
  const bare = { id: 's1', tool: 'adp_orders.lookup' };
  expect(parsePlan(withSteps(bare)).steps).toEqual([bare]);
  const full = {
    ...bare,
    params: { order_id: 'ord_881' },
    depends_on: ['s0'],
    approval_mode: 'destructive',
    requires: ['GATE_FINANCE_APPROVAL'],
  };
  expect(parsePlan(withSteps(full)).steps).toEqual([full]);
  expect(() => parsePlan(withSteps(bare, { id: 'pay_it' }))).toThrow(untyped('/steps/1/tool', /^step "pay_it": /));
  expect(() => parsePlan(withSteps({ tool: 'adp_orders.lookup' }))).toThrow(
    untyped('/steps/0/id', /^\/steps\/0\/id: /),
  );
  for (const wrong of [{ approval_mode: 'harmless' }, { depends_on: 's1' }, { params: [] }, { requires: [1] }]) {
    const [field] = Object.keys(wrong);
    expect(() => parsePlan(withSteps({ ...bare, ...wrong }))).toThrow(
      untyped(`/steps/0/${field}${field === 'requires' ? '/0' : ''}`, /^step "s1": /),
    );
  }
});

describe('rejects as a plan', () => {
  test.each([
    ['prose', 'First I would look up the order.'],
    ['nothing', null],
    ['a list of steps', [{ id: 's1', tool: 'x' }]],
    ['a plan in a wrapper', { plan: {} }],
    ['steps as an object', { ...refund(), steps: { 0: { id: 's1', tool: 'x' } } }],
  ])('%s', (_, value) => {
    expect(() => parsePlan(value)).toThrow(expect.objectContaining({ code: 'plan_untyped' }));
  });

  test('a fault message does not contain unprintable characters of a step id', () => {
    const id = `s\u001b[31m${'x'.repeat(500)}`;
    const attempt = (): unknown => parsePlan(withSteps({ id, tool: 'x' }));
    expect(attempt).toThrow(untyped('/steps/0/id', /^[ -~]+$/));
  });

  test('rejects an oversized plan before schema validation', () => {
    const bomb = { ...refund(), intent: 'x'.repeat(2_000_000) };
    expect(() => parsePlan(bomb)).toThrow(expect.objectContaining({ code: 'json_too_large', path: '/intent' }));
  });
});

test('parses a frozen plan', () => {
  expect(parsePlan(deepFreeze(refund()))).toEqual(refund());
});
